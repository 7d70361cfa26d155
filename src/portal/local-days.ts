import { DAY_MS, HOUR_MS, QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import { createZoneOffsetLookup, listInstantsOfWallTime } from '../domain/prices/zone-offsets.ts';

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
  /** The day of a date such as `2026-11-23`; undefined for a text that is no date. */
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
  const toWall = (instant: Date): Date => new Date(instant.getTime() + offsetAt(instant.getTime()));
  const findStart = (midnight: number): Date => {
    for (let wall = midnight; wall <= midnight + LONGEST_GAP_MS; wall += QUARTER_HOUR_MS) {
      const [start] = listInstantsOfWallTime(wall, offsetAt).sort((a, b) => a - b);
      if (start !== undefined) return new Date(start);
    }
    throw new RangeError(`The day ${new Date(midnight).toISOString()} does not begin in ${zone}.`);
  };
  return {
    zone,
    dayOf: (instant) => toWall(instant).toISOString().slice(0, 10),
    findDay: (date) => {
      const midnight = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
      if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return undefined;
      return { date, from: findStart(midnight), to: findStart(midnight + DAY_MS) };
    },
    formatTime: (instant) => {
      const wall = toWall(instant);
      const instants = listInstantsOfWallTime(wall.getTime(), offsetAt).sort((a, b) => a - b);
      const suffix = instants.length < 2 ? '' : instants[0] === instant.getTime() ? 'a' : 'b';
      return `${wall.toISOString().slice(11, 16)}${suffix}`;
    },
  };
}

/** The date so many days after another one. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
