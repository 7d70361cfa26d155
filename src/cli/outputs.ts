import { writeSync } from 'node:fs';
import type { Log } from '../log/log.ts';

/** How long output and log may take, once all else is over, for what they still hold. */
const LAST_LINES_MS = 500;

/** How long a full pipe may take until its reader has read on. */
const FULL_PIPE_MS = 5_000;
const LOOK_EVERY_MS = 10;

/**
 * Prints lines that nothing shows a second time, and returns when the system has taken all of them; a full pipe is waited for.
 * @throws Error when standard output does not take them.
 */
export function printForCertain(
  text: string,
  fd: number = process.stdout.fd,
  patienceMs = FULL_PIPE_MS,
): void {
  const bytes = Buffer.from(`${text}\n`);
  const waiting = new Int32Array(new SharedArrayBuffer(4));
  const end = performance.now() + patienceMs;
  for (let written = 0; written < bytes.length;) {
    try {
      written += writeSync(fd, bytes, written);
    } catch (cause) {
      const isFull = (cause as NodeJS.ErrnoException).code === 'EAGAIN';
      if (!isFull || performance.now() > end)
        throw new Error('Standard output does not take what is shown only once, so nothing was changed.', {
          cause,
        });
      Atomics.wait(waiting, 0, 0, LOOK_EVERY_MS);
    }
  }
}

/** Of a command: an output whose reader is gone, or whose disk is full, ends it with 1. */
export function endWithLostOutput(error: Error): never {
  process.stderr.write(`partner: Standard output takes nothing (${error.message}).\n`);
  process.exit(1);
}

/**
 * For as long as the process runs: what standard output does not take is lost and ends nothing, be it that its reader is gone
 * (EPIPE), its terminal hung up (EIO) or its disk full. For the log src/main.ts has that for every command.
 */
export function surviveLostOutput(log: Log): void {
  process.stdout.off('error', endWithLostOutput).on('error', () => undefined);
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
