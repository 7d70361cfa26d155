import type { Log } from '../log/log.ts';

/**
 * For as long as the process runs: what output and log do not take is lost and ends nothing, be it that their reader is gone
 * (EPIPE), their terminal hung up (EIO) or their disk full.
 */
export function surviveLostOutputs(log: Log): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', () => undefined);
  process.stdout.once('error', (error) =>
    log.warn('Standard output takes nothing: what was printed is lost.', { error }),
  );
}
