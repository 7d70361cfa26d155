/**
 * When appliances are started in an archetype's household, by month and type of day: their densities of start, thinned so
 * that the expected runs stay below the archetype's curve (docs/simulation.md#household-load). One table for all households of
 * an archetype.
 */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { findArchetype } from '../household/profiles.ts';
import { DAY_TYPES } from '../time/day-type.ts';
import type { DayType } from '../time/day-type.ts';
import { APPLIANCES, RUN_ENERGIES, TABLE_ANNUAL_KWH, startsFactorOf } from './appliances.ts';
import type { Appliance } from './appliances.ts';
import { archetypeCurve } from './archetype-curves.ts';
import { hoursBetween, nightLevelOf } from './hours.ts';
import { MONTHS } from './norm-profile.ts';
import { BLOCKS, BLOCK_STARTS } from './occupancy.ts';

/** Share of the energy that runs day and night: standby, cold appliances, pumps. */
export const MEAN_BASE_SHARE = 0.25;
/** Most of what is expected above the night's level that runs of appliances may take, and of what is above the base at night. */
const MAX_EVENT_SHARE = 0.97;
const MAX_NIGHT_EVENT_SHARE = 0.25;
/** The densities are thinned for a household that owns all and starts it so much oftener than the mean. */
const THINNED_FOR = 1.1;
const THINNING_ROUNDS = 8;
const THINNED_ENOUGH = 0.98;

const NO_RUN = new Float64Array(0);

/** Length of the list of sums of one appliance. */
export const SUMS_PER_APPLIANCE = QUARTER_HOURS_PER_DAY + 1;

export interface EventCurves {
  /** The archetype's expected load over its yearly mean at the 96 quarter hours. */
  readonly curve: Float64Array;
  /** How much of the curve runs of appliances may take. */
  readonly room: Float64Array;
  /** By appliance, mean starts before each of the 96 quarter hours and at the day's end. */
  readonly startSums: Float32Array;
  /** By appliance, mean starts in each block of the day. */
  readonly blockStarts: Float64Array;
  /** By appliance, mean energy of its runs in the 96 quarter hours, mWh. */
  readonly energies: Float32Array;
}

/** Annual consumption for which an archetype's table is made. */
export const tableAnnualKwhOf = (profile: string): number =>
  findArchetype(profile)?.annualKwh ?? TABLE_ANNUAL_KWH;

/** Tables by archetype, then by month and type; made when first asked for. */
const tablesByProfile = new Map<string, (EventCurves | undefined)[]>();

/** The table of an archetype (name) in a month (zero-based) on a type of day. */
export function eventCurvesOf(profile: string, month: number, type: DayType): EventCurves {
  let tables = tablesByProfile.get(profile);
  if (!tables) {
    tables = new Array<EventCurves | undefined>(MONTHS * DAY_TYPES.length);
    tablesByProfile.set(profile, tables);
  }
  const at = month * DAY_TYPES.length + DAY_TYPES.indexOf(type);
  return (tables[at] ??= makeEventCurves(profile, month, type));
}

/** What of a curve runs may take: what runs all through the night does so by day, too, and is not theirs. */
function roomForRuns(curve: Float64Array): Float64Array {
  const night = nightLevelOf(curve);
  return curve.map((load) =>
    Math.max(0, MAX_EVENT_SHARE * (load - night), MAX_NIGHT_EVENT_SHARE * (load - MEAN_BASE_SHARE)),
  );
}

function makeEventCurves(profile: string, month: number, type: DayType): EventCurves {
  const annualKwh = tableAnnualKwhOf(profile);
  const meanMilliWh = (annualKwh * 1e6) / 8760 / 4;
  const curve = archetypeCurve(profile, month, type);
  const room = roomForRuns(curve);
  const budget = room.map((part) => part * meanMilliWh);
  const starts = startsOn(type, startsFactorOf(annualKwh));
  for (let round = 0; round < THINNING_ROUNDS && thin(starts, budget); round++);
  const startSums = new Float32Array(APPLIANCES.length * SUMS_PER_APPLIANCE);
  const blockStarts = new Float64Array(APPLIANCES.length * BLOCKS);
  const energies = new Float32Array(APPLIANCES.length * QUARTER_HOURS_PER_DAY);
  for (const [appliance, its] of starts.entries()) {
    const at = appliance * SUMS_PER_APPLIANCE;
    let sum = 0;
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      sum += its[i] ?? 0;
      startSums[at + i + 1] = sum;
    }
    for (let block = 0; block < BLOCKS; block++) {
      const before = startSums[at + (BLOCK_STARTS[block] ?? 0)] ?? 0;
      blockStarts[appliance * BLOCKS + block] =
        (startSums[at + (BLOCK_STARTS[block + 1] ?? 0)] ?? 0) - before;
    }
    energies.set(energiesOf(appliance, its), appliance * QUARTER_HOURS_PER_DAY);
  }
  return { curve, room, startSums, blockStarts, energies };
}

/** How the starts of the appliances are spread over a working day and over one at the weekend: sums of 1. */
const DENSITIES = (['workday', 'weekend'] as const).map((of) =>
  APPLIANCES.map(({ [of]: peaks }) => densityOf(peaks)),
);

function densityOf(peaks: Appliance['workday']): Float64Array {
  const density = new Float64Array(QUARTER_HOURS_PER_DAY);
  let sum = 0;
  for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
    let value = 0;
    for (const [centre, deviation, share] of peaks) {
      const away = hoursBetween(i, centre) / deviation;
      value += (share / deviation) * Math.exp((-away * away) / 2);
    }
    density[i] = value;
    sum += value;
  }
  return density.map((value) => value / sum);
}

/** Starts of each appliance in each quarter hour of a day, before thinning, for a household that starts so much oftener. */
function startsOn(type: DayType, factor: number): Float64Array[] {
  const densities = DENSITIES[type === 'workday' ? 0 : 1] ?? [];
  return APPLIANCES.map(({ starts }, appliance) => {
    const often = starts[type] * factor;
    return (densities[appliance] ?? NO_RUN).map((part) => part * often);
  });
}

/** Mean energy of the runs of an appliance in each quarter hour; those over midnight go on at the day's start. */
function energiesOf(appliance: number, starts: Float64Array): Float64Array {
  const mean = RUN_ENERGIES[appliance]?.mean ?? NO_RUN;
  const energies = new Float64Array(QUARTER_HOURS_PER_DAY);
  for (let j = 0; j < mean.length; j++) {
    const energy = mean[j] ?? 0;
    for (let i = 0, at = j; i < QUARTER_HOURS_PER_DAY; i++) {
      energies[at] = (energies[at] ?? 0) + (starts[i] ?? 0) * energy;
      at = at + 1 === QUARTER_HOURS_PER_DAY ? 0 : at + 1;
    }
  }
  return energies;
}

/**
 * One round: where the expected runs exceed the budget, the starts that reach there are made fewer. False when they exceed it
 * nowhere by as much as matters.
 */
function thin(starts: readonly Float64Array[], budget: Float64Array): boolean {
  const kept = new Float64Array(QUARTER_HOURS_PER_DAY);
  for (let appliance = 0; appliance < starts.length; appliance++) {
    const energies = energiesOf(appliance, starts[appliance] ?? NO_RUN);
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++)
      kept[i] = (kept[i] ?? 0) + THINNED_FOR * (energies[i] ?? 0);
  }
  let least = 1;
  for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
    const expected = kept[i] ?? 0;
    const part = expected > 0 ? Math.min(1, (budget[i] ?? 0) / expected) : 1;
    kept[i] = part;
    least = Math.min(least, part);
  }
  if (least > THINNED_ENOUGH) return false;
  for (let appliance = 0; appliance < starts.length; appliance++) {
    keepStarts(starts[appliance] ?? NO_RUN, RUN_ENERGIES[appliance]?.mean ?? NO_RUN, kept);
  }
  return true;
}

/** Multiplies the starts of a day by the part of their run's energy that is kept, given which part each quarter hour keeps. */
function keepStarts(starts: Float64Array, run: Float64Array, kept: Float64Array): void {
  let energy = 0;
  for (let j = 0; j < run.length; j++) energy += run[j] ?? 0;
  for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
    let keptEnergy = 0;
    for (let j = 0, at = i; j < run.length; j++) {
      keptEnergy += (run[j] ?? 0) * (kept[at] ?? 0);
      at = at + 1 === QUARTER_HOURS_PER_DAY ? 0 : at + 1;
    }
    starts[i] = ((starts[i] ?? 0) * keptEnergy) / energy;
  }
}
