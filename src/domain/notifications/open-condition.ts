import type { ConditionCode } from './conditions.ts';
import type { DeviceType } from './envelope.ts';

/** A condition that a device is in. */
export interface OpenCondition {
  readonly deviceId: string;
  readonly deviceType: DeviceType;
  readonly deviceName: string;
  readonly userId: string;
  readonly code: ConditionCode;
  readonly since: Date;
}

/** Some of the conditions that an organization's devices are in, and how many there are of each. */
export interface OpenConditions {
  /** The latest first. */
  readonly items: readonly OpenCondition[];
  readonly counts: Readonly<Partial<Record<ConditionCode, number>>>;
}

/** How many devices of an organization are in a condition whose notice nobody has put away, and since when the first of them is. */
export interface ConditionCount {
  readonly orgId: string;
  readonly code: ConditionCode;
  readonly count: number;
  readonly since: Date;
}
