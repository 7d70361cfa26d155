// The short form of `make faults`. Other test files share the machine, so that only `make faults` holds to the second.
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  killBeforeFinish,
  killBeforeSend,
  killPostgresAndWorker,
  killDuringFinish,
  killHalfOf,
  killPostgres,
  type Fault,
} from './kills.ts';
import { sendToBadEndpoints } from './endpoints.ts';
import { sendToBadNames } from './names.ts';
import { isGood, compareDeliveries } from './report.ts';
import { FaultEnvironment } from './environment.ts';

/**
 * Half a lease: others must have seen that a worker is gone, not waited until its leases end by themselves. How long a busy
 * machine takes to start PostgreSQL and a worker again says nothing of the service: that limit is one of `make faults`.
 */
const LIMITS = { workerMs: 10_000, postgresMs: Infinity };

/**
 * Every attempt has five seconds, in which a busy machine manages some fifty TLS handshakes on both sides: four messages to
 * each of thirteen endpoints. `make faults` sends fifty to each, more than there are slots.
 */
const MESSAGES_EACH = 4;

let environment: FaultEnvironment;
beforeAll(async () => {
  environment = await FaultEnvironment.open();
});
afterAll(() => environment.close());

test.each<[string, Fault, number]>([
  ['a worker before the send', killBeforeSend, 40],
  ['a worker after the send before the finish', killBeforeFinish, 40],
  ['a worker during the finish', killDuringFinish, 40],
  ['PostgreSQL', killPostgres, 40],
  ['PostgreSQL and the only worker', killPostgresAndWorker, 40],
  ['one of two workers under load', killHalfOf(2), 120],
])('kill -9 of %s loses nothing and repeats at most what was in flight', async (_name, fault, messages) => {
  const report = await fault(environment, { messages, ...LIMITS });
  expect(isGood(report) ? [] : report).toEqual([]);
});

test('endpoints that misbehave in every way hold up no other, and each attempt is explained', async () => {
  expect((await sendToBadEndpoints(environment, MESSAGES_EACH)).filter((report) => !isGood(report))).toEqual(
    [],
  );
});

test('names whose answers are bad are not called, and hold up no other', async () => {
  expect((await sendToBadNames(environment, 10)).filter((report) => !isGood(report))).toEqual([]);
});

// The control: the comparison finds what is lost, repeated, strange or late.
test('the comparison of what was written with what arrived finds every difference', () => {
  const delivered = { url: '', state: 'delivered', attempts: 1, errors: [], workerId: null, isLeased: false };
  const deliveries = ['a', 'b'].map((messageId) => ({ ...delivered, messageId }));
  const verdict = (ids: readonly string[], resumedMs = 1): boolean => {
    const list = ids.map((messageId) => ({ messageId, at: 1 }));
    return isGood(compareDeliveries('', deliveries, list, { bound: 1, resumedMs, limitMs: 1_000 }));
  };
  const cases = [['a', 'b'], ['a', 'b', 'b'], ['a'], ['a', 'b', 'b', 'b'], ['a', 'b', 'c']];
  expect(cases.map((ids) => verdict(ids))).toEqual([true, true, false, false, false]);
  expect(verdict(['a', 'b'], 1_001)).toBe(false);
});
