import type { Log } from '../log/log.ts';
import { MINUTE_MS } from '../domain/api/durations.ts';
import { PollingLoop } from '../loops/polling-loop.ts';
import { SecretUses } from '../oauth/secret-uses.ts';
import { recordSecretUses } from '../queries/accounts/application-secrets.ts';
import type { SecretUse } from '../queries/accounts/application-secrets.ts';
import type { Db } from '../queries/connection/database.ts';

export interface SecretUseWriterOptions {
  readonly db: Db;
  readonly log: Log;
  readonly everyMs?: number;
}

/** Uses of secrets that are written each minute, the first one of a secret at once. */
export interface SecretUseWriter {
  add(use: SecretUse, isFirst: boolean): void;
  /** Writes what waits, once. */
  stop(): Promise<void>;
}

export function startSecretUses({ db, log, everyMs = MINUTE_MS }: SecretUseWriterOptions): SecretUseWriter {
  const waiting = new SecretUses();
  const flush = (): Promise<void> => writeWaiting(db, waiting);
  const onError = (error: unknown): void =>
    log.warn('It could not be written when secrets were last used; tried again.', { error });
  const loop = new PollingLoop({ work: flush, nextRoundMs: () => everyMs, retryMs: everyMs, onError });
  loop.start();
  return {
    add: (use, isFirst) => {
      waiting.add(use);
      if (isFirst) loop.wake();
    },
    stop: async () => {
      await loop.stop();
      await flush().catch(onError);
    },
  };
}

async function writeWaiting(db: Db, waiting: SecretUses): Promise<void> {
  const uses = waiting.take();
  if (uses.length === 0) return;
  try {
    await recordSecretUses(db, uses);
  } catch (error) {
    waiting.giveBack(uses);
    throw error;
  }
}
