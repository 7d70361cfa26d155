import type pg from 'pg';
import { boundStatements, endClient } from './bounded-client.ts';
import { GuardedClient } from './guarded-client.ts';
import { refuseStandby } from './session-settings.ts';

const FIRST_RECONNECT_MS = 100;
const LONGEST_RECONNECT_MS = 1_000;
/** How often a session is asked whether it lives, and how long a statement may take: else it is cut off and opened again. */
const HEARTBEAT_MS = 5_000;

export interface ReconnectingSession {
  /** The present connection; undefined while there is none. */
  readonly client: () => pg.Client | undefined;
  end(): Promise<void>;
}

/**
 * Opens a connection outside the pool for what belongs to a session (LISTEN, session-level locks). When it breaks, it is
 * opened again, first after 100 ms and then after up to 1 s, and `prepare` runs on each new connection. One that does not
 * answer for 5 s is cut off, and a standby counts as away. Rejects when the
 * first connection cannot be made; `onError` hears of all later errors.
 */
export async function openReconnectingSession(
  config: pg.ClientConfig,
  prepare: (client: pg.Client) => Promise<unknown>,
  onError: (error: unknown) => void,
  heartbeatMs = HEARTBEAT_MS,
): Promise<ReconnectingSession> {
  let isEnded = false;
  let current: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let reconnecting: Promise<void> | undefined;

  const connect = async (): Promise<void> => {
    const next = new GuardedClient({ ...config, keepAlive: true });
    next.on('error', onError);
    boundStatements(next, {
      scope: undefined,
      statementMs: heartbeatMs,
      isSpoiled: false,
      isLeftAtWork: false,
      plansSinceMs: 0,
    });
    try {
      await next.connect();
      await refuseStandby(next);
      await prepare(next);
    } catch (error) {
      await endClient(next);
      throw error;
    }
    current = next;
    // A session that only listens would never notice that nobody is there any more.
    const heartbeat = setInterval(() => void next.query('select 1').catch(() => undefined), heartbeatMs);
    next.once('end', () => {
      clearInterval(heartbeat);
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
      if (current !== undefined) await endClient(current);
    },
  };
}
