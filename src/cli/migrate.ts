import type { CommandContext } from './context.ts';
import { withStorage } from './storage.ts';

/** Opening the storage migrates it; the log names the files that were applied. */
export function migrateCommand(context: CommandContext): Promise<number> {
  return withStorage(context, () => {
    console.log('The tables are up to date.');
    return Promise.resolve();
  });
}
