import { RequestLog } from '../http/request-log.ts';
import type { RequestBatch } from '../http/request-log.ts';
import type { Log } from '../log/log.ts';
import { PollingLoop } from '../loops/polling-loop.ts';
import type { Db } from '../queries/connection/database.ts';
import { classifyDatabaseError } from '../queries/connection/database-errors.ts';
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
  const onLost = (error: unknown): void =>
    log.error('A request cannot be logged for its partner, and is left out.', { error });
  const flush = (): Promise<void> => writeWaiting(db, requestLog, onLost);
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

type OnLost = (error: unknown) => void;

async function writeWaiting(db: Db, requestLog: RequestLog, onLost: OnLost): Promise<void> {
  const take = (): RequestBatch | undefined => requestLog.take(REQUESTS_AT_ONCE);
  for (let batch = take(); batch !== undefined; batch = take())
    await writeBatch(db, requestLog, batch, onLost);
}

/** Writes all that PostgreSQL takes; rejects where it takes nothing now, and gives back what is not written. */
async function writeBatch(
  db: Db,
  requestLog: RequestLog,
  batch: RequestBatch,
  onLost: OnLost,
): Promise<void> {
  const left = [batch];
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    try {
      await insertRequests(db, part.requests, part.unlogged);
    } catch (error) {
      if (classifyDatabaseError(error) !== 'caller') {
        for (const each of [...left, part]) requestLog.giveBack(each);
        throw error;
      }
      const halves = halve(part);
      if (halves.length === 0) onLost(error);
      left.push(...halves);
    }
  }
}

/** What a batch is written as when one of its rows cannot be: others, of other partners too, do not wait for that. */
function halve({ requests, unlogged }: RequestBatch): readonly RequestBatch[] {
  if (requests.length + unlogged.length <= 1) return [];
  const [ofRequests, ofUnlogged] = [Math.ceil(requests.length / 2), Math.floor(unlogged.length / 2)];
  return [
    { requests: requests.slice(ofRequests), unlogged: unlogged.slice(ofUnlogged) },
    { requests: requests.slice(0, ofRequests), unlogged: unlogged.slice(0, ofUnlogged) },
  ];
}
