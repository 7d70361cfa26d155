/** From when until when a car stays at its plug. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import type { VehicleInterval } from '../devices/vehicle.ts';
import type { QuarterSpan } from '../control/revisions.ts';

/** Farther ends of a stay are not looked for: a stay is planned for a week at most. */
const LOOKED_THROUGH_DAYS = 8;

/**
 * The time at the plug that holds a quarter hour (since 1970), as far as it lies within eight days of it; undefined when the
 * vehicle is not plugged in then.
 */
export function findStay(
  drivingOn: (day: number) => readonly VehicleInterval[],
  quarter: number,
): QuarterSpan | undefined {
  const day = Math.floor(quarter / QUARTER_HOURS_PER_DAY);
  const at = quarter - day * QUARTER_HOURS_PER_DAY;
  const here = drivingOn(day);
  const index = here.findIndex(({ from, to }) => from <= at && at < to);
  if (here[index]?.pluggedIn !== true) return undefined;
  return { first: beginOf(drivingOn, day, index), end: endOf(drivingOn, day, index) };
}

function beginOf(drivingOn: (day: number) => readonly VehicleInterval[], day: number, index: number): number {
  let begin = day * QUARTER_HOURS_PER_DAY;
  for (let back = day, i = index; back > day - LOOKED_THROUGH_DAYS; back--, i = -1) {
    const intervals = drivingOn(back);
    for (let at = i < 0 ? intervals.length - 1 : i; at >= 0; at--) {
      const interval = intervals[at];
      if (interval?.pluggedIn !== true) return begin;
      begin = back * QUARTER_HOURS_PER_DAY + interval.from;
    }
  }
  return begin;
}

function endOf(drivingOn: (day: number) => readonly VehicleInterval[], day: number, index: number): number {
  let end = day * QUARTER_HOURS_PER_DAY;
  for (let ahead = day, i = index; ahead < day + LOOKED_THROUGH_DAYS; ahead++, i = 0) {
    const intervals = drivingOn(ahead);
    for (let at = i; at < intervals.length; at++) {
      const interval = intervals[at];
      if (interval?.pluggedIn !== true) return end;
      end = ahead * QUARTER_HOURS_PER_DAY + interval.to;
    }
  }
  return end;
}

/** The first quarter hour after one away from the plug at which the vehicle is plugged in; null when that is not within eight days. */
export function findNextStay(
  drivingOn: (day: number) => readonly VehicleInterval[],
  quarter: number,
): number | null {
  const day = Math.floor(quarter / QUARTER_HOURS_PER_DAY);
  for (let ahead = day; ahead < day + LOOKED_THROUGH_DAYS; ahead++) {
    for (const { from, pluggedIn } of drivingOn(ahead)) {
      const at = ahead * QUARTER_HOURS_PER_DAY + from;
      if (pluggedIn && at > quarter) return at;
    }
  }
  return null;
}
