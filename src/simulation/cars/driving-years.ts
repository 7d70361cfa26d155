/**
 * How far a driver's tours are scaled in a calendar year, so that in weather of the norm year the car charges at home what
 * the definition asks for (docs/simulation.md#electric-vehicle).
 */
import { DayCache } from '../kernel/bounded-cache.ts';
import { firstDayOf, yearOfDay } from '../time/calendar.ts';
import { energyOf, isFar, seasonFactor } from './consumption.ts';
import { fillDistances } from './driver.ts';
import type { Driver } from './driver.ts';
import { createDayTours } from './tours.ts';

/** Arrays that hold nothing from one call to the next. */
const workspace = { tours: createDayTours(), energies: new Float64Array(4 * 366) };

export class DrivingYears {
  readonly #driver: Driver;
  readonly #scales = new DayCache<number>(2);

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  /** Factor on the distance of each tour in the calendar year of a local day (days since 1970). */
  scaleOn(localDay: number): number {
    const year = yearOfDay(localDay);
    return this.#scales.find(year) ?? this.#scales.set(year, this.#measure(year));
  }

  #measure(year: number): number {
    const { seasons, perKm, annual, tourLimit } = this.#driver;
    const { tours, energies } = workspace;
    const first = firstDayOf(year);
    const end = firstDayOf(year + 1);
    let count = 0;
    for (let day = first; day < end; day++) {
      fillDistances(this.#driver, day, tours);
      for (let i = 0; i < tours.count; i++) {
        const km = tours.km[i] ?? 0;
        const far = isFar(km);
        energies[count++] = energyOf(perKm, km, far) * seasonFactor(seasons, day - first + 1, far);
      }
    }
    return solveScale(energies, count, tourLimit, annual);
  }
}

/** Most that a tour's distance is scaled by: beyond it the year asks for more than tours carry. */
const LARGEST_SCALE = 40;

/** The scale at which the first `count` energies, each limited by `limit`, sum up to `total`. */
export function solveScale(energies: Float64Array, count: number, limit: number, total: number): number {
  // The sum is concave in the scale, so that Newton's steps from 0 rise to the solution and reach it exactly.
  let scale = 0;
  for (let round = 0; round < 30; round++) {
    let limited = 0;
    let free = 0;
    for (let i = 0; i < count; i++) {
      const energy = energies[i] ?? 0;
      if (energy * scale > limit) limited += limit;
      else free += energy;
    }
    if (free === 0) return LARGEST_SCALE;
    const next = Math.min(LARGEST_SCALE, (total - limited) / free);
    if (next <= scale) return scale;
    scale = next;
  }
  return scale;
}
