import { isRepresentableInstant, tryParseWallTime } from '../api/instants.ts';
import type { WallTime } from '../api/instants.ts';
import type { FieldError } from '../api/problem.ts';

export const QUARTER_MS = 15 * 60_000;
/** A price holds until the next entry, but no longer than this. */
export const PRICE_VALIDITY_MS = 60 * 60_000;
const DAY_MS = 86_400_000;

/** An entry as a partner sends it. */
interface GivenPrice {
  readonly timestamp: string;
  /** EUR/MWh. */
  readonly price: number;
  readonly best_bid?: readonly number[] | undefined;
  readonly best_ask?: readonly number[] | undefined;
}

/** The same with its instant known. */
export interface DayAheadPrice {
  readonly startsAt: Date;
  /** EUR/MWh. */
  readonly price: number;
  readonly bestBid: readonly number[];
  readonly bestAsk: readonly number[];
}

/** Offset from UTC, in milliseconds, that holds in a time zone at an instant. */
type OffsetAt = (instantMs: number) => number;

/**
 * The offsets of an IANA time zone, by the runtime's copy of the time zone database; undefined for a name that it
 * does not know. Numeric offsets ("+02:00") are no names. A call takes about two microseconds.
 */
export function createZoneOffsetLookup(timeZone: string): OffsetAt | undefined {
  if (!/^[A-Za-z]/.test(timeZone)) return undefined;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset', year: 'numeric' });
  } catch (error) {
    if (error instanceof RangeError || (error as Error).name === 'RangeError') return undefined;
    throw error;
  }
  const known = new Map<number, number>();
  return (instantMs) => {
    const before = known.get(instantMs);
    if (before !== undefined) return before;
    const offset = parseLongOffset(format.format(instantMs));
    known.set(instantMs, offset);
    return offset;
  };
}

/** "2026, GMT+02:00", "1880, GMT-04:56:02", or plain "GMT". */
function parseLongOffset(text: string): number {
  const match = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?/.exec(text);
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = match ?? [];
  const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -size : size;
}

/** The instants, in ms, at which clocks of the zone show this wall time: one, none in a gap, two in a fold. */
export function listInstantsOfWallTime(wallMs: number, offsetAt: OffsetAt): number[] {
  // Whatever changes within a day of it, the offset that is right holds a day before or a day after.
  const offsets = new Set([offsetAt(wallMs - DAY_MS), offsetAt(wallMs + DAY_MS)]);
  return [...offsets]
    .map((offset) => wallMs - offset)
    .filter((instant) => instant + offsetAt(instant) === wallMs);
}

interface PriceReading {
  /** Ascending. To be used only when there are no errors. */
  readonly prices: readonly DayAheadPrice[];
  readonly errors: readonly FieldError[];
}

/** Reads a whole upload; every invalid entry is named. `offsetAt` reads naive timestamps, UTC when undefined. */
export function parsePriceEntries(
  entries: readonly GivenPrice[],
  offsetAt: OffsetAt | undefined,
): PriceReading {
  const errors: FieldError[] = [];
  const prices: DayAheadPrice[] = [];
  const seen = new Map<number, number>();
  for (const [index, entry] of entries.entries()) {
    const reject = (code: FieldError['code'], detail: string): void => {
      errors.push({ pointer: `/data/${index}/timestamp`, code, detail });
    };
    const wall = tryParseWallTime(entry.timestamp);
    if (wall === undefined) {
      reject('format', 'must be an ISO 8601 instant');
      continue;
    }
    const instants = listInstants(wall, offsetAt);
    const instant = instants[0];
    if (instants.some((each) => !isRepresentableInstant(each))) {
      reject('timestamp_out_of_range', 'must be in the years 0000 to 9999, in UTC');
    } else if (instant === undefined) {
      reject('timestamp_gap', 'is skipped when daylight-saving time begins; give it with an offset');
    } else if (instants.length > 1) {
      reject('timestamp_ambiguous', 'exists twice when daylight-saving time ends; give it with an offset');
    } else if (instant % QUARTER_MS !== 0) {
      reject('timestamp_alignment', 'must be on a quarter hour');
    } else if (seen.has(instant)) {
      reject('timestamp_duplicate', `means the same instant as /data/${seen.get(instant) ?? 0}/timestamp`);
    } else {
      seen.set(instant, index);
      prices.push(toPrice(entry, instant));
    }
  }
  return { prices: prices.toSorted((a, b) => a.startsAt.getTime() - b.startsAt.getTime()), errors };
}

/** Whether the delivery quarter of every price is over. */
export function areAllPricesPast(prices: readonly DayAheadPrice[], now: Date): boolean {
  return prices.every(({ startsAt }) => startsAt.getTime() + QUARTER_MS <= now.getTime());
}

/** The quarter hour that begins next, at which schedules are computed anew. */
export function nextQuarterHour(now: Date): Date {
  return new Date((Math.floor(now.getTime() / QUARTER_MS) + 1) * QUARTER_MS);
}

function listInstants({ utcMs, offsetMinutes }: WallTime, offsetAt: OffsetAt | undefined): number[] {
  if (offsetMinutes !== undefined) return [utcMs - offsetMinutes * 60_000];
  return offsetAt === undefined ? [utcMs] : listInstantsOfWallTime(utcMs, offsetAt);
}

function toPrice(entry: GivenPrice, instant: number): DayAheadPrice {
  const { price, best_bid: bestBid = [], best_ask: bestAsk = [] } = entry;
  return { startsAt: new Date(instant), price, bestBid, bestAsk };
}
