import { openStorage } from '../compose/database.ts';
import type { CommandContext } from './context.ts';

/** Opening the storage migrates it; the log tells which files were applied. */
export async function migrateCommand(context: CommandContext): Promise<number> {
  const storage = await openStorage({
    ...context,
    purpose: 'command',
    maxConnections: 1,
    onFatal: (error) => {
      console.error(error.message);
      process.exit(1);
    },
  });
  await storage.stop();
  console.log('The tables are up to date.');
  return 0;
}
