import { expect, test } from 'vitest';
import { createTurns } from '../../src/shares/stranger-turns.ts';
import { ManualTimers } from './manual-timers.ts';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('all addresses together have one unit, by turns, and a partner has the other one at once', async () => {
  const turns = createTurns({ capacity: 2, maxWaiting: 2, startTimer: new ManualTimers().start });
  const [begun, ends]: [string[], (() => void)[]] = [[], []];
  const start = (name: string, caller: Parameters<typeof turns.run>[0]): Promise<string> =>
    turns.run(caller, () => {
      begun.push(name);
      return new Promise((resolve) => ends.push(() => resolve(name)));
    });
  const strangers = ['a1', 'a2', 'a3', 'b1'].map((name) => start(name, { address: name[0] ?? '' }));
  await settle();
  expect(begun).toEqual(['a1']);
  const known = start('p1', { partnerId: 'p' });
  await settle();
  expect(begun).toEqual(['a1', 'p1']);
  ends[1]?.();
  for (const index of [0, 2, 3, 4]) {
    ends[index]?.();
    await settle();
  }
  expect(begun).toEqual(['a1', 'p1', 'a2', 'b1', 'a3']);
  expect([await known, ...(await Promise.all(strangers))]).toEqual(['p1', 'a1', 'a2', 'a3', 'b1']);
});

test('strangers wait for the turn of their address, and no more of one address than may', async () => {
  const timers = new ManualTimers();
  const turns = createTurns({ capacity: 2, maxWaiting: 2, waitMs: 2_000, startTimer: timers.start });
  const end = Promise.withResolvers<undefined>();
  const first = turns.run({ address: 'a' }, () => end.promise);
  const refused = { code: 'overloaded' };
  const waiting = [1, 2, 3].map(() => turns.run({ address: 'b' }, () => Promise.resolve()));
  await expect(waiting[2]).rejects.toMatchObject(refused);
  timers.advance(2_000);
  for (const each of waiting.slice(0, 2)) await expect(each).rejects.toMatchObject(refused);
  end.resolve(undefined);
  await first;
});
