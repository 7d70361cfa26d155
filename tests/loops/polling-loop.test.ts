import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { PollingLoop } from '../../src/loops/polling-loop.ts';

let running: PollingLoop | undefined;
afterEach(() => running?.stop());

/** A loop whose rounds the test ends one by one. */
function heldLoop(nextRoundMs = 1e6) {
  const rounds: PromiseWithResolvers<undefined>[] = [];
  const errors: unknown[] = [];
  const began: (() => void)[] = [];
  const loop = new PollingLoop({
    work: () => {
      const round = Promise.withResolvers<undefined>();
      rounds.push(round);
      began.shift()?.();
      return round.promise;
    },
    nextRoundMs: () => nextRoundMs,
    retryMs: 1,
    onError: (error) => errors.push(error),
  });
  running = loop;
  const nextRound = (): Promise<void> => new Promise((resolve) => began.push(resolve));
  return { loop, rounds, errors, nextRound };
}

test('wake-ups before the start and after the stop do nothing', async () => {
  const { loop, rounds } = heldLoop();
  loop.wake();
  await setImmediate();
  await loop.stop();
  loop.start();
  loop.wake();
  await setImmediate();
  expect(rounds).toEqual([]);
});

test('rounds do not overlap, and wake-ups during a round lead to one more', async () => {
  const { loop, rounds, nextRound } = heldLoop();
  const first = nextRound();
  loop.start();
  await first;
  for (let times = 0; times < 5; times += 1) loop.wake();
  await setImmediate();
  expect(rounds.length).toBe(1);
  const second = nextRound();
  rounds[0]?.resolve(undefined);
  await second;
  rounds[1]?.resolve(undefined);
  await setImmediate();
  await setImmediate();
  expect(rounds.length).toBe(2);
});

test('without a wake-up the next round comes when it is due', async () => {
  const { loop, rounds, nextRound } = heldLoop(1);
  const first = nextRound();
  loop.start();
  await first;
  const second = nextRound();
  rounds[0]?.resolve(undefined);
  await second;
  rounds[1]?.resolve(undefined);
  expect(rounds.length).toBe(2);
});

test('an error is handed on, and the loop goes on', async () => {
  const { loop, rounds, errors, nextRound } = heldLoop();
  const first = nextRound();
  loop.start();
  await first;
  const second = nextRound();
  rounds[0]?.reject(new Error('once'));
  await second;
  rounds[1]?.resolve(undefined);
  expect(errors).toEqual([new Error('once')]);
});

test('a stop waits for the round under way', async () => {
  const { loop, rounds, nextRound } = heldLoop();
  const first = nextRound();
  loop.start();
  await first;
  const order: string[] = [];
  const stopped = loop.stop().then(() => order.push('stopped'));
  await setImmediate();
  order.push('round ends');
  rounds[0]?.resolve(undefined);
  await stopped;
  expect(order).toEqual(['round ends', 'stopped']);
});
