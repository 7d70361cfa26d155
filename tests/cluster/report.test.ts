// The control of `make cluster-test`: its report finds what is lost, repeated or late, and it says what the machine lacks.
import { expect, test } from 'vitest';
import { listMissingForRestarts, listMissingPackages } from './packages.ts';
import { isGood, medianOf, summarize } from './report.ts';
import type { Observed } from './report.ts';

const write = (kind: 'user' | 'event', key: string, answeredAt: number, status = 201) =>
  ({
    kind,
    key,
    sentAt: answeredAt - 50,
    answeredAt,
    status,
    code: status === 503 ? 'database_unavailable' : undefined,
  }) as const;
const arrival = (messageId: string, key: string, at: number) => ({ messageId, key, at });

const observed: Observed = {
  fault: 'a fault',
  from: 1_000,
  until: 9_000,
  writes: [
    write('user', 'early', 900),
    write('user', 'a', 1_100),
    write('user', 'b', 3_000, 503),
    write('event', 'device offline', 5_100, 200),
    write('user', 'c', 6_000, 0),
    write('user', 'd', 8_900),
  ],
  arrivals: [arrival('1', 'device offline', 5_200)],
  missing: [],
};

test('counts what was acknowledged from the fault on, the longest time without, and why others were not', () => {
  const report = summarize(observed);
  expect(report).toEqual({
    fault: 'a fault',
    acknowledged: 3,
    lost: 0,
    writesPerSecond: 3 / 8,
    messagesPerSecond: 1 / 8,
    slowestMs: 50,
    withoutWritesMs: 4_000,
    messagesLost: 0,
    duplicates: 0,
    refusals: new Map([
      ['database_unavailable', 1],
      ['no answer', 1],
    ]),
  });
  expect(isGood(report)).toBe(true);
});

test.each<[string, Partial<Observed>, object]>([
  ['a user that the database does not have', { missing: ['a'] }, { lost: 1 }],
  ['a message that did not arrive', { arrivals: [] }, { messagesLost: 1 }],
  [
    'a message of another device in its place',
    { arrivals: [arrival('1', 'other offline', 5_200)] },
    { messagesLost: 1 },
  ],
  ['no acknowledgement at all', { writes: [] }, { acknowledged: 0, withoutWritesMs: 8_000 }],
])('%s is beyond the hard line', (_, change, counts) => {
  const report = summarize({ ...observed, ...change });
  expect(report).toMatchObject(counts);
  expect(isGood(report)).toBe(false);
});

test('a message that arrives again counts as a duplicate of the fault in which it does', () => {
  const arrivals = [
    arrival('0', 'x', 100),
    arrival('0', 'x', 500),
    arrival('1', 'device offline', 5_200),
    arrival('1', 'device offline', 6_000),
    arrival('0', 'x', 7_000),
    arrival('1', 'device offline', 9_500),
  ];
  const report = summarize({ ...observed, arrivals });
  expect([report.duplicates, isGood(report)]).toEqual([2, true]);
});

test('the median is the one in the middle, or between two', () => {
  expect([medianOf([9, 1, 2]), medianOf([9, 1, 2, 4])]).toEqual([2, 3]);
});

test('the packages that a machine lacks are named', () => {
  const all = listMissingPackages(() => false, []);
  expect(all).toEqual([
    'postgresql',
    'patroni',
    'python3-etcd3',
    'etcd-server',
    'haproxy',
    'iproute2',
    'util-linux',
  ]);
  expect(listMissingPackages(() => true, ['15'])).toEqual([]);
  expect(listMissingPackages((path) => !path.includes('haproxy'), ['15'])).toEqual(['haproxy']);
  expect(listMissingForRestarts(() => false)).toEqual(['haproxy', 'util-linux']);
});
