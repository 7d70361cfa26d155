import { describe, expect, test } from 'vitest';
import type { ConditionCode } from '../../../src/domain/notifications/conditions.ts';
import {
  findLastReadAt,
  listUnreadQuarters,
  listUnsteeredQuarters,
  NO_END,
} from '../../../src/domain/notifications/interruptions.ts';
import type { Interruption } from '../../../src/domain/notifications/interruptions.ts';

const DAY = '2026-11-21T';
const at = (time: string): Date => new Date(`${DAY}${time}Z`);
/** The quarter hour since 1970 in which a time lies. */
const quarterOf = (time: string): number => Math.floor(at(time).getTime() / 900_000);

function interruption(code: ConditionCode, from: string, to?: string): Interruption {
  return {
    code,
    readUntilMs: at(from).getTime(),
    endedAtMs: to === undefined ? null : at(to).getTime(),
    unsteeredFrom: quarterOf(from) + 1,
    unsteeredTo: to === undefined ? null : quarterOf(to) + 1,
  };
}

describe('the last reading', () => {
  const outage = interruption('device_offline', '10:07', '10:50');

  test.each([
    ['before an outage', [outage], '10:06', undefined],
    ['as it begins', [outage], '10:07', '10:07'],
    ['during it', [outage], '10:49', '10:07'],
    ['as it ends', [outage], '10:50', undefined],
    ['in one without an end', [interruption('device_offline', '10:07')], '23:00', '10:07'],
    [
      'of a device that is read, but not steered',
      [interruption('steering_recovery_failed', '10:07')],
      '11:00',
      undefined,
    ],
    [
      'of a device without a subscription',
      [interruption('subscription_required', '10:07')],
      '11:00',
      undefined,
    ],
    [
      'in what follows on another one without a gap',
      [interruption('reauthenticate', '09:20', '10:30'), outage],
      '10:40',
      '09:20',
    ],
    [
      'behind a gap between two',
      [interruption('reauthenticate', '09:20', '10:00'), outage],
      '10:40',
      '10:07',
    ],
    [
      'in one that lies within another one',
      [interruption('device_offline', '09:00', '09:10'), interruption('reauthenticate', '08:00')],
      '09:30',
      '08:00',
    ],
  ] as const)('%s', (_what, interruptions, now, expected) => {
    expect(findLastReadAt(interruptions, at(now))).toEqual(expected === undefined ? undefined : at(expected));
  });
});

describe('quarter hours without values', () => {
  const span = (from: string, to: string | undefined) => ({
    first: quarterOf(from),
    end: to === undefined ? NO_END : quarterOf(to),
  });

  test('of an outage are those from its first one on, until it is over', () => {
    const outage = [interruption('device_offline', '10:07', '10:50')];
    expect(listUnreadQuarters(outage, at('10:06'))).toEqual([]);
    expect(listUnreadQuarters(outage, at('10:49'))).toEqual([span('10:00', undefined)]);
    expect(listUnreadQuarters(outage, at('10:50'))).toEqual([]);
  });

  test('of a lost session are all that it touched, for ever', () => {
    const lost = [interruption('reauthenticate', '10:07', '10:50')];
    expect(listUnreadQuarters(lost, at('10:20'))).toEqual([span('10:00', undefined)]);
    expect(listUnreadQuarters(lost, at('10:50'))).toEqual([span('10:00', '11:00')]);
    const onTheGrid = [interruption('reauthenticate', '10:00', '10:45')];
    expect(listUnreadQuarters(onTheGrid, at('23:00'))).toEqual([span('10:00', '10:45')]);
  });

  test('of an outage that a lost session outlasts come with the consent, but for those of the session', () => {
    const both = [
      interruption('device_offline', '09:00', '09:30'),
      interruption('reauthenticate', '09:20', '12:00'),
    ];
    expect(listUnreadQuarters(both, at('10:00'))).toEqual([span('09:00', undefined)]);
    expect(listUnreadQuarters(both, at('12:00'))).toEqual([span('09:15', '12:00')]);
  });
});

test('quarter hours without steering are joined, and what began and ended within one has none', () => {
  expect(
    listUnsteeredQuarters([
      interruption('steering_recovery_failed', '10:07', '11:07'),
      interruption('subscription_required', '08:01', '08:14'),
      interruption('device_offline', '11:00', '11:20'),
      interruption('reauthenticate', '13:00'),
    ]),
  ).toEqual([
    { first: quarterOf('10:15'), end: quarterOf('11:30') },
    { first: quarterOf('13:15'), end: NO_END },
  ]);
});
