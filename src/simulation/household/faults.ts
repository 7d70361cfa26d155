/** Conditions that devices get by themselves, at instants known in advance. */
import { DAY_MS, HOUR_MS } from '../../domain/api/durations.ts';
import { DEVICE_TYPES } from '../../domain/fleets/devices.ts';
import type { DeviceType } from '../../domain/fleets/devices.ts';
import { CONDITION_CODES } from '../../domain/notifications/conditions.ts';
import type { ConditionCode } from '../../domain/notifications/conditions.ts';
import { BoundedCache } from '../kernel/bounded-cache.ts';
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
 * The random stream of what faults are drawn for (a device type and a code, a cause and what it strikes): the 32-bit FNV-1a
 * hash (Fowler, Noll and Vo) of its names. It depends on the names alone, so that a new type, code or cause leaves the faults
 * of all others as they are.
 */
function streamOf(...names: readonly string[]): number {
  let state = 0x811c9dc5;
  const text = names.join(':');
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  return state >>> 0;
}

interface FaultSource {
  readonly seed: Seed;
  /** The household's index; 0 for what many households share. */
  readonly entity: number;
  readonly code: FaultCode;
  readonly rate: FaultRate;
  readonly stream: number;
}

function drawFaultOfWeek({ seed, entity, code, rate, stream }: FaultSource, week: number): Fault | null {
  const happens = drawUniform(seed, entity, NOISE_CHANNEL.faultHappens, week, stream);
  if (happens >= rate.events_per_device_year / WEEKS_PER_YEAR) return null;
  const meanMs = (rate.mean_duration_minutes ?? 0) * 60_000;
  const drawnMs = -meanMs * Math.log(1 - drawUniform(seed, entity, NOISE_CHANNEL.faultLength, week, stream));
  const lengthMs = Math.round(Math.min(MAX_FAULT_MS, Math.max(MIN_FAULT_MS, drawnMs)));
  const latestStartMs = WEEK_MS - lengthMs;
  const start =
    week * WEEK_MS +
    Math.floor(drawUniform(seed, entity, NOISE_CHANNEL.faultStart, week, stream) * latestStartMs);
  const endsAt = rate.mean_duration_minutes === null ? null : new Date(start + lengthMs);
  return { code, startsAt: new Date(start), endsAt };
}

function nextOfSource(source: FaultSource, after: Date): Fault | null {
  const first = Math.floor(after.getTime() / WEEK_MS);
  for (let week = first; week < first + MAX_SEARCH_WEEKS; week++) {
    const fault = drawFaultOfWeek(source, week);
    if (fault && fault.startsAt >= after) return fault;
  }
  return null;
}

/**
 * The first fault that strikes this device alone and starts at or after `after` (its creation plus FAULT_GRACE_MS, or the start
 * of the fault before plus a millisecond); null when the device cannot have it or none starts within ten years.
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
  const stream = streamOf(type, code);
  return nextOfSource({ seed: splitSeed(seed), entity: householdIndex, code, rate, stream }, after);
}

/** What strikes many devices at once. */
export const SHARED_CAUSES = ['manufacturer_cloud', 'region', 'household_router'] as const;
export type SharedCause = (typeof SHARED_CAUSES)[number];

/** How often each shared cause takes its devices offline. Assumptions, as the rates of single devices are. */
export const SHARED_FAULT_RATES: Readonly<Record<SharedCause, FaultRate>> = {
  manufacturer_cloud: {
    device_types: DEVICE_TYPES,
    events_per_device_year: 2,
    mean_duration_minutes: 120,
  },
  region: {
    device_types: DEVICE_TYPES,
    events_per_device_year: 0.5,
    mean_duration_minutes: 180,
  },
  household_router: {
    device_types: DEVICE_TYPES,
    events_per_device_year: 3,
    mean_duration_minutes: 30,
  },
};

/** The rates with their codes and causes, in the order in which the fleet configuration publishes them. */
export function listFaultRates(): (FaultRate & {
  readonly code: FaultCode;
  readonly cause: 'device' | SharedCause;
})[] {
  return [
    ...FAULT_CODES.map((code) => ({ code, cause: 'device' as const, ...FAULT_RATES[code] })),
    ...SHARED_CAUSES.map((cause) => ({
      code: 'device_offline' as const,
      cause,
      ...SHARED_FAULT_RATES[cause],
    })),
  ];
}

/** A device with what it shares with others. */
export interface FaultSubject {
  /** Of the fleet. */
  readonly seed: number;
  readonly householdIndex: number;
  readonly type: DeviceType;
  readonly manufacturer: string;
  /** Of the household, degrees. */
  readonly latitude: number;
  readonly longitude: number;
}

/** Height and width in degrees of what one provider serves. */
const REGION_DEG = 2;

/** What a cause strikes at once, by name: all devices with the same name share its outages. */
const STRUCK: Readonly<Record<SharedCause, (device: FaultSubject) => string>> = {
  manufacturer_cloud: ({ manufacturer }) => manufacturer,
  region: ({ latitude, longitude }) =>
    [latitude, longitude].map((degrees) => Math.floor(degrees / REGION_DEG)).join(' '),
  household_router: ({ householdIndex }) => String(householdIndex),
};

/**
 * The first outage by a shared cause that starts at or after `after`; null when the device cannot have it or none starts within
 * ten years. The same for all devices that share the cause.
 */
export function nextSharedOutage(device: FaultSubject, cause: SharedCause, after: Date): Fault | null {
  const rate = SHARED_FAULT_RATES[cause];
  if (!rate.device_types.includes(device.type)) return null;
  const stream = streamOf('device_offline', cause, STRUCK[cause](device));
  return outages.getOrCompute(`${device.seed} ${stream} ${after.getTime()}`, () => ({
    next: nextOfSource(
      { seed: splitSeed(device.seed), entity: 0, code: 'device_offline', rate, stream },
      after,
    ),
  })).next;
}

/** Those asked for last: the devices of a fleet that is created ask for the same, and drawing them would take most of its time. */
const outages = new BoundedCache<string, { readonly next: Fault | null }>(1000);

/**
 * The first fault of a code that starts at or after `after`, whatever its cause; of those that start at the same instant the
 * one that lasts longest. Null when there is none within ten years.
 */
export function nextFaultOfAnyCause(device: FaultSubject, code: FaultCode, after: Date): Fault | null {
  const own = nextFault(device.seed, device.householdIndex, device.type, code, after);
  if (code !== 'device_offline') return own;
  return SHARED_CAUSES.map((cause) => nextSharedOutage(device, cause, after)).reduce(earlierOf, own);
}

function earlierOf(one: Fault | null, other: Fault | null): Fault | null {
  if (one === null || other === null) return one ?? other;
  const difference = one.startsAt.getTime() - other.startsAt.getTime();
  const isLonger = (one.endsAt ?? Infinity) >= (other.endsAt ?? Infinity);
  return difference < 0 || (difference === 0 && isLonger) ? one : other;
}
