import { RequestLog } from '../http/request-log.ts';
import type { Log } from '../log/log.ts';
import { PollingLoop } from '../loops/polling-loop.ts';
import type { Db } from '../queries/connection/database.ts';
import { insertRequests } from '../queries/requests/request-log.ts';

/** Requests of one statement; its rows are written in some 20 ms. */
const REQUESTS_AT_ONCE = 500;
const WRITE_EVERY_MS = 1_000;
const RETRY_MS = 5_000;

export interface RequestLogWriterOptions {
  readonly db: Db;
  readonly log: Log;
  readonly clock: () => Date;
  readonly perSecond: number;
  readonly everyMs?: number;
}

/** A request log whose entries are written each second. */
export interface WrittenRequestLog {
  readonly requestLog: RequestLog;
  /** Writes what waits; rejects when that fails, and keeps it. */
  flush(): Promise<void>;
  /** Writes what waits, once. */
  stop(): Promise<void>;
}

export function startRequestLog(options: RequestLogWriterOptions): WrittenRequestLog {
  const { db, log, clock, perSecond, everyMs = WRITE_EVERY_MS } = options;
  const requestLog = new RequestLog({ perSecond, clock, monotonicMs: () => performance.now() });
  const flush = (): Promise<void> => writeWaiting(db, requestLog);
  const onError = (error: unknown): void =>
    log.warn('Requests could not be logged for their partners; tried again.', { error });
  const loop = new PollingLoop({ work: flush, nextRoundMs: () => everyMs, retryMs: RETRY_MS, onError });
  loop.start();
  return {
    requestLog,
    flush,
    stop: async () => {
      await loop.stop();
      await flush().catch(onError);
    },
  };
}

async function writeWaiting(db: Db, requestLog: RequestLog): Promise<void> {
  for (let batch = requestLog.take(REQUESTS_AT_ONCE); batch !== undefined;) {
    try {
      await insertRequests(db, batch.requests, batch.unlogged);
    } catch (error) {
      requestLog.giveBack(batch);
      throw error;
    }
    batch = requestLog.take(REQUESTS_AT_ONCE);
  }
}
