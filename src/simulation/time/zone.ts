/** Local legal time: the offsets of a zone, found once a year by bisection and kept. */
import { DAY_MS } from '../../domain/api/durations.ts';
import { createZoneOffsetLookup } from '../../domain/prices/zone-offsets.ts';
import { utcYearOf } from './calendar.ts';

/** The offsets of one calendar year (UTC) in a zone. */
interface YearOffsets {
  /** Instants in ms from which each offset holds, ascending; the first is the start of the year. */
  readonly fromMs: readonly number[];
  /** Minutes east of UTC. */
  readonly offsetMinutes: readonly number[];
}

/** By zone and year. Zones are those of places on land, so that their number is bounded. */
const yearsByZone = new Map<string, Map<number, YearOffsets>>();

/** Clocks are not changed twice within so short a time. */
const SEARCH_STEP_MS = 15 * DAY_MS;

/** Finds the changes of a year. Throws a RangeError when the zone is unknown. */
function findYearOffsets(zone: string, year: number): YearOffsets {
  const lookUp = createZoneOffsetLookup(zone);
  if (!lookUp) throw new RangeError(`There is no time zone ${zone}.`);
  const offsetAt = (atMs: number): number => Math.round(lookUp(atMs) / 60_000);
  const start = Date.UTC(year, 0, 1);
  const end = Date.UTC(year + 1, 0, 1);
  const fromMs = [start];
  const offsetMinutes = [offsetAt(start)];
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
    fromMs.push(high);
    offsetMinutes.push(offsetAt(high));
  }
  return { fromMs, offsetMinutes };
}

/** Offset of a zone (IANA name) in minutes east of UTC at an instant in ms. Throws a RangeError for an unknown zone. */
export function zoneOffsetMinutes(zone: string, atMs: number): number {
  const year = utcYearOf(atMs);
  let years = yearsByZone.get(zone);
  if (!years) yearsByZone.set(zone, (years = new Map<number, YearOffsets>()));
  let offsets = years.get(year);
  if (!offsets) years.set(year, (offsets = findYearOffsets(zone, year)));
  let i = offsets.fromMs.length - 1;
  while (i > 0 && (offsets.fromMs[i] ?? 0) > atMs) i--;
  return offsets.offsetMinutes[i] ?? 0;
}
