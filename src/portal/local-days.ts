import { DAY_MS, HOUR_MS, QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import { createZoneOffsetLookup, listInstantsOfWallTime } from '../domain/prices/zone-offsets.ts';
import type { ZoneOffsetLookup } from '../domain/prices/zone-offsets.ts';

/** A day on the clocks of a zone; one on which they are changed has 23 or 25 hours. */
export interface LocalDay {
  /** `2026-11-23`. */
  readonly date: string;
  readonly from: Date;
  readonly to: Date;
}

/** What the clocks of a zone show. */
export interface LocalClock {
  readonly zone: string;
  /** The day that an instant belongs to. */
  readonly dayOf: (instant: Date) => string;
  /** The day of a date such as `2026-11-23`; undefined for a text that is no date, and for a day that the zone has left out. */
  readonly findDay: (date: string) => LocalDay | undefined;
  /** `02:15`; in an hour that the clocks show twice `02:15a` and `02:15b`. */
  readonly formatTime: (instant: Date) => string;
}

/** Midnight may be left out when clocks are put forward, by two hours at most. */
const LONGEST_GAP_MS = 2 * HOUR_MS;

/** The clocks of an IANA time zone. Throws a RangeError for a name that the runtime does not know. */
export function createLocalClock(zone: string): LocalClock {
  const offsetAt = createZoneOffsetLookup(zone);
  if (offsetAt === undefined) throw new RangeError(`No time zone is called ${zone}.`);
  const known = new Map<number, string>();
  /** `2026-11-23T02:15:00.000Z` for what the clocks show; kept, since a page tells an instant several times. */
  const toWall = (instant: Date): string => {
    const ms = instant.getTime();
    let wall = known.get(ms);
    if (wall === undefined) known.set(ms, (wall = new Date(ms + offsetAt(ms)).toISOString()));
    return wall;
  };
  const findStart = (midnight: number): Date | undefined => {
    for (let wall = midnight; wall <= midnight + LONGEST_GAP_MS; wall += QUARTER_HOUR_MS) {
      const [start] = listInstantsOfWallTime(wall, offsetAt).sort((a, b) => a - b);
      if (start !== undefined) return new Date(start);
    }
    return undefined;
  };
  return {
    zone,
    dayOf: (instant) => toWall(instant).slice(0, 10),
    findDay: (date) => {
      const midnight = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
      if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return undefined;
      const from = findStart(midnight);
      const to = findStart(midnight + DAY_MS) ?? findStart(midnight + 2 * DAY_MS);
      return from && to && { date, from, to };
    },
    formatTime: (instant) => {
      const ms = instant.getTime();
      return `${toWall(instant).slice(11, 16)}${tellWhich(ms, ms + offsetAt(ms), offsetAt)}`;
    },
  };
}

/** Which of the two instants at which the clocks show this it is; nothing where there is one. */
function tellWhich(ms: number, wallMs: number, offsetAt: ZoneOffsetLookup): '' | 'a' | 'b' {
  if (offsetAt(wallMs - DAY_MS) === offsetAt(wallMs + DAY_MS)) return '';
  const instants = listInstantsOfWallTime(wallMs, offsetAt).sort((a, b) => a - b);
  if (instants.length < 2) return '';
  return instants[0] === ms ? 'a' : 'b';
}

/** The date so many days after another one. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
