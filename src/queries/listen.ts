import pg from 'pg';

const againMs = 1_000;

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
  let isEnded = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  const connect = async (): Promise<void> => {
    const next = new pg.Client({ ...config, keepAlive: true });
    next.on('notification', onNotify);
    next.on('error', onError);
    next.on('end', () => {
      if (!isEnded) timer = setTimeout(() => void reconnect(), againMs);
    });
    try {
      await next.connect();
      await next.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      next.removeAllListeners('end');
      await next.end().catch(() => undefined);
      throw error;
    }
    client = next;
    onNotify();
  };
  const reconnect = async (): Promise<void> => {
    try {
      await connect();
      if (isEnded) await client?.end();
    } catch (error) {
      onError(error);
      if (!isEnded) timer = setTimeout(() => void reconnect(), againMs);
    }
  };

  await connect();
  return async () => {
    isEnded = true;
    clearTimeout(timer);
    await client?.end();
  };
}
