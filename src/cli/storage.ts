import { openStorage } from '../compose/database.ts';
import type { Storage } from '../compose/database.ts';
import type { CommandContext } from './context.ts';

/** Joins the database of a running service, or starts it for this command alone. */
export async function withStorage(
  context: CommandContext,
  use: (storage: Storage) => Promise<void>,
): Promise<number> {
  const storage = await openStorage({
    ...context,
    purpose: 'command',
    maxConnections: 2,
    onFatal: (error) => {
      console.error(error.message);
      process.exit(1);
    },
  });
  try {
    await use(storage);
    return 0;
  } finally {
    await storage.stop();
  }
}
