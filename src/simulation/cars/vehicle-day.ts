/** What a car does on a UTC day, cut from its plan, in the weather of the day. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import type { VehicleInterval } from '../devices/vehicle.ts';
import type { ElectricVehicle } from '../household/equipment.ts';
import type { Household } from '../household/household.ts';
import { CarPlan } from './car-plan.ts';
import { weatherFactor } from './consumption.ts';
import { createDriver } from './driver.ts';
import type { Driver } from './driver.ts';
import { CAR, spanAt } from './timeline.ts';
import type { Timeline } from './timeline.ts';

/** A vehicle that nobody drives. */
const IDLE: readonly VehicleInterval[] = [
  { from: 0, to: QUARTER_HOURS_PER_DAY, pluggedIn: false, driven: 0 },
];
/** Spans that are looked through for the one whose last stay at home holds an instant. */
const LOOK_BACK_SPANS = 4;

/** A function that gives what a household's vehicle does on a UTC day (days since 1970), in order and without gaps. */
export function createVehicleDayPlanner(
  household: Household,
  vehicle: ElectricVehicle,
): (day: number) => readonly VehicleInterval[] {
  if (household.ev_annual_kwh <= 0) return () => IDLE;
  const driver = createDriver(household, vehicle);
  const plan = new CarPlan(driver);
  return (day) => cutDay(driver, plan, day);
}

function cutDay(driver: Driver, plan: CarPlan, day: number): readonly VehicleInterval[] {
  const intervals: VehicleInterval[] = [];
  const start = day * QUARTER_HOURS_PER_DAY;
  const end = start + QUARTER_HOURS_PER_DAY;
  const last = plan.spanOf(day + 1);
  let at = start;
  const park = (until: number): void => {
    if (until > at) intervals.push({ from: at - start, to: until - start, pluggedIn: false, driven: 0 });
    at = Math.max(at, until);
  };
  for (let span = spanHolding(plan, last, start); span <= last && at < end; span++) {
    const timeline = plan.timelineOf(span);
    if (timeline.start >= Math.min(end, timeline.end)) continue;
    park(timeline.start);
    if (at < timeline.end) {
      const until = Math.min(end, timeline.end);
      cutTimeline(driver, timeline, day, at, until, intervals);
      at = until;
    }
  }
  park(end);
  return intervals;
}

/** The last span up to `last` whose timeline begins at or before a quarter hour. */
function spanHolding(plan: CarPlan, last: number, quarter: number): number {
  for (let span = last; span > last - LOOK_BACK_SPANS; span--) {
    const timeline = plan.timelineOf(span);
    if (timeline.start < timeline.end && timeline.start <= quarter) return span;
  }
  return last - LOOK_BACK_SPANS;
}

/** Appends what a timeline holds from quarter hour `at` up to `end`, both of one day. */
function cutTimeline(
  driver: Driver,
  timeline: Timeline,
  day: number,
  at: number,
  end: number,
  intervals: VehicleInterval[],
): void {
  const start = day * QUARTER_HOURS_PER_DAY;
  const { from, state, energy, count } = timeline;
  let temperature = NaN;
  for (let i = spanAt(timeline, at); i < count; i++) {
    const begin = Math.max(at, from[i] ?? 0);
    if (begin >= end) break;
    const until = Math.min(end, i + 1 < count ? (from[i + 1] ?? end) : end);
    const doing = state[i] ?? CAR.parked;
    let driven = 0;
    if (doing === CAR.chargingElsewhere) driven = -(energy[i] ?? 0);
    else if (doing >= CAR.driving) {
      if (Number.isNaN(temperature)) temperature = driver.weather.meanTemperatureOn(day);
      driven = Math.round((energy[i] ?? 0) * weatherFactor(temperature, doing === CAR.drivingFar));
    }
    intervals.push({ from: begin - start, to: until - start, pluggedIn: doing === CAR.pluggedIn, driven });
  }
}
