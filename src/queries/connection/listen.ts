import pg from 'pg';
import { openReconnectingSession } from './session.ts';

/**
 * Calls `onNotify` for every NOTIFY on the channel, with its payload, over a connection outside the pool, which is opened again when it
 * breaks. Notifications are lost meanwhile, so `onNotify` is also called after each connect, without a payload. Rejects when the first
 * connection cannot be made; the returned function ends it all.
 */
export async function listenOnChannel(
  config: pg.ClientConfig,
  channel: string,
  onNotify: (payload?: string) => void,
  onError: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const prepare = async (client: pg.Client): Promise<void> => {
    client.on('notification', ({ payload }) => onNotify(payload));
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    onNotify();
  };
  const session = await openReconnectingSession(config, prepare, onError);
  return () => session.end();
}
