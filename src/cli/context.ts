import type { Settings } from '../config/settings.ts';
import type { Log } from '../log/log.ts';

export interface CommandContext {
  readonly settings: Settings;
  readonly log: Log;
}

/** What a person can cure; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
