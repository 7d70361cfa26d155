/**
 * The named appliances of households: how often they are started and when, what a run takes, who owns them
 * (docs/simulation.md#household-load). Starts are those of a household of 3,500 kWh a year.
 */
import type { DayType } from '../time/day-type.ts';

/** Starts are spread over the day as a normal distribution: centre and standard deviation in hours, share of all. */
type Peak = readonly [hour: number, deviation: number, share: number];
/** A part of a run. */
type Phase = readonly [minutes: number, kilowatts: number];

export interface Appliance {
  readonly name: string;
  /** Share of households in percent. */
  readonly ownedPercent: number;
  /** Mean number of starts a day. */
  readonly starts: Readonly<Record<DayType, number>>;
  /** Most starts a day. */
  readonly maxStarts: number;
  readonly workday: readonly Peak[];
  readonly weekend: readonly Peak[];
  readonly run: readonly Phase[];
}

const starts = (workday: number, saturday: number, sunday: number): Readonly<Record<DayType, number>> => ({
  workday,
  saturday,
  sunday,
});

/** Assumptions, but for the power of runs, which is that of usual appliances. */
export const APPLIANCES: readonly Appliance[] = [
  {
    name: 'kettle',
    ownedPercent: 100,
    starts: starts(2.6, 2.8, 2.8),
    maxStarts: 12,
    workday: [[7.2, 1, 0.38], [13, 2, 0.2], [16.5, 2, 0.2], [20.5, 1.5, 0.22]],
    weekend: [[8.8, 1.3, 0.42], [13, 2, 0.18], [16, 1.6, 0.25], [20.5, 1.6, 0.15]],
    run: [[5, 1.9]],
  },
  {
    name: 'hob',
    ownedPercent: 100,
    starts: starts(0.75, 0.8, 0.95),
    maxStarts: 4,
    workday: [[12.6, 0.7, 0.28], [18.7, 1.1, 0.72]],
    weekend: [[12.5, 0.8, 0.6], [18.7, 1.1, 0.4]],
    run: [[7, 1.7], [28, 0.65]],
  },
  {
    name: 'hob_two_plates',
    ownedPercent: 100,
    starts: starts(0.28, 0.34, 0.45),
    maxStarts: 4,
    workday: [[12.5, 0.6, 0.25], [18.8, 1, 0.75]],
    weekend: [[12.3, 0.8, 0.65], [18.7, 1, 0.35]],
    run: [[9, 2.6], [32, 0.95]],
  },
  {
    name: 'oven',
    ownedPercent: 100,
    starts: starts(0.22, 0.34, 0.45),
    maxStarts: 4,
    workday: [[12.3, 0.8, 0.2], [18.4, 1.1, 0.8]],
    weekend: [[11.7, 1, 0.55], [17.9, 1.3, 0.45]],
    run: [[10, 2.2], [40, 0.95]],
  },
  {
    name: 'microwave',
    ownedPercent: 100,
    starts: starts(1.2, 1.3, 1.3),
    maxStarts: 10,
    workday: [[7.3, 1, 0.35], [12.7, 1.3, 0.25], [19, 1.6, 0.4]],
    weekend: [[9, 1.2, 0.5], [13, 1.5, 0.2], [19, 1.6, 0.3]],
    run: [[5, 1.2]],
  },
  {
    name: 'dishwasher',
    ownedPercent: 72,
    starts: starts(0.55, 0.65, 0.7),
    maxStarts: 4,
    workday: [[9, 1.8, 0.2], [14, 1.8, 0.25], [20.3, 1.4, 0.55]],
    weekend: [[10.5, 1.5, 0.25], [14.2, 1.4, 0.4], [20.3, 1.4, 0.35]],
    run: [[16, 1.9], [40, 0.08], [13, 1.9], [26, 0.05]],
  },
  {
    name: 'washing_machine',
    ownedPercent: 96,
    starts: starts(0.48, 0.8, 0.5),
    maxStarts: 4,
    workday: [[9.5, 2, 0.35], [14.5, 2, 0.25], [18.3, 1.4, 0.4]],
    weekend: [[10.5, 1.9, 0.6], [15, 2, 0.4]],
    run: [[5, 0.15], [17, 1.9], [65, 0.18], [10, 0.4]],
  },
  {
    name: 'dryer',
    ownedPercent: 45,
    starts: starts(0.36, 0.6, 0.4),
    maxStarts: 4,
    workday: [[11.5, 2, 0.3], [16, 2, 0.3], [20, 1.3, 0.4]],
    weekend: [[12.5, 2, 0.6], [17, 2, 0.4]],
    run: [[95, 0.75], [15, 0.3]],
  },
  {
    name: 'television',
    ownedPercent: 96,
    starts: starts(1.15, 1.3, 1.4),
    maxStarts: 6,
    workday: [[15.5, 2.3, 0.2], [20, 1.1, 0.8]],
    weekend: [[12.5, 2.6, 0.3], [19.8, 1.5, 0.7]],
    run: [[150, 0.12]],
  },
  {
    name: 'vacuum_cleaner',
    ownedPercent: 100,
    starts: starts(0.22, 0.4, 0.15),
    maxStarts: 4,
    workday: [[10, 1.6, 0.5], [17.5, 1.4, 0.5]],
    weekend: [[11, 1.6, 0.7], [16, 1.6, 0.3]],
    run: [[22, 1.3]],
  },
  {
    name: 'hair_dryer',
    ownedPercent: 80,
    starts: starts(0.4, 0.35, 0.35),
    maxStarts: 6,
    workday: [[7, 0.7, 0.7], [20.5, 1.5, 0.3]],
    weekend: [[9.3, 1.2, 0.6], [19, 1.6, 0.4]],
    run: [[7, 1.4]],
  },
]; // prettier-ignore

/** A household of this many kWh a year starts appliances as often as the table says, others with the exponent below. */
export const TABLE_ANNUAL_KWH = 3500;
/** Large households take more with each start, too: starts grow more slowly than the consumption. */
const STARTS_EXPONENT = 0.7;

/** How much oftener than the table says a household of some consumption (kWh a year) starts appliances. */
export const startsFactorOf = (annualKwh: number): number =>
  (annualKwh / TABLE_ANNUAL_KWH) ** STARTS_EXPONENT;

export const MINUTES_PER_QUARTER = 15;
const MILLI_WH_PER_KW_MINUTE = 1e6 / 60;

/**
 * Energies of a run in mWh by quarter hour for each minute 0..14 of the first quarter hour at which it may start: minute m,
 * quarter j at m * `quarters` + j.
 */
export interface RunEnergies {
  readonly quarters: number;
  readonly byMinute: Float64Array;
  /** Mean over the minutes. */
  readonly mean: Float64Array;
}

function runEnergiesOf(run: readonly Phase[]): RunEnergies {
  const minutes = run.flatMap(([length, kilowatts]) => new Array<number>(length).fill(kilowatts));
  const quarters = Math.ceil((minutes.length + MINUTES_PER_QUARTER - 1) / MINUTES_PER_QUARTER);
  const byMinute = new Float64Array(MINUTES_PER_QUARTER * quarters);
  const mean = new Float64Array(quarters);
  for (let start = 0; start < MINUTES_PER_QUARTER; start++) {
    for (const [i, kilowatts] of minutes.entries()) {
      const quarter = Math.floor((start + i) / MINUTES_PER_QUARTER);
      const energy = kilowatts * MILLI_WH_PER_KW_MINUTE;
      const at = start * quarters + quarter;
      byMinute[at] = (byMinute[at] ?? 0) + energy;
      mean[quarter] = (mean[quarter] ?? 0) + energy / MINUTES_PER_QUARTER;
    }
  }
  return { quarters, byMinute, mean };
}

/** In the order of APPLIANCES. */
export const RUN_ENERGIES: readonly RunEnergies[] = APPLIANCES.map(({ run }) => runEnergiesOf(run));

/** Quarter hours of the next day into which a run may reach that starts at the very end of a day. */
export const QUARTERS_AFTER_MIDNIGHT = Math.max(...RUN_ENERGIES.map(({ quarters }) => quarters));
