/** Conditions that devices get by themselves, at instants known in advance (decisions.md section 7). */
import { DEVICE_TYPES } from './identity.ts';
import type { DeviceType } from './identity.ts';
import { NOISE_CHANNEL, splitSeed, drawUniform } from '../kernel/noise.ts';

export const FAULT_CODES = [
  'device_offline',
  'reauthenticate',
  'steering_recovery_failed',
  'subscription_required',
] as const;
export type FaultCode = (typeof FAULT_CODES)[number];

export interface FaultRate {
  readonly code: FaultCode;
  readonly device_types: readonly DeviceType[];
  /** Expected number per device and year. */
  readonly events_per_device_year: number;
  /** Null where only the user's action ends it. */
  readonly mean_duration_minutes: number | null;
}

/** Published in the fleet configuration; rates are assumptions, chosen so that a fleet of 100 shows some each week. */
export const FAULT_RATES: readonly FaultRate[] = [
  {
    code: 'device_offline',
    device_types: DEVICE_TYPES,
    events_per_device_year: 4,
    mean_duration_minutes: 90,
  },
  {
    code: 'reauthenticate',
    device_types: ['electric_vehicle', 'inverter'],
    events_per_device_year: 0.5,
    mean_duration_minutes: null,
  },
  {
    code: 'steering_recovery_failed',
    device_types: ['heat_pump', 'wallbox'],
    events_per_device_year: 1,
    mean_duration_minutes: 360,
  },
  {
    code: 'subscription_required',
    device_types: ['electric_vehicle', 'wallbox'],
    events_per_device_year: 0.25,
    mean_duration_minutes: 4320,
  },
];

export interface Fault {
  readonly code: FaultCode;
  readonly startsAt: Date;
  /** Null where only the user's action ends it. */
  readonly endsAt: Date | null;
}

/** Faults are drawn week by week, at most one of a code in a week, which ends in it. */
const WEEK_MS = 7 * 86_400_000;
const WEEKS_PER_YEAR = 365.25 / 7;
/** No condition outlasts five days, so that it fits in its week. */
const MAX_FAULT_MS = 5 * 86_400_000;
const MIN_FAULT_MS = 60_000;
/** Ten years without a hit at these rates: never. */
const MAX_SEARCH_WEEKS = 522;

/** First hour of a household, in which nothing happens. */
export const FAULT_GRACE_MS = 3_600_000;

function drawFaultOfWeek(
  seed: number,
  household: number,
  type: DeviceType,
  rate: FaultRate,
  week: number,
): Fault | null {
  const split = splitSeed(seed);
  const stream = DEVICE_TYPES.indexOf(type) * 16 + FAULT_CODES.indexOf(rate.code);
  const happens = drawUniform(split, household, NOISE_CHANNEL.faultHappens, week, stream);
  if (happens >= rate.events_per_device_year / WEEKS_PER_YEAR) return null;
  const meanMs = (rate.mean_duration_minutes ?? 0) * 60_000;
  const drawn =
    -meanMs * Math.log(1 - drawUniform(split, household, NOISE_CHANNEL.faultLength, week, stream));
  const length = Math.round(Math.min(MAX_FAULT_MS, Math.max(MIN_FAULT_MS, drawn)));
  const room = WEEK_MS - length;
  const start =
    week * WEEK_MS + Math.floor(drawUniform(split, household, NOISE_CHANNEL.faultStart, week, stream) * room);
  const endsAt = rate.mean_duration_minutes === null ? null : new Date(start + length);
  return { code: rate.code, startsAt: new Date(start), endsAt };
}

/**
 * The first fault of a device that starts at or after `after` (its creation plus FAULT_GRACE_MS, or the start of the
 * fault before plus a millisecond); null when the device cannot have it or none comes in ten years.
 */
export function nextFault(
  seed: number,
  household: number,
  type: DeviceType,
  code: FaultCode,
  after: Date,
): Fault | null {
  const rate = FAULT_RATES.find(
    (candidate) => candidate.code === code && candidate.device_types.includes(type),
  );
  if (!rate) return null;
  const first = Math.floor(after.getTime() / WEEK_MS);
  for (let week = first; week < first + MAX_SEARCH_WEEKS; week++) {
    const fault = drawFaultOfWeek(seed, household, type, rate, week);
    if (fault && fault.startsAt >= after) return fault;
  }
  return null;
}

/** The earliest fault of any code that the device can have. */
export function nextFaultOfAnyCode(
  seed: number,
  household: number,
  type: DeviceType,
  after: Date,
): Fault | null {
  const faults = FAULT_CODES.map((code) => nextFault(seed, household, type, code, after));
  return faults.reduce(
    (first, fault) => (!first || (fault && fault.startsAt < first.startsAt) ? fault : first),
    null,
  );
}
