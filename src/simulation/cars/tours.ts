/**
 * The tours of a local day, each from home and back, by purpose, from draws alone (docs/simulation.md#electric-vehicle): first
 * where they go, which is all that a year's energy needs, then when.
 */
import { WORD_VALUES, hashInStream } from '../kernel/noise.ts';
import { logNormalOfHash, normalOfHash, tabulateLogNormal } from '../kernel/normal-table.ts';
import { weekdayOf } from '../time/day-type.ts';
import type { DayType } from '../time/day-type.ts';
import type { DriverHabits } from './habits.ts';

/** What a tour is for. */
const PURPOSE = {
  work: 0,
  workAndErrand: 1,
  evening: 2,
  outing: 3,
  secondOuting: 4,
  longTour: 5,
  journey: 6,
} as const;
type Purpose = (typeof PURPOSE)[keyof typeof PURPOSE];

/** Tours in the order in which they are driven. Times are hours of the local day, distances km there and back, unscaled. */
export interface DayTours {
  count: number;
  /** Type of the day. */
  kind: DayType;
  readonly purpose: Uint8Array;
  readonly km: Float64Array;
  readonly leave: Float64Array;
  readonly back: Float64Array;
  /** Nights away: `back` is an hour of the day so many days later. */
  readonly nights: Int32Array;
}

const MOST_TOURS = 4;

export const createDayTours = (): DayTours => ({
  count: 0,
  kind: 'workday',
  purpose: new Uint8Array(MOST_TOURS),
  km: new Float64Array(MOST_TOURS),
  leave: new Float64Array(MOST_TOURS),
  back: new Float64Array(MOST_TOURS),
  nights: new Int32Array(MOST_TOURS),
});

/** Probability of driving to work on a day on which the driver is used to. */
const COMMUTES = 0.88;
/**
 * Probability of a first outing, the hours at which the first and a second one are most likely, the part of second ones at
 * night, and the probability of a long tour instead.
 */
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
/** Probability of an errand on the way home from work, and its km. */
const ERRAND = 0.2;
const ERRAND_KM = 5;

/** Factors on medians of distances and times, by how widely they are drawn. */
const NARROW = tabulateLogNormal(0.5);
const MIDDLE = tabulateLogNormal(0.6);
const BROAD = tabulateLogNormal(0.7);
const BROADEST = tabulateLogNormal(0.75);

const uniform = (stream: number, day: number, draw: number): number =>
  hashInStream(stream, day, draw) / WORD_VALUES;
const normal = (stream: number, day: number, draw: number): number =>
  normalOfHash(hashInStream(stream, day, draw));
const logNormal = (factors: Float64Array, stream: number, day: number, draw: number): number =>
  logNormalOfHash(factors, hashInStream(stream, day, draw));

function addTour(tours: DayTours, purpose: Purpose, km: number): void {
  const { count } = tours;
  tours.purpose[count] = purpose;
  tours.km[count] = km;
  tours.count = count + 1;
}

/** Shifts change on Mondays: one week from early in the morning, one until late in the evening. */
const worksLate = (habits: DriverHabits, day: number): boolean =>
  habits.shifts && ((day - weekdayOf(day)) / 7) % 2 !== 0;

/** Draws the one tour of the first day (days since 1970) of an absence, or none. */
export function drawJourney(stream: number, firstDay: number, tours: DayTours): void {
  tours.count = 0;
  if (uniform(stream, firstDay, 20) >= TAKES_THE_CAR) return;
  addTour(tours, PURPOSE.journey, JOURNEY_KM * logNormal(NARROW, stream, firstDay, 22));
}

/** Draws where the tours of a local day (days since 1970) go; `stream` is that of the channel `tour`. */
export function drawDistances(
  habits: DriverHabits,
  stream: number,
  day: number,
  kind: DayType,
  tours: DayTours,
): void {
  tours.count = 0;
  tours.kind = kind;
  if (kind === 'workday' && habits.commutes[weekdayOf(day)] && uniform(stream, day, 0) < COMMUTES) {
    const errand = uniform(stream, day, 1) < ERRAND;
    if (errand) addTour(tours, PURPOSE.workAndErrand, habits.commuteKm + ERRAND_KM);
    else addTour(tours, PURPOSE.work, habits.commuteKm);
    if (worksLate(habits, day) || uniform(stream, day, 5) >= habits.evening) return;
    addTour(tours, PURPOSE.evening, 9 * habits.outingFactor * logNormal(NARROW, stream, day, 9));
    return;
  }
  const { first, long } = OUTINGS[kind];
  const chance = uniform(stream, day, 10);
  if (chance < long) {
    addTour(tours, PURPOSE.longTour, LONG_KM * logNormal(NARROW, stream, day, 13));
    return;
  }
  const { outingFactor } = habits;
  if (chance < long + first) {
    addTour(tours, PURPOSE.outing, 16 * outingFactor * logNormal(BROADEST, stream, day, 13));
  }
  if (uniform(stream, day, 14) >= habits.secondOuting) return;
  addTour(tours, PURPOSE.secondOuting, 13 * outingFactor * logNormal(BROAD, stream, day, 17));
}

/** Draws when the tours of a day begin and end whose distances were drawn before; a journey is back after so many nights. */
export function drawTimes(
  habits: DriverHabits,
  stream: number,
  day: number,
  nights: number,
  tours: DayTours,
): void {
  let home = 0;
  for (let i = 0; i < tours.count; i++) {
    const purpose = tours.purpose[i];
    tours.nights[i] = 0;
    if (purpose === PURPOSE.journey) {
      tours.leave[i] = 9.5 + 1.2 * normal(stream, day, 21);
      tours.back[i] = 16.5 + 2 * normal(stream, day, 23);
      tours.nights[i] = nights;
    } else if (purpose === PURPOSE.work || purpose === PURPOSE.workAndErrand) {
      drawWorkTimes(habits, stream, day, purpose === PURPOSE.workAndErrand, tours);
    } else if (purpose === PURPOSE.evening) {
      const away = 0.5 + 2.2 * uniform(stream, day, 7) + (uniform(stream, day, 8) < 0.2 ? 1.5 : 0);
      setTimes(tours, i, Math.max(home + 0.5, 17.4 + 1.1 * normal(stream, day, 6) + habits.shiftHours), away);
    } else drawOutingTimes(habits, stream, day, i, home, tours);
    home = tours.back[i] ?? 0;
  }
}

function setTimes(tours: DayTours, i: number, leave: number, away: number): void {
  tours.leave[i] = leave;
  tours.back[i] = leave + away;
}

/** Of the first tour of a working day. */
function drawWorkTimes(
  habits: DriverHabits,
  stream: number,
  day: number,
  errand: boolean,
  tours: DayTours,
): void {
  const { shiftHours } = habits;
  const late = worksLate(habits, day);
  const early = habits.shifts && !late;
  const start = late ? 13.1 : early ? 5.2 : habits.leavesAt;
  const end = late ? 22.4 : early ? 14.4 : habits.comesHomeAt;
  const longer = errand ? 0.3 + 1.5 * uniform(stream, day, 2) : 0;
  tours.leave[0] = start + 0.35 * normal(stream, day, 4) + shiftHours;
  tours.back[0] = end + 0.9 * normal(stream, day, 3) + longer + shiftHours;
}

/** Of tour `i` of other days, before which the car was home at `home`. */
function drawOutingTimes(
  habits: DriverHabits,
  stream: number,
  day: number,
  i: number,
  home: number,
  tours: DayTours,
): void {
  const { shiftHours } = habits;
  const { at, second, night } = OUTINGS[tours.kind];
  if (tours.purpose[i] === PURPOSE.longTour) {
    const leave = 9.2 + 1.2 * normal(stream, day, 11) + shiftHours;
    setTimes(tours, i, leave, 5 + 6 * uniform(stream, day, 12));
  } else if (tours.purpose[i] === PURPOSE.outing) {
    const leave = at + 2 * normal(stream, day, 11) + shiftHours;
    setTimes(tours, i, leave, 0.7 + 1.6 * logNormal(BROAD, stream, day, 12));
  } else {
    const isLate = uniform(stream, day, 18) < night;
    const preferred = (isLate ? 18.8 : second) + (isLate ? 1.2 : 1.9) * normal(stream, day, 15) + shiftHours;
    const away = (isLate ? 2 : 0.8) + 1.8 * logNormal(MIDDLE, stream, day, 16);
    setTimes(tours, i, Math.max(home + 0.5, preferred), away);
  }
}
