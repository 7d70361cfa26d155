/**
 * When an electric vehicle drives, how far, and when it is plugged in (docs/simulation.md#electric-vehicle), planned by local weeks
 * from the hash alone: never from the charge, so that the charge needs no history.
 */
import type { ElectricVehicle } from '../household/equipment.ts';
import type { Household } from '../household/household.ts';
import { dayTypeOf } from './load-profile.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import { NOISE_CHANNEL, drawNormal, splitSeed, drawUniform } from '../kernel/noise.ts';
import { CHARGE_EFFICIENCY, MIN_SOC_PERCENT } from './vehicle.ts';
import type { VehicleDayPlan } from './vehicle.ts';

const DRIVE_WORKDAY = 0.85;
const DRIVE_WEEKEND = 0.65;
/** Days of a year on which a vehicle drives, about. */
export const DRIVING_DAYS_PER_YEAR = (365 * (5 * DRIVE_WORKDAY + 2 * DRIVE_WEEKEND)) / 7;
/** Spread of a day's driving (lognormal). */
const SIGMA = 0.7;
/** Weeks differ by a factor uniform in 1 ± this, in pairs, so that the year is what was asked. */
const WEEK_SPREAD = 0.3;

/** Day 0 (1 January 1970) is a Thursday; weeks begin on Mondays. */
const weekOf = (localDay: number): number => Math.floor((localDay + 3) / 7);
const mondayOf = (week: number): number => 7 * week - 3;

/** Gives the plan of any local day (days since 1970). */
export function createVehiclePlanner(
  household: Household,
  vehicle: ElectricVehicle,
): (localDay: number) => VehicleDayPlan {
  const seed = splitSeed(household.seed);
  const { index, country } = household;
  const draw = (channel: number, bucket: number) => drawUniform(seed, index, channel, bucket);
  /** What lies between the target and the floor. */
  const usable = Math.round(
    ((vehicle.target_soc_percent - MIN_SOC_PERCENT) * vehicle.battery_kwh * 1e6) / 100,
  );
  const meanWeek = (household.ev_annual_kwh * 1e6 * CHARGE_EFFICIENCY * 7) / 365;

  const tripWeeks = new DayCache<readonly number[]>(8);
  const tripsOf = (week: number) => tripWeeks.find(week) ?? tripWeeks.set(week, planTrips(week));
  const planTrips = (week: number): readonly number[] => {
    const monday = mondayOf(week);
    const weights = [0, 0, 0, 0, 0, 0, 0];
    for (let i = 0; i < 7; i++) {
      const likely = dayTypeOf(monday + i, country) === 'workday' ? DRIVE_WORKDAY : DRIVE_WEEKEND;
      const drives = draw(NOISE_CHANNEL.drive, monday + i) < likely;
      if (drives) weights[i] = Math.exp(SIGMA * drawNormal(seed, index, NOISE_CHANNEL.trip, monday + i));
    }
    if (!weights.some((weight) => weight > 0))
      weights[Math.floor(7 * draw(NOISE_CHANNEL.drivingWeek, 2 * week))] = 1;
    const swing = WEEK_SPREAD * (2 * draw(NOISE_CHANNEL.drivingWeek, 2 * (week >> 1) + 1) - 1);
    return share(meanWeek * (week % 2 === 0 ? 1 + swing : 1 - swing), weights, usable);
  };

  /** Days on which the car is plugged in whatever it drove: as even over the weeks as whole days allow. */
  const habitsOf = (week: number): boolean[] => {
    const perWeek = Math.min(7, 7 * vehicle.session_probability);
    const offset = draw(NOISE_CHANNEL.session, -1);
    const count = Math.floor((week + 1) * perWeek + offset) - Math.floor(week * perWeek + offset);
    const days = new Array<boolean>(7).fill(false);
    for (let k = 0; k < count; k++)
      days[Math.floor(((k + draw(NOISE_CHANNEL.session, 7 * week + k)) * 7) / count)] = true;
    return days;
  };

  /**
   * Plugs in between two such days when the next day's trip would not be left. `driven` is what was driven since
   * the last session; the answer starts at `from`.
   */
  const addNeeded = (week: number, from: number, driven: number, days: boolean[]): number => {
    const trips = tripsOf(week);
    let since = driven;
    for (let i = from; i < 7; i++) {
      since += trips[i] ?? 0;
      const next = (i < 6 ? trips[i + 1] : tripsOf(week + 1)[0]) ?? 0;
      if (since > 0 && since + next > 0.97 * usable) days[i] = true;
      if (days[i]) since = 0;
    }
    return since;
  };

  const sessionWeeks = new DayCache<readonly boolean[]>(4);
  const sessionsOf = (week: number) => sessionWeeks.find(week) ?? sessionWeeks.set(week, planSessions(week));
  const planSessions = (week: number): readonly boolean[] => {
    // A habitual session ends what came before it, so the week before is enough.
    const before = habitsOf(week - 1);
    const driven = addNeeded(week - 1, before.lastIndexOf(true) + 1, 0, before);
    const days = habitsOf(week);
    addNeeded(week, 0, driven, days);
    return days;
  };

  const clock = (localDay: number, channel: number, hour: number, spread: number, from: number, to: number) =>
    Math.min(
      to,
      Math.max(from, Math.round(4 * (hour + spread * drawNormal(seed, index, channel, localDay)))),
    );
  const planOf = (localDay: number): VehicleDayPlan => {
    const week = weekOf(localDay);
    const weekday = localDay - mondayOf(week);
    return {
      departQuarter: clock(localDay, NOISE_CHANNEL.depart, 7.5, 1.2, 20, 40),
      arriveQuarter: clock(localDay, NOISE_CHANNEL.arrive, 17.5, 2.2, 44, 94),
      tripMilliWh: tripsOf(week)[weekday] ?? 0,
      session: sessionsOf(week)[weekday] ?? false,
    };
  };
  const days = new DayCache<VehicleDayPlan>(4);
  return (localDay) => days.find(localDay) ?? days.set(localDay, planOf(localDay));
}

/** Splits a week's energy by weights; no day gets more than `most`, what it cannot take goes to the others. */
function share(total: number, weights: readonly number[], most: number): number[] {
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
