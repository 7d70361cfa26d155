import pg from 'pg';

const FIRST_RECONNECT_MS = 100;
const LONGEST_RECONNECT_MS = 1_000;

export interface ReconnectingSession {
  /** The present connection; undefined while there is none. */
  readonly client: () => pg.Client | undefined;
  end(): Promise<void>;
}

/**
 * Opens a connection outside the pool for what belongs to a session (LISTEN, session-level locks). When it breaks, it is
 * opened again, first after 100 ms and then after up to 1 s, and `prepare` runs on each new connection. Rejects when the
 * first connection cannot be made; `onError` hears of all later errors.
 */
export async function openReconnectingSession(
  config: pg.ClientConfig,
  prepare: (client: pg.Client) => Promise<unknown>,
  onError: (error: unknown) => void,
): Promise<ReconnectingSession> {
  let isEnded = false;
  let current: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let reconnecting: Promise<void> | undefined;

  const connect = async (): Promise<void> => {
    const next = new pg.Client({ ...config, keepAlive: true });
    next.on('error', onError);
    try {
      await next.connect();
      await prepare(next);
    } catch (error) {
      await next.end().catch(() => undefined);
      throw error;
    }
    current = next;
    next.once('end', () => {
      current = undefined;
      scheduleReconnect(FIRST_RECONNECT_MS);
    });
  };
  const scheduleReconnect = (waitMs: number): void => {
    if (isEnded) return;
    timer = setTimeout(() => {
      reconnecting = connect().catch((error: unknown) => {
        onError(error);
        scheduleReconnect(Math.min(waitMs * 2, LONGEST_RECONNECT_MS));
      });
    }, waitMs);
  };

  await connect();
  return {
    client: () => current,
    end: async () => {
      isEnded = true;
      clearTimeout(timer);
      await reconnecting;
      await current?.end();
    },
  };
}
