import { chmodSync, lstatSync, mkdirSync } from 'node:fs';

/**
 * The folder, made where it is missing, if what lies there can be no one's work but this user's: it is run. Undefined when it
 * belongs to another user, is not a folder or cannot be made; every start then compiles for itself.
 */
export function prepareCompileCache(folder: string, userId = process.getuid?.()): string | undefined {
  try {
    mkdirSync(folder, { recursive: true });
    const found = lstatSync(folder);
    if (!found.isDirectory() || found.uid !== userId) return undefined;
    chmodSync(folder, 0o700);
    return folder;
  } catch {
    return undefined;
  }
}
