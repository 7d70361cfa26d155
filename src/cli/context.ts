import type { Settings } from '../config/settings.ts';
import type { Log } from '../log/log.ts';

export interface CommandContext {
  readonly settings: Settings;
  readonly log: Log;
}

/** Runs a command with the settings of the environment; its exit code becomes that of the process. */
export type Run = (command: (context: CommandContext) => Promise<number>) => Promise<void>;

/** A mistake that the person at the command line can correct; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
