import type { Log } from '../log/log.ts';

/** How long output and log may take, once all else is over, for what they still hold. */
const LAST_LINES_MS = 500;

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

/** The process has ended with this code in a moment, whatever keeps it. */
export function endForCertain(code: number): void {
  setTimeout(() => process.exit(code), LAST_LINES_MS).unref();
}

/** The same where it is output or log that keep it, which nobody reads. */
export function endDespiteOutputs(code: number): void {
  const { stdout, stderr } = process;
  setTimeout(() => {
    if (stdout.writableLength + stderr.writableLength > 0) process.exit(code);
  }, LAST_LINES_MS).unref();
}
