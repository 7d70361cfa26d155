import { expect, test } from 'vitest';
import { RequestLog } from '../../src/http/request-log.ts';
import { loggedRequest } from '../support/logged-requests.ts';

const AT = new Date('2026-06-15T12:00:30.000Z');
const MINUTE = new Date('2026-06-15T12:00:00.000Z');

function createLog(perSecond = 1) {
  const time = { ms: 0 };
  const requestLog = new RequestLog({ perSecond, clock: () => AT, monotonicMs: () => time.ms });
  const add = (orgId: string, times: number, isRefused = false): void => {
    for (let n = 0; n < times; n += 1)
      requestLog.add(orgId, isRefused, () => loggedRequest(orgId, { requestId: `request-${n}` }));
  };
  return { requestLog, add, time };
}

test('a burst of a minute is logged, what is beyond is counted, and a second later one more has room', () => {
  const { requestLog, add, time } = createLog();
  add('a', 100);
  const first = requestLog.take(1_000);
  expect(first?.requests).toHaveLength(60);
  expect(first?.unlogged).toEqual([{ orgId: 'a', minute: MINUTE, count: 40 }]);
  time.ms = 1_000;
  add('a', 2);
  const second = requestLog.take(1_000);
  expect(second?.requests).toHaveLength(1);
  expect(second?.unlogged).toEqual([{ orgId: 'a', minute: MINUTE, count: 1 }]);
  expect(requestLog.take(1_000)).toBeUndefined();
});

test('neither refusals nor other organizations take the room of what succeeds', () => {
  const { requestLog, add } = createLog();
  add('a', 100, true);
  add('b', 100);
  add('a', 1);
  const kept = requestLog.take(1_000)?.requests.map(({ orgId }) => orgId) ?? [];
  expect(kept.filter((orgId) => orgId === 'a')).toHaveLength(61);
  expect(kept.filter((orgId) => orgId === 'b')).toHaveLength(60);
});

test('2,000 wait at most, and what is given back beyond them is counted', () => {
  const { requestLog, add } = createLog(1_000);
  add('a', 2_500);
  const batch = requestLog.take(500);
  expect(batch?.unlogged).toEqual([{ orgId: 'a', minute: MINUTE, count: 500 }]);
  add('b', 400);
  requestLog.giveBack(batch ?? { requests: [], unlogged: [] });
  const again = requestLog.take(10_000);
  expect(again?.requests).toHaveLength(2_000);
  expect(again?.requests[0]?.requestId).toBe('request-0');
  expect(again?.unlogged).toEqual([{ orgId: 'a', minute: MINUTE, count: 900 }]);
});

test('with a rate of 0 nothing is kept', () => {
  const { requestLog, add } = createLog(0);
  add('a', 3);
  expect(requestLog.take(10)).toBeUndefined();
});

test('10,000 organizations are remembered, and counted in a minute', () => {
  const { requestLog, add } = createLog();
  add('first', 60);
  for (let n = 0; n < 10_000; n += 1) {
    add(`organization ${n}`, 1);
    requestLog.take(10);
  }
  add('first', 1);
  expect(requestLog.take(10)?.requests).toHaveLength(1);
  for (let n = 0; n < 12_001; n += 1) add(`organization ${n}`, 61);
  expect(requestLog.take(10)?.unlogged).toHaveLength(10_000);
});
