import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes generated files, or with `--check` compares them with what is committed and reports each that is stale.
 * Exits 1 when one is, and says the cure.
 */
export function writeOrCheckFiles(files: ReadonlyMap<string, string>, check: boolean): void {
  const stale: string[] = [];
  for (const [path, text] of files) {
    if (!check) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    } else if (readIfPresent(path) !== text) {
      stale.push(path);
    }
  }
  if (stale.length > 0) {
    console.error(`Stale: ${stale.join(', ')}. Run \`make generate\` and commit the result.`);
    process.exitCode = 1;
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
