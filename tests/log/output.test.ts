import { once } from 'node:events';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLog } from '../../src/log/log.ts';

const MIB = 1_048_576;
const text = 'x'.repeat(1_000);

/** A stream that takes nothing until it is told to, or to fail; like standard error it can be written to behind a failure. */
class StuckStream extends Writable {
  text = '';
  #isOpen = false;
  #done: ((error?: Error) => void) | undefined;

  constructor() {
    super({ decodeStrings: false });
  }

  override _write(line: string, _encoding: string, done: (error?: Error) => void): void {
    this.text += line;
    if (this.#isOpen) done();
    else this.#done = done;
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    done(error);
    (this as unknown as { _undestroy: () => void })._undestroy();
  }

  /** Takes what waits, and then all. */
  async open(): Promise<void> {
    const hasRoom = once(this, 'drain');
    this.#isOpen = true;
    this.#done?.();
    await hasRoom;
  }

  async fail(): Promise<void> {
    const failed = new Promise((resolve) => this.once('error', resolve));
    this.#isOpen = true;
    this.#done?.(new Error('Nobody reads any more.'));
    await failed;
  }

  lines(): Record<string, unknown>[] {
    const lines = this.text.trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}

test('of lines that nobody reads 1 MiB waits, and all others are counted', async () => {
  const stream = new StuckStream();
  const log = createLog('info', stream);
  for (let n = 0; n < 3_000; n += 1) log.info('request', { n, text });
  expect(stream.writableLength).toBeGreaterThan(MIB - 2_000);
  expect(stream.writableLength).toBeLessThan(MIB + 2_000);
  await stream.open();
  log.info('again');
  const kept = stream.lines().filter(({ message }) => message === 'request').length;
  expect(stream.lines().slice(kept)).toEqual([
    expect.objectContaining({
      level: 'error',
      message: 'Lines of the log are lost: they were not read in time.',
      lines: 3_000 - kept,
    }),
    expect.objectContaining({ message: 'again' }),
  ]);
});

test('a stream that fails and forgets what waited is written to again', async () => {
  const stream = new StuckStream();
  const log = createLog('info', stream);
  for (let n = 0; n < 3_000; n += 1) log.info('request', { n, text });
  await stream.fail();
  expect(stream.writableLength).toBe(0);
  log.info('again');
  expect(stream.lines().map(({ message }) => message)).toEqual([
    'request',
    'again',
    'Lines of the log are lost: they were not read in time.',
  ]);
});
