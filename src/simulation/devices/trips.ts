/**
 * When an electric vehicle drives, how far, and when it is plugged in (docs/simulation.md#electric-vehicle), planned by local
 * weeks from the hash alone: never from the charge, so that the charge needs no history.
 */
import type { ElectricVehicle } from '../household/equipment.ts';
import type { Household } from '../household/household.ts';
import { dayTypeOf } from '../time/day-type.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import { NOISE_CHANNEL, drawNormal, drawUniform, splitSeed } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { CHARGE_EFFICIENCY, MIN_SOC_PERCENT } from './vehicle.ts';
import type { VehicleDayPlan } from './vehicle.ts';

/** Probability of a trip on a day. */
const DRIVE_WORKDAY = 0.85;
const DRIVE_WEEKEND = 0.65;
/** Expected number of days of a year on which a vehicle drives. */
export const DRIVING_DAYS_PER_YEAR = (365 * (5 * DRIVE_WORKDAY + 2 * DRIVE_WEEKEND)) / 7;
/** Standard deviation of the logarithm of a day's driving (lognormal). */
const SIGMA = 0.7;
/** Weeks differ by a factor uniform in 1 ± this, in pairs, so that the year is what was asked. */
const WEEK_SPREAD = 0.3;

/** Day 0 (1 January 1970) is a Thursday; weeks begin on Mondays. */
const weekOf = (localDay: number): number => Math.floor((localDay + 3) / 7);
const mondayOf = (week: number): number => 7 * week - 3;

/** A function that gives the plan of a household's vehicle on any local day (days since 1970). */
export function createVehiclePlanner(
  household: Household,
  vehicle: ElectricVehicle,
): (localDay: number) => VehicleDayPlan {
  const planner = new VehiclePlanner(household, vehicle);
  return (localDay) => planner.planOf(localDay);
}

class VehiclePlanner {
  readonly #seed: Seed;
  readonly #index: number;
  readonly #country: string | null;
  readonly #sessionsPerWeek: number;
  /** What lies between the target and the minimum of the battery, mWh. */
  readonly #usable: number;
  /** Energy driven in a mean week, mWh. */
  readonly #meanWeek: number;
  readonly #tripWeeks = new DayCache<readonly number[]>(8);
  readonly #sessionWeeks = new DayCache<readonly boolean[]>(4);
  readonly #days = new DayCache<VehicleDayPlan>(4);

  constructor(household: Household, vehicle: ElectricVehicle) {
    this.#seed = splitSeed(household.seed);
    this.#index = household.index;
    this.#country = household.country;
    this.#sessionsPerWeek = Math.min(7, 7 * vehicle.session_probability);
    const usablePercent = vehicle.target_soc_percent - MIN_SOC_PERCENT;
    this.#usable = Math.round((usablePercent * vehicle.battery_kwh * 1e6) / 100);
    this.#meanWeek = (household.ev_annual_kwh * 1e6 * CHARGE_EFFICIENCY * 7) / 365;
  }

  planOf(localDay: number): VehicleDayPlan {
    return this.#days.find(localDay) ?? this.#days.set(localDay, this.#planDay(localDay));
  }

  #planDay(localDay: number): VehicleDayPlan {
    const week = weekOf(localDay);
    const weekday = localDay - mondayOf(week);
    return {
      departQuarter: this.#drawQuarter(localDay, NOISE_CHANNEL.depart, 7.5, 1.2, 20, 40),
      arriveQuarter: this.#drawQuarter(localDay, NOISE_CHANNEL.arrive, 17.5, 2.2, 44, 94),
      tripMilliWh: this.#tripsOf(week)[weekday] ?? 0,
      hasSession: this.#sessionsOf(week)[weekday] ?? false,
    };
  }

  #draw(channel: number, bucket: number): number {
    return drawUniform(this.#seed, this.#index, channel, bucket);
  }

  /** A quarter hour of the day, normal around an hour with a standard deviation in hours, within min..max. */
  #drawQuarter(localDay: number, channel: number, hour: number, deviation: number, min: number, max: number) {
    const drawn = hour + deviation * drawNormal(this.#seed, this.#index, channel, localDay);
    return Math.min(max, Math.max(min, Math.round(4 * drawn)));
  }

  #tripsOf(week: number): readonly number[] {
    return this.#tripWeeks.find(week) ?? this.#tripWeeks.set(week, this.#planTrips(week));
  }

  /** Energies driven on the days of a week, mWh. */
  #planTrips(week: number): readonly number[] {
    const monday = mondayOf(week);
    const weights = [0, 0, 0, 0, 0, 0, 0];
    for (let i = 0; i < 7; i++) {
      const probability = dayTypeOf(monday + i, this.#country) === 'workday' ? DRIVE_WORKDAY : DRIVE_WEEKEND;
      if (this.#draw(NOISE_CHANNEL.drive, monday + i) < probability) {
        weights[i] = Math.exp(SIGMA * drawNormal(this.#seed, this.#index, NOISE_CHANNEL.trip, monday + i));
      }
    }
    if (!weights.some((weight) => weight > 0)) {
      weights[Math.floor(7 * this.#draw(NOISE_CHANNEL.drivingWeek, 2 * week))] = 1;
    }
    const swing = WEEK_SPREAD * (2 * this.#draw(NOISE_CHANNEL.drivingWeek, 2 * (week >> 1) + 1) - 1);
    return splitByWeights(this.#meanWeek * (week % 2 === 0 ? 1 + swing : 1 - swing), weights, this.#usable);
  }

  /** Days of a week on which the car is plugged in whatever it drove: as even over the weeks as whole days allow. */
  #habitualSessionsOf(week: number): boolean[] {
    const perWeek = this.#sessionsPerWeek;
    const offset = this.#draw(NOISE_CHANNEL.session, -1);
    const count = Math.floor((week + 1) * perWeek + offset) - Math.floor(week * perWeek + offset);
    const days = new Array<boolean>(7).fill(false);
    for (let k = 0; k < count; k++) {
      const part = k + this.#draw(NOISE_CHANNEL.session, 7 * week + k);
      days[Math.floor((part * 7) / count)] = true;
    }
    return days;
  }

  /**
   * Adds sessions to `days` from weekday `from` (zero-based) on where the battery would not last for the next day's trip.
   * `driven` is the energy driven since the last session, mWh; returns that at the end of the week.
   */
  #addNeededSessions(week: number, from: number, driven: number, days: boolean[]): number {
    const trips = this.#tripsOf(week);
    let since = driven;
    for (let i = from; i < 7; i++) {
      since += trips[i] ?? 0;
      const next = (i < 6 ? trips[i + 1] : this.#tripsOf(week + 1)[0]) ?? 0;
      if (since > 0 && since + next > 0.97 * this.#usable) days[i] = true;
      if (days[i]) since = 0;
    }
    return since;
  }

  #sessionsOf(week: number): readonly boolean[] {
    return this.#sessionWeeks.find(week) ?? this.#sessionWeeks.set(week, this.#planSessions(week));
  }

  #planSessions(week: number): readonly boolean[] {
    // A habitual session ends what came before it, so the week before is enough.
    const before = this.#habitualSessionsOf(week - 1);
    const driven = this.#addNeededSessions(week - 1, before.lastIndexOf(true) + 1, 0, before);
    const days = this.#habitualSessionsOf(week);
    this.#addNeededSessions(week, 0, driven, days);
    return days;
  }
}

/** Splits a week's energy by weights; no day gets more than `most`, what it cannot take goes to the others. */
function splitByWeights(total: number, weights: readonly number[], most: number): number[] {
  const trips = weights.map(() => 0);
  let left = total;
  for (let pass = 0; pass < 4 && left >= 1; pass++) {
    const open = weights.map((weight, i) => ((trips[i] ?? 0) < most ? weight : 0));
    const sum = open.reduce((a, b) => a + b, 0);
    if (sum === 0) break;
    const part = left / sum;
    for (const [i, weight] of open.entries()) {
      const more = Math.min(most - (trips[i] ?? 0), Math.round(weight * part));
      trips[i] = (trips[i] ?? 0) + more;
      left -= more;
    }
  }
  return trips;
}
