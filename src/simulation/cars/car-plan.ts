/** The plan of a car: its days by spans of three weeks, each planned from its own first day (docs/simulation.md#electric-vehicle). */
import { DayCache } from '../kernel/bounded-cache.ts';
import { CAR, TimelineWriter } from './timeline.ts';
import type { CarState, Timeline } from './timeline.ts';
import type { Driver } from './driver.ts';
import { fillTours } from './driver.ts';
import { Drives, STOP_QUARTERS } from './drives.ts';
import { DrivingYears } from './driving-years.ts';
import { LocalClock } from './local-clock.ts';
import { PlugInDecisions } from './plug-in.ts';
import { createDayTours } from './tours.ts';

/** Days of a span. Decisions look back to the first of them at most, a night that is drawn. */
const SPAN_DAYS = 21;
/** Days that are looked through for the tour that ends a span's last stay at home: absences and days at home are shorter. */
const LOOK_AHEAD_DAYS = 60;

/** Arrays that hold nothing from one call to the next, shared by all cars. */
const workspace = {
  tours: createDayTours(),
  drives: new Drives(4 * SPAN_DAYS + 1),
  writer: new TimelineWriter(64 * 4 * SPAN_DAYS),
};

export class CarPlan {
  readonly #driver: Driver;
  readonly #years: DrivingYears;
  /** Spans of different cars begin on different days. */
  readonly #phase: number;
  readonly #spans = new DayCache<Timeline>(2);

  constructor(driver: Driver) {
    this.#driver = driver;
    this.#years = new DrivingYears(driver);
    this.#phase = (driver.plugStream >>> 0) % SPAN_DAYS;
  }

  /** Number of the span that holds a local day (days since 1970). */
  spanOf(localDay: number): number {
    return Math.floor((localDay - this.#phase) / SPAN_DAYS);
  }

  /**
   * From the first departure of a span up to the first after it; empty when nobody leaves home in it. Its arrays hold until
   * another span is asked for: read them at once.
   */
  timelineOf(span: number): Timeline {
    return this.#spans.find(span) ?? this.#spans.set(span, this.#plan(span, this.#spans.evict(span)));
  }

  /** `used` is the timeline whose place the new one takes. */
  #plan(span: number, used: Timeline | undefined): Timeline {
    const { drives, writer } = workspace;
    const first = span * SPAN_DAYS + this.#phase;
    const after = first + SPAN_DAYS;
    const clock = new LocalClock(this.#driver.household.time_zone, first, after);
    drives.count = 0;
    for (let day = first; day < after; day++) this.#addDay(day, clock);
    const { count } = drives;
    if (count === 0) return writer.finish(0, used);
    let end = after;
    while (drives.count === count && end < after + LOOK_AHEAD_DAYS) this.#addDay(end++, clock, 1);
    if (drives.count === count) {
      drives.leave[count] = clock.utcQuarter(end, 0);
      drives.day[count] = end;
      drives.net[count] = 0;
    }
    const decisions = new PlugInDecisions(this.#driver, drives, clock);
    for (let i = 0; i < count; i++) {
      writeTour(writer, drives, i);
      decisions.decide(i);
      const back = drives.back[i] ?? 0;
      if (decisions.from > back || decisions.to === decisions.from) writer.add(back, CAR.parked);
      if (decisions.to > decisions.from) {
        writer.add(decisions.from, CAR.pluggedIn);
        if (decisions.to < (drives.leave[i + 1] ?? 0)) writer.add(decisions.to, CAR.parked);
      }
    }
    return writer.finish(drives.leave[count] ?? 0, used);
  }

  #addDay(day: number, clock: LocalClock, most?: number): void {
    const { tours, drives } = workspace;
    fillTours(this.#driver, day, tours);
    if (tours.count > 0) drives.append(this.#driver, this.#years.scaleOn(day), day, tours, clock, most);
  }
}

/** Writes the two drives of a tour, the stay between them and the stops on the way. */
function writeTour(writer: TimelineWriter, drives: Drives, i: number): void {
  const leave = drives.leave[i] ?? 0;
  const back = drives.back[i] ?? 0;
  const legs = drives.legs[i] ?? 0;
  const stops = drives.stops[i] ?? 0;
  const outwards = stops >> 1;
  const homewards = stops - outwards;
  const driven = Math.round((drives.energy[i] ?? 0) / (2 * legs));
  const charged = stops > 0 ? Math.round((drives.elsewhere[i] ?? 0) / (STOP_QUARTERS * stops)) : 0;
  const state = drives.far[i] ? CAR.drivingFar : CAR.driving;
  const arrival = writeLeg(writer, leave, legs, state, driven, outwards, charged);
  writer.add(arrival, CAR.parked);
  writeLeg(writer, back - legs - STOP_QUARTERS * homewards, legs, state, driven, homewards, charged);
}

/** Writes a drive with its stops evenly on the way; returns the quarter hour of arrival. */
function writeLeg(
  writer: TimelineWriter,
  start: number,
  quarters: number,
  state: CarState,
  driven: number,
  stops: number,
  charged: number,
): number {
  let at = start;
  let left = quarters;
  for (let part = stops + 1; part > 0; part--) {
    const length = Math.floor(left / part);
    if (length > 0) writer.add(at, state, driven);
    at += length;
    left -= length;
    if (part > 1) {
      writer.add(at, CAR.chargingElsewhere, charged);
      at += STOP_QUARTERS;
    }
  }
  return at;
}
