import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Problem } from '../../src/domain/api/problem.ts';
import { shareConnections } from '../../src/compose/database.ts';
import { FairShare } from '../../src/shares/fair-share.ts';
import { ManualTimers } from './manual-timers.ts';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Call {
  readonly partner: string;
  state: 'waiting' | 'held' | 'refused' | 'aborted';
  release: () => void;
  readonly abort: () => void;
}

function call(share: Pick<FairShare, 'acquire'>, partner: string): Call {
  const controller = new AbortController();
  const made: Call = {
    partner,
    state: 'waiting',
    release: () => undefined,
    abort: () => controller.abort(new Error('gone')),
  };
  share.acquire(partner, controller.signal).then(
    (release) => Object.assign(made, { state: 'held', release }),
    (error: unknown) => (made.state = error instanceof Problem ? 'refused' : 'aborted'),
  );
  return made;
}

const states = (calls: readonly Call[]): string[] => calls.map(({ state }) => state);
const count = (calls: readonly Call[], state: Call['state']): number =>
  calls.filter((each) => each.state === state).length;

test('a partner borrows what is idle, but never the last unit, and the others get their right first', async () => {
  const share = new FairShare({ capacity: 4, maxWaiting: 8 });
  const first = Array.from({ length: 5 }, () => call(share, 'a'));
  await settle();
  expect(states(first)).toEqual(['held', 'held', 'held', 'waiting', 'waiting']);
  const other = [call(share, 'b'), call(share, 'b')];
  await settle();
  expect(states(other)).toEqual(['held', 'waiting']);
  first[0]?.release();
  await settle();
  expect(states(other)).toEqual(['held', 'held']);
  expect(count(first, 'waiting')).toBe(2);
});

test('who does not wait has a unit at once or none, and takes no place in the queue', async () => {
  const share = new FairShare({ capacity: 2, maxWaiting: 8 });
  const release = share.tryAcquire('a');
  expect(release).toBeDefined();
  expect(share.tryAcquire('a')).toBeUndefined();
  expect(share.usage).toEqual({ capacity: 2, held: 1, waiting: 0 });
  const waiting = call(share, 'a');
  release?.();
  await settle();
  expect(waiting.state).toBe('held');
  share.tryAcquire('b')?.();
  waiting.release();
  expect(share.usage).toEqual({ capacity: 2, held: 0, waiting: 0 });
});

test('who may wait for longer has its turn when others have been refused, or is refused then', async () => {
  const timers = new ManualTimers();
  const share = new FairShare({ capacity: 1, maxWaiting: 3, startTimer: timers.start });
  const release = await share.acquire('a');
  const patient = share.acquire('a', undefined, 30_000);
  const late = share.acquire('a', undefined, 30_000);
  const other = call(share, 'a');
  timers.advance(29_999);
  await settle();
  expect(states([other])).toEqual(['refused']);
  release();
  await patient;
  timers.advance(1);
  await expect(late).rejects.toMatchObject({ code: 'overloaded' });
});

test('a partner is refused at once when its queue is full, and after two seconds when its turn does not come', async () => {
  const timers = new ManualTimers();
  const share = new FairShare({ capacity: 1, maxWaiting: 2, startTimer: timers.start });
  const calls = Array.from({ length: 4 }, () => call(share, 'a'));
  const other = call(share, 'b');
  await settle();
  expect(states([...calls, other])).toEqual(['held', 'waiting', 'waiting', 'refused', 'waiting']);
  timers.advance(1_999);
  await settle();
  expect(count(calls, 'waiting')).toBe(2);
  timers.advance(1);
  await settle();
  expect(states([...calls, other])).toEqual(['held', 'refused', 'refused', 'refused', 'refused']);
  await expect(new FairShare({ capacity: 0, maxWaiting: 0 }).acquire('a')).rejects.toMatchObject({
    code: 'overloaded',
    // Addresses share too, of which no partner is known.
    message: expect.stringMatching(/^The caller's share /),
    headers: { 'Retry-After': '2' },
  });
});

test('who is refused for the number of those before it hears of it later, and keeps no place meanwhile', async () => {
  const timers = new ManualTimers();
  const share = new FairShare({
    capacity: 1,
    maxWaiting: 1,
    refuseAfterMs: 1_000,
    startTimer: timers.start,
  });
  const calls = Array.from({ length: 4 }, () => call(share, 'a'));
  calls[3]?.abort();
  await settle();
  timers.advance(999);
  await settle();
  expect(states(calls)).toEqual(['held', 'waiting', 'waiting', 'aborted']);
  calls[0]?.release();
  await settle();
  expect(share.usage).toEqual({ capacity: 1, held: 1, waiting: 0 });
  timers.advance(1);
  await settle();
  expect(states(calls)).toEqual(['held', 'held', 'refused', 'aborted']);
});

test('of refusals 1,000 are held back, and the next one is told at once', async () => {
  const timers = new ManualTimers();
  const share = new FairShare({ capacity: 0, maxWaiting: 0, refuseAfterMs: 1, startTimer: timers.start });
  const calls = Array.from({ length: 1_001 }, (_, index) => call(share, `partner-${index}`));
  await settle();
  expect([count(calls, 'waiting'), count(calls, 'refused')]).toEqual([1_000, 1]);
  timers.advance(1);
  await settle();
  expect(count(calls, 'refused')).toBe(1_001);
});

test('a partner has no more than its own limit, whatever is idle', async () => {
  const share = new FairShare({ capacity: 16, asOfRight: 1, atMost: 2, maxWaiting: 8 });
  const calls = Array.from({ length: 4 }, () => call(share, 'a'));
  await settle();
  expect(states(calls)).toEqual(['held', 'held', 'waiting', 'waiting']);
  expect(share.usage).toEqual({ capacity: 16, held: 2, waiting: 2 });
});

test.each([
  [2, 1],
  [4, 2],
  [10, 5],
  [200, 100],
])('of %i connections a partner that is alone at work has %i', async (capacity, most) => {
  const acquireShare = shareConnections(capacity, { hasOthers: () => false });
  const calls = Array.from({ length: 200 }, () =>
    call({ acquire: (partner, signal) => acquireShare(partner, signal, undefined) }, 'a'),
  );
  await settle();
  expect(count(calls, 'held')).toBe(most);
});

test('of ten connections each partner has two at most beside others, so that four with long statements leave two to a fifth', async () => {
  const acquireShare = shareConnections(10, { hasOthers: () => true });
  const share = {
    acquire: (partner: string, signal?: AbortSignal) => acquireShare(partner, signal, undefined),
  };
  const all = (partner: string): Call[] => Array.from({ length: 30 }, () => call(share, partner));
  const waiting = [all('a')];
  await settle();
  expect(waiting.map((calls) => count(calls, 'held'))).toEqual([2]);
  waiting.push(all('b'), all('c'), all('d'));
  await settle();
  expect(waiting.map((calls) => count(calls, 'held'))).toEqual([2, 2, 2, 2]);
  const fifth = [call(share, 'e'), call(share, 'e')];
  await settle();
  expect(states(fifth)).toEqual(['held', 'held']);
});

test.each([
  [2, 1],
  [4, 2],
  [7, 2],
  [10, 3],
  [200, 66],
])(
  'of %i connections all who are not known have %i, and an address leaves one of several to others',
  async (capacity, most) => {
    const acquireShare = shareConnections(capacity, { hasOthers: () => false });
    const from = (address: string) => ({
      acquire: (_: string, signal?: AbortSignal) => acquireShare('anonymous', signal, address),
    });
    const flood = Array.from({ length: 100 }, () => call(from('10.0.0.1'), 'x'));
    await settle();
    expect(count(flood, 'held')).toBe(Math.max(1, most - 1));
    const others = Array.from({ length: 3 }, () => call(from('10.0.0.2'), 'x'));
    await settle();
    expect(count([...flood, ...others], 'held')).toBe(most);
  },
);

test('partners that wait take turns, each in the order in which it asked', async () => {
  const share = new FairShare({ capacity: 1, maxWaiting: 10 });
  const holder = call(share, 'x');
  await settle();
  const order: string[] = [];
  const waiting = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(async (name) => {
    const release = await share.acquire(name.slice(0, 1));
    order.push(name);
    release();
  });
  holder.release();
  await Promise.all(waiting);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('an abort frees the place in the queue, and run gives its unit back when the work fails', async () => {
  const share = new FairShare({ capacity: 1, maxWaiting: 1 });
  const calls = [call(share, 'a'), call(share, 'a')];
  await settle();
  calls[1]?.abort();
  await settle();
  expect(states(calls)).toEqual(['held', 'aborted']);
  await expect(share.acquire('a', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  calls[0]?.release();
  await expect(share.run('b', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await share.run('b', async () => share.usage.held)).toBe(1);
  expect(share.usage).toEqual({ capacity: 1, held: 0, waiting: 0 });
});

const step = fc.oneof(
  fc.record({ kind: fc.constant('acquire' as const), partner: fc.constantFrom('a', 'b', 'c', 'd') }),
  fc.record({
    kind: fc.constantFrom('release' as const, 'twice' as const, 'abort' as const),
    at: fc.nat(60),
  }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(1_500) }),
);

test('whatever is asked: never more than there is, nobody borrows the last unit, and every call ends', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.nat(3),
      fc.array(step, { maxLength: 60 }),
      async (capacity, maxWaiting, steps) => {
        const timers = new ManualTimers();
        const share = new FairShare({ capacity, maxWaiting, startTimer: timers.start });
        const right = Math.max(1, Math.floor(capacity / 2));
        const calls: Call[] = [];
        for (const each of steps) {
          if (each.kind === 'acquire') {
            const before = calls.filter(({ partner, state }) => partner === each.partner && state === 'held');
            const made = call(share, each.partner);
            calls.push(made);
            await settle();
            if (made.state === 'held' && before.length >= right)
              expect(count(calls, 'held')).toBeLessThan(capacity);
          } else if (each.kind === 'wait') timers.advance(each.ms);
          else {
            const chosen = calls[each.at];
            if (each.kind === 'abort') chosen?.abort();
            else if (chosen?.state === 'held') {
              chosen.release();
              if (each.kind === 'twice') chosen.release();
              calls.splice(each.at, 1);
            }
          }
          await settle();
          expect(count(calls, 'held')).toBe(share.usage.held);
          expect(share.usage.held).toBeLessThanOrEqual(capacity);
          for (const { partner } of calls.filter(({ state }) => state === 'waiting')) {
            const own = calls.filter((other) => other.partner === partner);
            expect(count(own, 'waiting')).toBeLessThanOrEqual(maxWaiting);
            // Nobody waits for what it has a right to while that is idle.
            if (count(own, 'held') < right) expect(share.usage.held).toBe(capacity);
          }
        }
        timers.advance(2_000);
        await settle();
        expect(count(calls, 'waiting')).toBe(0);
        for (const { release } of calls) release();
        expect(share.usage).toEqual({ capacity, held: 0, waiting: 0 });
      },
    ),
  );
});
