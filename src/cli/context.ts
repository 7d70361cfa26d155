import type { Settings } from '../config/settings.ts';
import type { Log } from '../log/log.ts';

export interface CommandContext {
  readonly settings: Settings;
  readonly log: Log;
}

/** An error whose message is all that a person needs; anything else is printed with its stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
