/** UTC days of 96 quarter hours, and where their quarters lie in local legal time. */
import { BoundedCache } from '../kernel/bounded-cache.ts';
import { zoneOffsetMinutes } from './zone.ts';

export const QUARTERS_PER_DAY = 96;
const QUARTER_MS = 900_000;

/** Where a quarter (counted from 1970 in UTC) lies in local time: day number since 1970 and quarter of the day. */
export function localQuarterAt(
  zone: string,
  quarterIndex: number,
): { localDay: number; localQuarter: number } {
  const offset = zoneOffsetMinutes(zone, quarterIndex * QUARTER_MS);
  const local = quarterIndex + Math.round(offset / 15);
  const localDay = Math.floor(local / QUARTERS_PER_DAY);
  return { localDay, localQuarter: local - localDay * QUARTERS_PER_DAY };
}

/** Quarters `from` up to and without `to` of a UTC day that follow each other on one local day. */
export interface DaySegment {
  readonly from: number;
  readonly to: number;
  readonly localDay: number;
  /** Local quarter of `from`. */
  readonly localQuarter: number;
}

const zones = new Map<string, BoundedCache<number, readonly DaySegment[]>>();

/** The stretches of UTC days (days since 1970) in a zone: two a day, more when the clock is changed. */
export function daySegmentsIn(zone: string): (day: number) => readonly DaySegment[] {
  let days = zones.get(zone);
  if (!days) zones.set(zone, (days = new BoundedCache(800)));
  const kept = days;
  return (day) => kept.getOrCompute(day, () => splitDay(zone, day));
}

function splitDay(zone: string, day: number): readonly DaySegment[] {
  const stretches: DaySegment[] = [];
  const steady =
    zoneOffsetMinutes(zone, day * QUARTERS_PER_DAY * QUARTER_MS) ===
    zoneOffsetMinutes(zone, ((day + 1) * QUARTERS_PER_DAY - 1) * QUARTER_MS);
  for (let from = 0; from < QUARTERS_PER_DAY;) {
    const { localDay, localQuarter } = localQuarterAt(zone, day * QUARTERS_PER_DAY + from);
    let to = Math.min(QUARTERS_PER_DAY, from + QUARTERS_PER_DAY - localQuarter);
    if (!steady) {
      // Up to the first quarter that does not follow.
      for (let next = from + 1; next < to; next++) {
        if (localQuarterAt(zone, day * QUARTERS_PER_DAY + next).localQuarter !== localQuarter + next - from)
          to = next;
      }
    }
    stretches.push({ from, to, localDay, localQuarter });
    from = to;
  }
  return stretches;
}
