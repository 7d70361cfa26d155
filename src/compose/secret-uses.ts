import type { Log } from '../log/log.ts';
import { MINUTE_MS } from '../domain/api/durations.ts';
import { PollingLoop } from '../loops/polling-loop.ts';
import { SecretUses } from '../oauth/secret-uses.ts';
import { recordSecretUses } from '../queries/accounts/application-secrets.ts';
import type { Db } from '../queries/connection/database.ts';

export interface SecretUseWriterOptions {
  readonly db: Db;
  readonly log: Log;
  readonly everyMs?: number;
}

/** Uses of secrets that are written each minute. */
export interface WrittenSecretUses {
  readonly secretUses: SecretUses;
  /** Writes what waits, once. */
  stop(): Promise<void>;
}

export function startSecretUses({ db, log, everyMs = MINUTE_MS }: SecretUseWriterOptions): WrittenSecretUses {
  const secretUses = new SecretUses();
  const flush = (): Promise<void> => writeWaiting(db, secretUses);
  const onError = (error: unknown): void =>
    log.warn('It could not be written when secrets were last used; tried again.', { error });
  const loop = new PollingLoop({ work: flush, nextRoundMs: () => everyMs, retryMs: everyMs, onError });
  loop.start();
  return {
    secretUses,
    stop: async () => {
      await loop.stop();
      await flush().catch(onError);
    },
  };
}

async function writeWaiting(db: Db, secretUses: SecretUses): Promise<void> {
  const uses = secretUses.take();
  if (uses.length === 0) return;
  try {
    await recordSecretUses(db, uses);
  } catch (error) {
    secretUses.giveBack(uses);
    throw error;
  }
}
