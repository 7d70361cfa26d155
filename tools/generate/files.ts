import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Writes generated files, or with `--check` compares them with what is committed and reports each that is stale.
 * Exits 1 when one is, and says the cure. Of `folders` nothing is left but these files.
 */
export function writeOrCheckFiles(
  files: ReadonlyMap<string, string>,
  check: boolean,
  folders: readonly string[] = [],
): void {
  const stale: string[] = folders.flatMap(listFiles).filter((path) => !files.has(path));
  if (!check) for (const path of stale.splice(0)) rmSync(path);
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

function listFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
