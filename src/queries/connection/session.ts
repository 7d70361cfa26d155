import pg from 'pg';

const firstAgainMs = 100;
const longestAgainMs = 1_000;

export interface Session {
  /** The connection of now; undefined while there is none. */
  readonly client: () => pg.Client | undefined;
  end(): Promise<void>;
}

/**
 * A connection of its own for what belongs to a session (LISTEN, session locks). When it breaks it is opened
 * again, at first after 100 ms, and `prepare` runs on each new one. Rejects when the first cannot be made.
 */
export async function keepSession(
  config: pg.ClientConfig,
  prepare: (client: pg.Client) => Promise<unknown>,
  onError: (error: unknown) => void,
): Promise<Session> {
  let isEnded = false;
  let current: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | undefined;

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
      again(firstAgainMs);
    });
  };
  const again = (waitMs: number): void => {
    if (isEnded) return;
    timer = setTimeout(() => {
      underWay = connect().catch((error: unknown) => {
        onError(error);
        again(Math.min(waitMs * 2, longestAgainMs));
      });
    }, waitMs);
  };

  await connect();
  return {
    client: () => current,
    end: async () => {
      isEnded = true;
      clearTimeout(timer);
      await underWay;
      await current?.end();
    },
  };
}
