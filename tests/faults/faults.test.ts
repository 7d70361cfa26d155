// The short form of `make faults`. Other test files share the machine, so that only `make faults` holds to the second.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { beforeFinish, beforeSend, both, duringFinish, half, postgres, type Fault } from './deaths.ts';
import { badEndpoints } from './endpoints.ts';
import { badNames } from './names.ts';
import { isGood, judge } from './report.ts';
import { World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

test.each<[string, Fault, number]>([
  ['a worker before the send', beforeSend, 40],
  ['a worker after the send before the finish', beforeFinish, 40],
  ['a worker during the finish', duringFinish, 40],
  ['PostgreSQL', postgres, 40],
  ['PostgreSQL and the only worker', both, 40],
  ['one of two workers under load', half(2), 120],
])('kill -9 of %s loses nothing and repeats at most what was in flight', async (_name, fault, messages) => {
  const report = await fault(world, { messages, workerMs: 5_000 });
  expect(isGood(report) ? [] : report).toEqual([]);
});

test('endpoints that misbehave in every way hold up no other, and each attempt is explained', async () => {
  expect((await badEndpoints(world, 20)).filter((report) => !isGood(report))).toEqual([]);
});

test('names whose answers are bad are not called, and hold up no other', async () => {
  expect((await badNames(world, 10)).filter((report) => !isGood(report))).toEqual([]);
});

// The control: the judge sees what is lost, repeated, strange or late.
test('the judge is strict', () => {
  const delivered = { url: '', state: 'delivered', attempts: 1, errors: [], workerId: null, isLeased: false };
  const deliveries = ['a', 'b'].map((messageId) => ({ ...delivered, messageId }));
  const verdict = (ids: readonly string[], resumedMs = 1): boolean => {
    const list = ids.map((messageId) => ({ messageId, at: 1 }));
    return isGood(judge('', deliveries, list, { bound: 1, resumedMs, limitMs: 1_000 }));
  };
  const cases = [['a', 'b'], ['a', 'b', 'b'], ['a'], ['a', 'b', 'b', 'b'], ['a', 'b', 'c']];
  expect(cases.map((ids) => verdict(ids))).toEqual([true, true, false, false, false]);
  expect(verdict(['a', 'b'], 1_001)).toBe(false);
});
