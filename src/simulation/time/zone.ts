/** Local legal time: the offsets of a zone, found by bisection a year at a time and kept. */
import { DAY_MS } from '../../domain/api/durations.ts';
import { createZoneOffsetLookup } from '../../domain/prices/zone-offsets.ts';
import { BoundedCache } from '../kernel/bounded-cache.ts';
import { firstDayOf, utcYearOf } from './calendar.ts';

/** Time in which a zone has one offset, within a calendar year (UTC): instants in ms, `toMs` exclusive. */
export interface OffsetSpan {
  readonly fromMs: number;
  readonly toMs: number;
  /** Minutes east of UTC. */
  readonly offsetMinutes: number;
}

/** By zone and year, in order. Zones are those of places, so that their number is bounded. */
const yearsByZone = new Map<string, BoundedCache<number, readonly OffsetSpan[]>>();
const CACHED_YEARS = 16;

/** A span without any instant. */
export const NO_SPAN: OffsetSpan = { fromMs: 0, toMs: 0, offsetMinutes: 0 };

/** Clocks are not changed twice within so short a time. */
const SEARCH_STEP_MS = 15 * DAY_MS;

/** Finds the spans of a year. Throws a RangeError when the zone is unknown. */
function findYearSpans(zone: string, year: number): readonly OffsetSpan[] {
  const lookUp = createZoneOffsetLookup(zone);
  if (!lookUp) throw new RangeError(`There is no time zone ${zone}.`);
  const offsetAt = (atMs: number): number => Math.round(lookUp(atMs) / 60_000);
  const start = firstDayOf(year) * DAY_MS;
  const end = firstDayOf(year + 1) * DAY_MS;
  // Date.UTC reads 0 to 99 as 1900 to 1999; such a year has had the offset with which that one begins, and keeps it.
  if (year >= 0 && year < 100) {
    return [{ fromMs: start, toMs: end, offsetMinutes: offsetAt(Date.UTC(year, 0, 1)) }];
  }
  const spans: OffsetSpan[] = [];
  let fromMs = start;
  for (let left = start; left < end; left += SEARCH_STEP_MS) {
    // The last instant tried lies within the year: a change at its very end belongs to the next.
    const right = Math.min(end - 1000, left + SEARCH_STEP_MS);
    const before = offsetAt(left);
    if (offsetAt(right) === before) continue;
    let low = left;
    let high = right;
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2000) * 1000;
      if (offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    spans.push({ fromMs, toMs: high, offsetMinutes: offsetAt(fromMs) });
    fromMs = high;
  }
  spans.push({ fromMs, toMs: end, offsetMinutes: offsetAt(fromMs) });
  return spans;
}

/** The span in which an instant in ms lies in a zone (IANA name). Throws a RangeError for an unknown zone. */
export function offsetSpanAt(zone: string, atMs: number): OffsetSpan {
  const year = utcYearOf(atMs);
  let years = yearsByZone.get(zone);
  if (!years) yearsByZone.set(zone, (years = new BoundedCache(CACHED_YEARS)));
  const spans = years.getOrCompute(year, () => findYearSpans(zone, year));
  let i = spans.length - 1;
  while (i > 0 && (spans[i]?.fromMs ?? 0) > atMs) i--;
  return spans[i] ?? NO_SPAN;
}

/** Offset of a zone (IANA name) in minutes east of UTC at an instant in ms. Throws a RangeError for an unknown zone. */
export const zoneOffsetMinutes = (zone: string, atMs: number): number =>
  offsetSpanAt(zone, atMs).offsetMinutes;
