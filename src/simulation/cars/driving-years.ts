/**
 * How far a driver's tours are scaled in a calendar year, so that the car charges at home what the definition asks for
 * (docs/simulation.md#electric-vehicle), and how warm the seasons are.
 */
import { DayCache } from '../kernel/bounded-cache.ts';
import { dayOfYear, utcYearOf } from '../time/calendar.ts';
import { DAY_MS } from '../../domain/api/durations.ts';
import { energyOf, isFar, weatherFactor } from './consumption.ts';
import { fillTours } from './driver.ts';
import type { Driver } from './driver.ts';
import { createDayTours } from './tours.ts';

/** Every fourteenth day of a year stands for its season: 27 looks at the weather instead of 366. */
const SEASON_DAYS = 14;
const SEASONS = 27;

export interface DrivingYear {
  /** Factor on the distance of each tour. */
  readonly scale: number;
  /** Outdoor temperature of each season, °C. */
  readonly temperatures: Float64Array;
}

/** Temperature of the season in which a day of the year 1..366 lies, °C. */
export const seasonTemperature = (year: DrivingYear, dayOfTheYear: number): number =>
  year.temperatures[Math.floor((dayOfTheYear - 1) / SEASON_DAYS)] ?? 0;

/** Arrays that hold nothing from one call to the next. */
const workspace = { tours: createDayTours(), energies: new Float64Array(4 * 366) };

export class DrivingYears {
  readonly #driver: Driver;
  readonly #years = new DayCache<DrivingYear>(2);

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  /** The calendar year of a local day (days since 1970). */
  of(localDay: number): DrivingYear {
    const year = utcYearOf(localDay * DAY_MS);
    return this.#years.find(year) ?? this.#years.set(year, this.#measure(localDay));
  }

  #measure(localDay: number): DrivingYear {
    const { weather, perKm, annual, tourLimit } = this.#driver;
    const { tours, energies } = workspace;
    const first = localDay - dayOfYear(localDay) + 1;
    const temperatures = new Float64Array(SEASONS);
    let count = 0;
    for (let season = 0; season < SEASONS; season++) {
      const start = first + season * SEASON_DAYS;
      const temperature = weather.meanTemperatureOn(start + SEASON_DAYS / 2);
      temperatures[season] = temperature;
      const near = weatherFactor(temperature, false);
      const far = weatherFactor(temperature, true);
      const end = season < SEASONS - 1 ? start + SEASON_DAYS : first + daysOfYearAt(localDay);
      for (let day = start; day < end; day++) {
        fillTours(this.#driver, day, tours);
        for (let i = 0; i < tours.count; i++) {
          const km = tours.km[i] ?? 0;
          energies[count++] = isFar(km) ? energyOf(perKm, km, true) * far : energyOf(perKm, km, false) * near;
        }
      }
    }
    return { scale: solveScale(energies, count, tourLimit, annual), temperatures };
  }
}

const daysOfYearAt = (localDay: number): number => {
  const nextYear = Date.UTC(utcYearOf(localDay * DAY_MS) + 1, 0, 1) / DAY_MS;
  return dayOfYear(nextYear - 1);
};

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
