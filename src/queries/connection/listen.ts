import pg from 'pg';
import { keepSession } from './session.ts';

/**
 * Calls `onNotify` for every NOTIFY on the channel, over a connection of its own, which is opened again
 * when it breaks. Since notifications are lost meanwhile, each new connection counts as one. Rejects
 * when the first connection cannot be made; the answer ends it all.
 */
export async function listen(
  config: pg.ClientConfig,
  channel: string,
  onNotify: () => void,
  onError: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const prepare = async (client: pg.Client): Promise<void> => {
    client.on('notification', onNotify);
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    onNotify();
  };
  const session = await keepSession(config, prepare, onError);
  return () => session.end();
}
