import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ImportingFile, RoomTable } from './picture.ts';

interface CruisedModule {
  readonly source: string;
  readonly dependencies: readonly { readonly resolved: string; readonly circular: boolean }[];
}

/** The files of src with their imports, as dependency-cruiser sees them, and the table of rooms. */
export async function readImports(root: string): Promise<{ files: ImportingFile[]; table: RoomTable }> {
  const binary = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const config = ['--config', 'tests/style/rooms.config.cjs', '--output-type', 'json'];
  const { modules } = JSON.parse(await cruise(root, [binary, ...config, 'src'])) as {
    modules: CruisedModule[];
  };
  const files = modules
    .filter(({ source }) => source.startsWith('src/'))
    .map(({ source, dependencies }) => ({
      path: source,
      imports: dependencies.map(({ resolved }) => resolved),
      isCircular: dependencies.some(({ circular }) => circular),
    }));
  return { files, table: createRequire(import.meta.url)(join(root, 'tests/style/rooms.cjs')) as RoomTable };
}

/** Its JSON; violations of the rules are told in it and make its exit code non-zero. */
async function cruise(root: string, command: readonly string[]): Promise<string> {
  const run = promisify(execFile);
  try {
    return (await run(process.execPath, command, { cwd: root, maxBuffer: 1e8 })).stdout;
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    if (stdout === undefined || stdout === '') throw error;
    return stdout;
  }
}
