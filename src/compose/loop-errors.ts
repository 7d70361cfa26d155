import { isRefusal } from '../domain/api/overlong-computation.ts';
import type { Log } from '../log/log.ts';

/** Logs an error of a loop; one that only says that a share was in use is none, since the work comes again by itself. */
export const tellLoopError =
  (log: Log, loop: string) =>
  (error: unknown): void => {
    if (isRefusal(error)) log.info('A loop found no room; it tries again.', { loop });
    else log.error('A loop failed; it goes on.', { loop, error });
  };
