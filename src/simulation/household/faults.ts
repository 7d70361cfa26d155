/** Conditions that devices get by themselves, at instants known in advance. */
import { DAY_MS, HOUR_MS } from '../../domain/api/durations.ts';
import { DEVICE_TYPES } from '../../domain/fleets/devices.ts';
import type { DeviceType } from '../../domain/fleets/devices.ts';
import { CONDITION_CODES } from '../../domain/notifications/conditions.ts';
import type { ConditionCode } from '../../domain/notifications/conditions.ts';
import { NOISE_CHANNEL, drawUniform, splitSeed } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';

/** Every condition may arise as a fault. */
export const FAULT_CODES: readonly ConditionCode[] = CONDITION_CODES;
export type FaultCode = ConditionCode;

export interface FaultRate {
  readonly device_types: readonly DeviceType[];
  /** Expected number per device and year. */
  readonly events_per_device_year: number;
  /** Null where only the user's action ends it. */
  readonly mean_duration_minutes: number | null;
}

/** Rates of all codes. They are assumptions, chosen so that a fleet of 100 shows some faults each week. */
export const FAULT_RATES: Readonly<Record<FaultCode, FaultRate>> = {
  device_offline: {
    device_types: DEVICE_TYPES,
    events_per_device_year: 4,
    mean_duration_minutes: 90,
  },
  reauthenticate: {
    device_types: ['electric_vehicle', 'inverter'],
    events_per_device_year: 0.5,
    mean_duration_minutes: null,
  },
  steering_recovery_failed: {
    device_types: ['heat_pump', 'wallbox'],
    events_per_device_year: 1,
    mean_duration_minutes: 360,
  },
  subscription_required: {
    device_types: ['electric_vehicle', 'wallbox'],
    events_per_device_year: 0.25,
    mean_duration_minutes: 4320,
  },
};

/** The rates with their codes, in the order in which the fleet configuration publishes them. */
export function listFaultRates(): (FaultRate & { readonly code: FaultCode })[] {
  return FAULT_CODES.map((code) => ({ code, ...FAULT_RATES[code] }));
}

export interface Fault {
  readonly code: FaultCode;
  readonly startsAt: Date;
  /** Null where only the user's action ends it. */
  readonly endsAt: Date | null;
}

/** Faults are drawn week by week, at most one of a code in a week, which ends in it. */
const WEEK_MS = 7 * DAY_MS;
const WEEKS_PER_YEAR = 365.25 / 7;
/** No fault lasts longer than five days, so that it fits in its week. */
const MAX_FAULT_MS = 5 * DAY_MS;
const MIN_FAULT_MS = 60_000;
/** Ten years without a fault at these rates: never. */
const MAX_SEARCH_WEEKS = 522;

/** The first hour of a household, in which no fault starts. */
export const FAULT_GRACE_MS = HOUR_MS;

/**
 * The random stream of a device type and a code: the 32-bit FNV-1a hash (Fowler, Noll and Vo) of both names. It depends
 * on the names alone, so that a new type or code leaves the faults of all others as they are.
 */
function streamOf(type: DeviceType, code: FaultCode): number {
  let state = 0x811c9dc5;
  const names = `${type}:${code}`;
  for (let i = 0; i < names.length; i++) state = Math.imul(state ^ names.charCodeAt(i), 0x01000193);
  return state >>> 0;
}

interface FaultSource {
  readonly seed: Seed;
  readonly householdIndex: number;
  readonly code: FaultCode;
  readonly rate: FaultRate;
  readonly stream: number;
}

function drawFaultOfWeek(
  { seed, householdIndex, code, rate, stream }: FaultSource,
  week: number,
): Fault | null {
  const happens = drawUniform(seed, householdIndex, NOISE_CHANNEL.faultHappens, week, stream);
  if (happens >= rate.events_per_device_year / WEEKS_PER_YEAR) return null;
  const meanMs = (rate.mean_duration_minutes ?? 0) * 60_000;
  const drawnMs =
    -meanMs * Math.log(1 - drawUniform(seed, householdIndex, NOISE_CHANNEL.faultLength, week, stream));
  const lengthMs = Math.round(Math.min(MAX_FAULT_MS, Math.max(MIN_FAULT_MS, drawnMs)));
  const latestStartMs = WEEK_MS - lengthMs;
  const start =
    week * WEEK_MS +
    Math.floor(drawUniform(seed, householdIndex, NOISE_CHANNEL.faultStart, week, stream) * latestStartMs);
  const endsAt = rate.mean_duration_minutes === null ? null : new Date(start + lengthMs);
  return { code, startsAt: new Date(start), endsAt };
}

/**
 * The first fault of a device that starts at or after `after` (its creation plus FAULT_GRACE_MS, or the start of the
 * fault before plus a millisecond); null when the device cannot have it or none starts within ten years.
 */
export function nextFault(
  seed: number,
  householdIndex: number,
  type: DeviceType,
  code: FaultCode,
  after: Date,
): Fault | null {
  const rate = FAULT_RATES[code];
  if (!rate.device_types.includes(type)) return null;
  const source = { seed: splitSeed(seed), householdIndex, code, rate, stream: streamOf(type, code) };
  const first = Math.floor(after.getTime() / WEEK_MS);
  for (let week = first; week < first + MAX_SEARCH_WEEKS; week++) {
    const fault = drawFaultOfWeek(source, week);
    if (fault && fault.startsAt >= after) return fault;
  }
  return null;
}

/** The earliest fault of any code that the device can have, at or after `after`; null when there is none. */
export function nextFaultOfAnyCode(
  seed: number,
  householdIndex: number,
  type: DeviceType,
  after: Date,
): Fault | null {
  const faults = FAULT_CODES.map((code) => nextFault(seed, householdIndex, type, code, after));
  return faults.reduce(
    (first, fault) => (!first || (fault && fault.startsAt < first.startsAt) ? fault : first),
    null,
  );
}
