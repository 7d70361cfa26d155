/**
 * What a household is expected to use through a day of some month and type: base, runs of its appliances, and the rest, which
 * is what the curve of its archetype leaves (docs/simulation.md#household-load).
 */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { allocateFloat64Array } from '../kernel/typed-arrays.ts';
import { DAY_TYPES } from '../time/day-type.ts';
import { APPLIANCES, MINUTES_PER_QUARTER } from './appliances.ts';
import { MEAN_BASE_SHARE } from './event-curves.ts';
import type { EventCurves } from './event-curves.ts';
import { bumpAt, nightLevelOf } from './hours.ts';
import type { OwnedAppliances } from './owned-appliances.ts';

/** Where late people use more and where less, by quarter hour: around 2 and around 13 h. */
const NIGHT = bumpAt(2, 4);
const DAY = bumpAt(13, 6);

/** What the rest of a day is made from. */
export interface DayQuestion {
  readonly curves: EventCurves;
  /** mWh in a quarter hour that 1 of the curve above the base stands for. */
  readonly scale: number;
  /** By appliance, energy of the household's runs over those of the table. */
  readonly energyFactors: Float64Array;
  readonly lateness: number;
  /** Minutes 0..15 by which the day is later than its quarter hours say. */
  readonly lateMinutes: number;
}

const work = new Float64Array(QUARTER_HOURS_PER_DAY);

/**
 * Writes the rest at the 96 quarter hours in mWh into `rest` and returns which part of the table's starts happens: 1, but for
 * a household whose appliances would take more than its curve has.
 */
export function fillRest(question: DayQuestion, rest: Float64Array): number {
  const { curves, scale, energyFactors, lateness, lateMinutes } = question;
  const { curve, room, energies } = curves;
  work.fill(0);
  for (let appliance = 0, at = 0; appliance < APPLIANCES.length; appliance++, at += QUARTER_HOURS_PER_DAY) {
    const factor = energyFactors[appliance] ?? 0;
    if (factor === 0) continue;
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++)
      work[i] = (work[i] ?? 0) + factor * (energies[at + i] ?? 0);
  }
  let part = 1;
  for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
    const most = scale * (room[i] ?? 0);
    if (part * (work[i] ?? 0) > most) part = most / (work[i] ?? 1);
  }
  let night = 0;
  let day = 0;
  for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
    const left = Math.max(0, scale * ((curve[i] ?? 0) - MEAN_BASE_SHARE) - part * (work[i] ?? 0));
    work[i] = left;
    night += left * (NIGHT[i] ?? 0);
    day += left * (DAY[i] ?? 0);
  }
  const late = night > day ? (lateness * day) / night : lateness;
  const early = day > 0 ? (late * night) / day : 0;
  for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
    work[i] = (work[i] ?? 0) * (1 + late * (NIGHT[i] ?? 0) - early * (DAY[i] ?? 0));
  }
  const moved = lateMinutes / MINUTES_PER_QUARTER;
  let before = work[QUARTER_HOURS_PER_DAY - 1] ?? 0;
  for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
    const here = work[i] ?? 0;
    rest[i] = here + (before - here) * moved;
    before = here;
  }
  return part;
}

/** What a household is expected to use on a day of some month and type beside its base. */
export interface ExpectedDay {
  /** The rest in the 96 quarter hours, mWh, and how much of it runs all through the night, and so by day. */
  readonly rest: Float64Array;
  readonly nightLevel: number;
  /** Which part of the starts of its archetype's table happens. */
  readonly startedPart: number;
}

/** The expected days of a household in the month asked for last. */
export class ExpectedDays {
  readonly #energyFactors: Float64Array;
  readonly #lateness: number;
  readonly #lateMinutes: number;
  readonly #rests = DAY_TYPES.map(() => allocateFloat64Array(QUARTER_HOURS_PER_DAY));
  readonly #days = new Array<ExpectedDay | undefined>(DAY_TYPES.length);
  #month = NaN;
  #scale = 0;

  constructor({ starts, power }: OwnedAppliances, lateness: number, lateMinutes: number) {
    this.#energyFactors = starts.map((value, appliance) => value * (power[appliance] ?? 0));
    this.#lateness = lateness;
    this.#lateMinutes = lateMinutes;
  }

  /** `scale`: mWh in a quarter hour that 1 of the archetype's curve above the base stands for from now on. */
  turnTo(scale: number): void {
    this.#scale = scale;
    this.#month = NaN;
  }

  /** A day of a month (zero-based) and a type (index in DAY_TYPES), whose curves are given. */
  on(month: number, typeIndex: number, curves: EventCurves): ExpectedDay {
    if (month !== this.#month) {
      this.#month = month;
      this.#days.fill(undefined);
    }
    return (this.#days[typeIndex] ??= this.#create(typeIndex, curves));
  }

  #create(typeIndex: number, curves: EventCurves): ExpectedDay {
    const rest = this.#rests[typeIndex] ?? new Float64Array(QUARTER_HOURS_PER_DAY);
    const question = {
      curves,
      scale: this.#scale,
      energyFactors: this.#energyFactors,
      lateness: this.#lateness,
      lateMinutes: this.#lateMinutes,
    };
    const startedPart = fillRest(question, rest);
    return { rest, nightLevel: nightLevelOf(rest), startedPart };
  }
}
