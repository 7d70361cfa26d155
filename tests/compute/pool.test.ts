import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { ComputePool } from '../../src/compute/pool.ts';
import type { ComputePoolOptions } from '../../src/compute/pool.ts';
import { ManualTimers } from '../shares/manual-timers.ts';

const FAULTY_WORKER = fileURLToPath(new URL('faulty-worker.ts', import.meta.url));

let pool: ComputePool;
afterEach(() => pool.stop());

function start(options: ComputePoolOptions = {}): (name: string, partnerId?: string) => Promise<unknown> {
  pool = new ComputePool({
    threads: 1,
    waitMs: 60_000,
    refuseAfterMs: 0,
    workerFile: FAULTY_WORKER,
    ...options,
  });
  return (name, partnerId = 'a') => pool.run(partnerId, name as 'answerDeviceData', {} as never);
}

const works = { hasParent: true };

test('a job that does not end is ended after its time, answered 503, and the next one is done', async () => {
  const timers = new ManualTimers();
  const run = start({ maxJobMs: 5_000, startTimer: timers.start });
  expect(await run('work')).toEqual(works);
  const endless = run('loop');
  await new Promise((resolve) => setImmediate(resolve));
  timers.advance(5_000);
  await expect(endless).rejects.toMatchObject({ code: 'overloaded', headers: { 'Retry-After': '5' } });
  expect(await run('work')).toEqual(works);
});

test.each(['allocate', 'exit', 'throw'])(
  "a job that comes to grief (%s) is an error that is not the caller's, and the next one is done",
  async (fault) => {
    const run = start({ maxHeapMb: 32 });
    const error: unknown = await run(fault).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toHaveProperty('code', 'overloaded');
    expect(await run('work')).toEqual(works);
  },
);

test('the pieces of a body are moved to a thread, and not copied', async () => {
  start();
  const pieces = [new Uint8Array(10), new Uint8Array(20)];
  await pool.run('a', 'readPriceUpload', { pieces, errors: [] });
  expect(pieces.map(({ length }) => length)).toEqual([0, 0]);
});

test('a thread has bounds for its objects, for young ones too', async () => {
  const run = start({ maxHeapMb: 32 });
  expect(await run('limits')).toMatchObject({
    maxOldGenerationSizeMb: 32,
    maxYoungGenerationSizeMb: 16,
  });
});

test('a thread keeps to its bound for young objects, whatever the process was given for its own', () => {
  const file = fileURLToPath(new URL('young-objects.ts', import.meta.url));
  const told = execFileSync(process.execPath, ['--max-semi-space-size=32', file], { encoding: 'utf8' });
  const { youngBytes } = JSON.parse(told) as { youngBytes: number };
  expect(youngBytes).toBeGreaterThan(1_000_000);
  expect(youngBytes).toBeLessThan(18_000_000);
});

test('a partner has one turn and eight that wait; the ninth is refused, another partner is not', async () => {
  start();
  const release = await pool.acquireTurn('a');
  const waiting = Array.from({ length: 8 }, () => pool.acquireTurn('a'));
  await expect(pool.acquireTurn('a')).rejects.toMatchObject({ code: 'overloaded' });
  expect(pool.usage.turns).toEqual({ capacity: 32, held: 1, waiting: 8 });
  (await pool.acquireTurn('b'))();
  release();
  for (const turn of waiting) (await turn)();
  expect(pool.usage.turns).toEqual({ capacity: 32, held: 0, waiting: 0 });
});

test('work in a turn waits for it before it asks for a thread', async () => {
  const run = start();
  const release = await pool.acquireTurn('a');
  const done = pool.inTurn('a', () => run('work'));
  expect(pool.usage).toMatchObject({ turns: { held: 1, waiting: 1 }, threads: { held: 0, waiting: 0 } });
  release();
  expect(await done).toEqual(works);
});

test('a job that must not wait has a thread that is idle, and none before threads have started', async () => {
  const run = start();
  const tryRun = (partnerId: string) => pool.tryRun(partnerId, 'work' as 'answerDeviceData', {} as never);
  expect(tryRun('a')).toBeUndefined();
  await run('work');
  const first = tryRun('a');
  expect(tryRun('a')).toBeUndefined();
  expect(tryRun('b')).toBeUndefined();
  expect(await first).toEqual(works);
  expect(await tryRun('b')).toEqual(works);
});

test('short jobs of a partner are done one after the other, those of another meanwhile', async () => {
  start();
  const course: string[] = [];
  const ends = new Map<string, () => void>();
  const job = (name: string, partnerId: string): Promise<void> =>
    pool.inOrder(partnerId, async () => {
      course.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const done = [job('first', 'a'), job('second', 'a'), job('other', 'b')];
  await new Promise((resolve) => setImmediate(resolve));
  expect(course).toEqual(['first', 'other']);
  ends.get('first')?.();
  await done[0];
  await new Promise((resolve) => setImmediate(resolve));
  expect(course).toEqual(['first', 'other', 'second']);
  for (const end of ends.values()) end();
  await Promise.all(done);
});

test('of all partners together 32 have a turn', async () => {
  start();
  const partners = Array.from({ length: 32 }, (_, index) => `partner ${index}`);
  const releases = await Promise.all(partners.map((partner) => pool.acquireTurn(partner)));
  const oneMore = pool.acquireTurn('one more');
  expect(pool.usage.turns).toEqual({ capacity: 32, held: 32, waiting: 1 });
  for (const release of releases) release();
  (await oneMore)();
});

/** Computations in slices that are under way, or wait, until they are ended. */
function goOnInSlices() {
  const timers = new ManualTimers();
  start({ startTimer: timers.start });
  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
  const begun: Promise<unknown>[] = [];
  /** Resolves to what it is refused with, where it is. */
  const beginOne = (partnerId: string): Promise<unknown> =>
    pool.inSlices(partnerId, () => ended).catch((reason: unknown) => reason);
  return {
    timers,
    beginOne,
    begin: (partnerId: string, count: number): void => {
      begun.push(...Array.from({ length: count }, () => beginOne(partnerId)));
    },
    end: async (): Promise<void> => {
      end(undefined);
      await Promise.all(begun);
      expect(pool.usage.sliced).toEqual({ capacity: 512, held: 0, waiting: 0 });
    },
  };
}

test('of one partner 128 computations in slices are under way, and one more is refused after 2 s', async () => {
  const { timers, begin, beginOne, end } = goOnInSlices();
  begin('a', 128);
  const refused = beginOne('a');
  expect(pool.usage.sliced).toEqual({ capacity: 512, held: 128, waiting: 1 });
  begin('b', 64);
  expect(pool.usage.sliced).toEqual({ capacity: 512, held: 192, waiting: 1 });
  timers.advance(1_999);
  expect(pool.usage.sliced.waiting).toBe(1);
  timers.advance(1);
  expect(await refused).toMatchObject({ code: 'overloaded', headers: { 'Retry-After': '2' } });
  await end();
});

test('1,000 computations in slices of a partner wait; one more is refused after a second', async () => {
  const { timers, begin, beginOne, end } = goOnInSlices();
  begin('a', 128 + 1_000);
  const refused = beginOne('a');
  expect(pool.usage.sliced).toMatchObject({ held: 128, waiting: 1_000 });
  timers.advance(1_000);
  expect(await refused).toMatchObject({ code: 'overloaded' });
  expect(pool.usage.sliced.waiting).toBe(1_000);
  await end();
});

test('of all partners 512 computations in slices are under way, the last of which nobody borrows', async () => {
  const { begin, end } = goOnInSlices();
  for (const partnerId of ['a', 'b', 'c', 'd']) begin(partnerId, 128);
  expect(pool.usage.sliced).toEqual({ capacity: 512, held: 511, waiting: 1 });
  begin('e', 2);
  expect(pool.usage.sliced).toEqual({ capacity: 512, held: 512, waiting: 2 });
  await end();
});

test('who leaves the line for computations in slices is not waited for', async () => {
  const { begin, end } = goOnInSlices();
  begin('a', 128);
  const gone = new AbortController();
  const waiting = pool.inSlices('a', () => Promise.resolve(), gone.signal);
  gone.abort(new Error('The reader has left.'));
  await expect(waiting).rejects.toThrow('The reader has left.');
  expect(pool.usage.sliced.waiting).toBe(0);
  await end();
});

test('the jobs of one partner do not keep another from the thread', async () => {
  const run = start();
  const order: string[] = [];
  const done = ['a', 'a', 'a', 'b'].map(async (partner) => {
    await run('work', partner);
    order.push(partner);
  });
  await Promise.all(done);
  expect(order.slice(0, 3).toSorted()).toEqual(['a', 'a', 'b']);
});

test('while the jobs of one partner do not end, those of another are done', async () => {
  const run = start({ threads: undefined, startTimer: new ManualTimers().start });
  expect(pool.usage.threads.capacity).toBeGreaterThanOrEqual(2);
  const endless = ['loop', 'loop', 'loop'].map((name) => run(name, 'a').catch(() => 'ended'));
  expect(await run('work', 'b')).toEqual(works);
  await pool.stop();
  expect(await endless[0]).toBe('ended');
});

test('after the stop nothing is started again', async () => {
  const run = start();
  await run('work');
  await pool.stop();
  await expect(run('work')).rejects.toThrow('The threads were stopped.');
});
