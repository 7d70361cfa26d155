/** UTC days of 96 quarter hours, and where their quarters lie in local legal time. */
import { Memory } from '../kernel/bounded-cache.ts';
import { offsetMinutesAt } from './zone.ts';

export const QUARTERS = 96;
const QUARTER_MS = 900_000;

/** Where a quarter (counted from 1970 in UTC) lies in local time: day number since 1970 and quarter of the day. */
export function localQuarterOf(
  zone: string,
  quarterIndex: number,
): { localDay: number; localQuarter: number } {
  const offset = offsetMinutesAt(zone, quarterIndex * QUARTER_MS);
  const local = quarterIndex + Math.round(offset / 15);
  const localDay = Math.floor(local / QUARTERS);
  return { localDay, localQuarter: local - localDay * QUARTERS };
}

/** Quarters `from` up to and without `to` of a UTC day that follow each other on one local day. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly localDay: number;
  /** Local quarter of `from`. */
  readonly localQuarter: number;
}

const zones = new Map<string, Memory<number, readonly Stretch[]>>();

/** The stretches of UTC days (days since 1970) in a zone: two a day, more when the clock is changed. */
export function stretchesOf(zone: string): (day: number) => readonly Stretch[] {
  let days = zones.get(zone);
  if (!days) zones.set(zone, (days = new Memory(800)));
  const kept = days;
  return (day) => kept.get(day, () => cutDay(zone, day));
}

function cutDay(zone: string, day: number): readonly Stretch[] {
  const stretches: Stretch[] = [];
  const steady =
    offsetMinutesAt(zone, day * QUARTERS * QUARTER_MS) ===
    offsetMinutesAt(zone, ((day + 1) * QUARTERS - 1) * QUARTER_MS);
  for (let from = 0; from < QUARTERS;) {
    const { localDay, localQuarter } = localQuarterOf(zone, day * QUARTERS + from);
    let to = Math.min(QUARTERS, from + QUARTERS - localQuarter);
    if (!steady) {
      // Up to the first quarter that does not follow.
      for (let next = from + 1; next < to; next++) {
        if (localQuarterOf(zone, day * QUARTERS + next).localQuarter !== localQuarter + next - from)
          to = next;
      }
    }
    stretches.push({ from, to, localDay, localQuarter });
    from = to;
  }
  return stretches;
}
