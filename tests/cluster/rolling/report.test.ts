// The control of `make cluster-test ARGS=rolling`: its report finds what fails, is lost or repeated.
import { expect, test } from 'vitest';
import { isGoodRolling, summarizeRolling } from './report.ts';
import type { Observed } from './report.ts';

const arrival = (messageId: string, key: string) => ({ messageId, key, at: 0 });

const observed: Observed = {
  restarts: 4,
  answered: 9,
  slowestMs: 70,
  longestStopMs: 3_100,
  failures: [],
  events: ['a', 'b'],
  arrivals: [arrival('1', 'a'), arrival('2', 'b'), arrival('2', 'b')],
  missing: [],
};

test('counts what was asked, answered and delivered', () => {
  const report = summarizeRolling(observed);
  expect(report).toEqual({
    restarts: 4,
    slowestMs: 70,
    longestStopMs: 3_100,
    requests: 9,
    failed: 0,
    usersLost: 0,
    messages: 2,
    messagesLost: 0,
    duplicates: 1,
  });
  expect(isGoodRolling(report)).toBe(true);
});

test.each<[string, Partial<Observed>, object]>([
  [
    'a request that failed',
    { failures: [{ what: 'GET /users', outcome: '502', atMs: 0 }] },
    { requests: 10, failed: 1 },
  ],
  ['a user that is not there', { missing: ['a@example.com'] }, { usersLost: 1 }],
  ['a message that never came', { arrivals: [arrival('1', 'a')] }, { messagesLost: 1 }],
  ['a run without messages', { events: [] }, { messages: 0 }],
])('%s is beyond the hard line', (_, change, counts) => {
  const report = summarizeRolling({ ...observed, ...change });
  expect(report).toMatchObject(counts);
  expect(isGoodRolling(report)).toBe(false);
});
