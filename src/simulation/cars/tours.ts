/** The tours of a local day, each from home and back, by purpose, from draws alone (docs/simulation.md#electric-vehicle). */
import { WORD_VALUES, hashInStream } from '../kernel/noise.ts';
import { normalOfHash } from '../kernel/normal-table.ts';
import { weekdayOf } from '../time/day-type.ts';
import type { DayType } from '../time/day-type.ts';
import type { Habits } from './habits.ts';

/** Tours in the order in which they are driven. Times are hours of the local day, distances km there and back, unscaled. */
export interface DayTours {
  count: number;
  readonly leave: Float64Array;
  readonly back: Float64Array;
  readonly km: Float64Array;
  /** Nights away: `back` is an hour of the day so many days later. */
  readonly nights: Int32Array;
}

const MOST_TOURS = 4;

export const createDayTours = (): DayTours => ({
  count: 0,
  leave: new Float64Array(MOST_TOURS),
  back: new Float64Array(MOST_TOURS),
  km: new Float64Array(MOST_TOURS),
  nights: new Int32Array(MOST_TOURS),
});

/** Probability of driving to work on a day on which the driver is used to. */
const COMMUTES = 0.88;
/** Probability of a first outing, the hours at which the first and a second one are most likely, the part of second ones at night, and the probability of a long tour instead. */
const OUTINGS = {
  workday: { first: 0.7, at: 10.3, second: 16.8, night: 0.05, long: 0.02 },
  saturday: { first: 0.78, at: 10.8, second: 15.2, night: 0.25, long: 0.06 },
  sunday: { first: 0.62, at: 11.8, second: 15.2, night: 0.08, long: 0.075 },
} as const;
/** Median of long tours and of journeys to where an absence is spent, km there and back. */
const LONG_KM = 150;
const JOURNEY_KM = 350;
/** Probability that a household that is away took the car. */
const TAKES_THE_CAR = 0.6;

const uniform = (stream: number, day: number, draw: number): number =>
  hashInStream(stream, day, draw) / WORD_VALUES;
const normal = (stream: number, day: number, draw: number): number =>
  normalOfHash(hashInStream(stream, day, draw));

function addTour(tours: DayTours, leave: number, back: number, km: number): void {
  const { count } = tours;
  tours.leave[count] = leave;
  tours.back[count] = back;
  tours.km[count] = km;
  tours.nights[count] = 0;
  tours.count = count + 1;
}

/** Writes the one tour of the first day of an absence, from which the car is back on the last, or none. */
export function fillJourney(stream: number, firstDay: number, nights: number, tours: DayTours): void {
  tours.count = 0;
  if (uniform(stream, firstDay, 20) >= TAKES_THE_CAR) return;
  const leave = 9.5 + 1.2 * normal(stream, firstDay, 21);
  const km = JOURNEY_KM * Math.exp(0.5 * normal(stream, firstDay, 22));
  addTour(tours, leave, 16.5 + 2 * normal(stream, firstDay, 23), km);
  tours.nights[0] = nights;
}

/** Writes the tours of a local day (days since 1970) of a driver; `stream` is that of the channel `tour`. */
export function fillDayTours(
  habits: Habits,
  stream: number,
  localDay: number,
  kind: DayType,
  tours: DayTours,
): void {
  tours.count = 0;
  const weekday = weekdayOf(localDay);
  if (kind === 'workday' && habits.commutes[weekday] && uniform(stream, localDay, 0) < COMMUTES) {
    addWorkingDay(habits, stream, localDay, weekday, tours);
  } else addOutings(habits, stream, localDay, kind, tours);
}

function addWorkingDay(habits: Habits, stream: number, day: number, weekday: number, tours: DayTours): void {
  const { shiftHours } = habits;
  // Shifts change on Mondays: one week from early in the morning, one until late in the evening.
  const late = habits.shifts && ((day - weekday) / 7) % 2 !== 0;
  const early = habits.shifts && !late;
  const start = late ? 13.1 : early ? 5.2 : habits.leavesAt;
  const end = late ? 22.4 : early ? 14.4 : habits.comesHomeAt;
  const errand = uniform(stream, day, 1) < 0.2 ? 0.3 + 1.5 * uniform(stream, day, 2) : 0;
  const back = end + 0.9 * normal(stream, day, 3) + errand + shiftHours;
  const km = habits.commuteKm + (errand > 0 ? 5 : 0);
  addTour(tours, start + 0.35 * normal(stream, day, 4) + shiftHours, back, km);
  if (late || uniform(stream, day, 5) >= habits.evening) return;
  const leave = Math.max(back + 0.5, 17.4 + 1.1 * normal(stream, day, 6) + shiftHours);
  const away = 0.5 + 2.2 * uniform(stream, day, 7) + (uniform(stream, day, 8) < 0.2 ? 1.5 : 0);
  const far = habits.outingFactor * Math.exp(0.5 * normal(stream, day, 9));
  addTour(tours, leave, leave + away, 9 * far);
}

function addOutings(habits: Habits, stream: number, day: number, kind: DayType, tours: DayTours): void {
  const { shiftHours, outingFactor } = habits;
  const { first, at, second, night, long } = OUTINGS[kind];
  const chance = uniform(stream, day, 10);
  if (chance < long) {
    const leave = 9.2 + 1.2 * normal(stream, day, 11) + shiftHours;
    const km = LONG_KM * Math.exp(0.5 * normal(stream, day, 13));
    addTour(tours, leave, leave + 5 + 6 * uniform(stream, day, 12), km);
    return;
  }
  let home = 0;
  if (chance < long + first) {
    const leave = at + 2 * normal(stream, day, 11) + shiftHours;
    home = leave + 0.7 + 1.6 * Math.exp(0.7 * normal(stream, day, 12));
    addTour(tours, leave, home, 16 * outingFactor * Math.exp(0.75 * normal(stream, day, 13)));
  }
  if (uniform(stream, day, 14) >= habits.secondOuting) return;
  const isLate = uniform(stream, day, 18) < night;
  const preferred = (isLate ? 18.8 : second) + (isLate ? 1.2 : 1.9) * normal(stream, day, 15) + shiftHours;
  const leave = Math.max(home + 0.5, preferred);
  const away = (isLate ? 2 : 0.8) + 1.8 * Math.exp(0.6 * normal(stream, day, 16));
  addTour(tours, leave, leave + away, 13 * outingFactor * Math.exp(0.7 * normal(stream, day, 17)));
}
