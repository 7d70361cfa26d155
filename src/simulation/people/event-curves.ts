/**
 * When appliances are started in an archetype's household, by month and type of day: their densities of start, thinned so
 * that the expected runs stay below the archetype's curve (docs/simulation.md#household-load). One table for all households of
 * an archetype.
 */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { ARCHETYPES } from '../household/profiles.ts';
import { DAY_TYPES } from '../time/day-type.ts';
import type { DayType } from '../time/day-type.ts';
import { APPLIANCES, RUN_ENERGIES, TABLE_ANNUAL_KWH, startsFactorOf } from './appliances.ts';
import { archetypeCurve } from './archetype-curves.ts';
import { MONTHS } from './norm-profile.ts';

/** Share of the energy that runs day and night: standby, cold appliances, pumps. */
export const MEAN_BASE_SHARE = 0.25;
/** Most of what is expected above the base that runs of appliances may take. */
export const MAX_EVENT_SHARE = 0.97;
/** The densities are thinned for a household that owns all and starts it so much oftener than the mean. */
const THINNED_FOR = 1.3;
const THINNING_ROUNDS = 8;

/** Length of the list of sums of one appliance. */
export const SUMS_PER_APPLIANCE = QUARTER_HOURS_PER_DAY + 1;

export interface EventCurves {
  /** The archetype's expected load over its yearly mean at the 96 quarter hours. */
  readonly curve: Float64Array;
  /** By appliance, mean starts before each of the 96 quarter hours and at the day's end. */
  readonly startSums: Float32Array;
  /** By appliance, mean energy of its runs in the 96 quarter hours, mWh. */
  readonly energies: Float32Array;
}

/** Annual consumption for which an archetype's table is made. */
export const tableAnnualKwhOf = (profile: string): number =>
  ARCHETYPES.find(({ name }) => name === profile)?.annualKwh ?? TABLE_ANNUAL_KWH;

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

function makeEventCurves(profile: string, month: number, type: DayType): EventCurves {
  const annualKwh = tableAnnualKwhOf(profile);
  const meanMilliWh = (annualKwh * 1e6) / 8760 / 4;
  const curve = archetypeCurve(profile, month, type);
  const budget = curve.map((load) => MAX_EVENT_SHARE * Math.max(0, load - MEAN_BASE_SHARE) * meanMilliWh);
  const factor = startsFactorOf(annualKwh);
  const starts = APPLIANCES.map((_, appliance) => startsOf(appliance, type).map((value) => value * factor));
  for (let round = 0; round < THINNING_ROUNDS; round++) thin(starts, budget);
  const startSums = new Float32Array(APPLIANCES.length * SUMS_PER_APPLIANCE);
  const energies = new Float32Array(APPLIANCES.length * QUARTER_HOURS_PER_DAY);
  for (const [appliance, its] of starts.entries()) {
    let sum = 0;
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      sum += its[i] ?? 0;
      startSums[appliance * SUMS_PER_APPLIANCE + i + 1] = sum;
    }
    energies.set(energiesOf(appliance, its), appliance * QUARTER_HOURS_PER_DAY);
  }
  return { curve, startSums, energies };
}

/** Starts of an appliance in each quarter hour of a day, before thinning, for the consumption of the appliances' table. */
function startsOf(appliance: number, type: DayType): Float64Array {
  const { starts, workday, weekend } = APPLIANCES[appliance] ?? { starts: null, workday: [], weekend: [] };
  const peaks = type === 'workday' ? workday : weekend;
  const density = new Float64Array(QUARTER_HOURS_PER_DAY);
  let sum = 0;
  for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
    const hour = (i + 0.5) / 4;
    let value = 0;
    for (const [centre, deviation, share] of peaks) {
      const distance = Math.abs(hour - centre);
      const away = Math.min(distance, 24 - distance) / deviation;
      value += (share / deviation) * Math.exp((-away * away) / 2);
    }
    density[i] = value;
    sum += value;
  }
  return density.map((value) => (value * (starts?.[type] ?? 0)) / sum);
}

/** Mean energy of the runs of an appliance in each quarter hour; those over midnight go on at the day's start. */
function energiesOf(appliance: number, starts: Float64Array): Float64Array {
  const mean = RUN_ENERGIES[appliance]?.mean ?? [];
  const energies = new Float64Array(QUARTER_HOURS_PER_DAY);
  for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
    for (let j = 0; j < mean.length; j++) {
      const at = (i + j) % QUARTER_HOURS_PER_DAY;
      energies[at] = (energies[at] ?? 0) + (starts[i] ?? 0) * (mean[j] ?? 0);
    }
  }
  return energies;
}

/** One round: where the expected runs exceed the budget, the starts that reach there are made fewer. */
function thin(starts: readonly Float64Array[], budget: Float64Array): void {
  const expected = new Float64Array(QUARTER_HOURS_PER_DAY);
  for (const [appliance, its] of starts.entries()) {
    for (const [i, energy] of energiesOf(appliance, its).entries()) {
      expected[i] = (expected[i] ?? 0) + THINNED_FOR * energy;
    }
  }
  const kept = expected.map((energy, i) => (energy > 0 ? Math.min(1, (budget[i] ?? 0) / energy) : 1));
  for (const [appliance, its] of starts.entries()) {
    const mean = RUN_ENERGIES[appliance]?.mean ?? [];
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      let energy = 0;
      let keptEnergy = 0;
      for (let j = 0; j < mean.length; j++) {
        energy += mean[j] ?? 0;
        keptEnergy += (mean[j] ?? 0) * (kept[(i + j) % QUARTER_HOURS_PER_DAY] ?? 0);
      }
      its[i] = ((its[i] ?? 0) * keptEnergy) / energy;
    }
  }
}
