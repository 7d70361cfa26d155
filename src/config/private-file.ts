import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes a secret to a file that only its owner can read; its folder is made if it is missing. The file is there whole or not
 * at all: it is written and flushed under another name first.
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
    linkOrWrite(draft, path, text);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** How file systems say that they have no links, as those of other machines. */
const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Without links the file is whole once it is written: a process that ends before leaves a part of it. */
function linkOrWrite(draft: string, path: string, text: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!WITHOUT_LINKS.has(codeOf(error))) throw error;
    writeFileSync(path, text, { mode: 0o600, flag: 'wx', flush: true });
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

function writeDraft(path: string, text: string): string {
  // Processes of two containers may have one number.
  const draft = `${path}.${randomUUID()}`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  return draft;
}
