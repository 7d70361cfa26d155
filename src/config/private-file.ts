import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes a secret to a file that only its owner can read; its folder is made if it is missing. The file is there whole or not
 * at all: it is written and flushed under another name first, of which what an earlier process left is removed.
 * @throws Error of node:fs
 */
export function writePrivateFile(path: string, text: string): void {
  renameSync(writeDraft(path, text), path);
}

/**
 * The same, unless the file is there: of several processes that create it at once one does, and its text stays.
 * @throws Error of node:fs
 */
export function createPrivateFile(path: string, text: string): void {
  const draft = writeDraft(path, text);
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function writeDraft(path: string, text: string): string {
  const draft = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
  return draft;
}
