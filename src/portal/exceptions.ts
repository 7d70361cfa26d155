import type { OpenCondition } from '../domain/notifications/open-condition.ts';
import type { ConditionCode } from '../domain/notifications/conditions.ts';
import { iconOf } from './device-marks.ts';
import { formatAgo } from './times.ts';

/** What a condition means for a device. */
export const CONDITIONS: Readonly<
  Record<
    ConditionCode,
    { readonly word: string; readonly kind: 'error' | 'warning'; readonly consequence: string }
  >
> = {
  device_offline: {
    word: 'Offline',
    kind: 'error',
    consequence: 'Its values stand still until it is back; then they are read for the time between.',
  },
  reauthenticate: {
    word: 'Sign-in asked for',
    kind: 'warning',
    consequence: 'Neither read nor steered until its owner signs in again.',
  },
  steering_recovery_failed: {
    word: 'Steering failed',
    kind: 'warning',
    consequence: 'Does not follow its schedule.',
  },
  subscription_required: {
    word: 'Subscription missing',
    kind: 'warning',
    consequence: 'Read, but not steered.',
  },
};

/** The condition of a device as a status. */
export function markCondition(condition: Pick<OpenCondition, 'code'> | undefined) {
  if (condition === undefined) return { kind: 'ok', word: 'In order' } as const;
  const { kind, word } = CONDITIONS[condition.code];
  return { kind, word };
}

/** Devices in a condition as rows. */
export function tabulateConditions(
  conditions: readonly OpenCondition[],
  {
    now,
    owners,
    pathOf,
  }: {
    readonly now: Date;
    /** How their owners are called, by id. */
    readonly owners: ReadonlyMap<string, string>;
    readonly pathOf: (condition: OpenCondition) => string;
  },
) {
  const columns = [
    { label: 'Device' },
    { label: 'Condition', speaksForItself: true },
    { label: 'What follows', kind: 'wide', speaksForItself: true },
    { label: 'Since', kind: 'quiet' },
  ];
  const rows = conditions.map((condition) => {
    const { deviceName, deviceType, userId, code, since } = condition;
    return [
      {
        text: deviceName,
        href: pathOf(condition),
        icon: iconOf(deviceType),
        detail: tellOwner(owners.get(userId)),
      },
      { status: markCondition(condition) },
      { text: CONDITIONS[code].consequence },
      { text: formatAgo(since, now), at: since.toISOString() },
    ];
  });
  return { columns, rows };
}

/** Whose a device is, below its name. */
export const tellOwner = (name: string | undefined): string | undefined =>
  name === undefined ? undefined : `of ${name}`;
