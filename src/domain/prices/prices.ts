import { listInstantsOfWallTime } from './zone-offsets.ts';
import type { ZoneOffsetLookup } from './zone-offsets.ts';
import { isInstantInFourDigitYears, tryParseWallTime } from '../api/instants.ts';
import type { WallTime } from '../api/instants.ts';
import { FIELD_ERRORS_SOUGHT } from '../api/problem.ts';
import type { FieldError } from '../api/problem.ts';
import { HOUR_MS, QUARTER_HOUR_MS } from '../api/durations.ts';

/** A price holds until the next entry, but no longer than this. */
export const PRICE_VALIDITY_MS = HOUR_MS;

/** Whose price it is: the organization's own, or that of its parent. */
export type PriceOrigin = 'own' | 'parent';

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

interface PriceReading {
  /** Ascending. To be used only when there are no errors. */
  readonly prices: readonly DayAheadPrice[];
  readonly errors: readonly FieldError[];
}

/** Reads a whole upload; of the invalid entries as many are named as an answer tells, and one more. `offsetAt` reads naive timestamps, UTC when undefined. */
export function parsePriceEntries(
  entries: readonly GivenPrice[],
  offsetAt: ZoneOffsetLookup | undefined,
): PriceReading {
  const errors: FieldError[] = [];
  const prices: DayAheadPrice[] = [];
  const seen = new Map<number, number>();
  for (const [index, entry] of entries.entries()) {
    if (errors.length === FIELD_ERRORS_SOUGHT) break;
    const reject = (code: FieldError['code'], detail: string): void => {
      errors.push({ pointer: `/data/${index}/timestamp`, code, detail });
    };
    const wall = tryParseWallTime(entry.timestamp);
    if (wall === undefined) {
      reject('format', 'Must be an ISO 8601 instant.');
      continue;
    }
    const instants = listInstants(wall, offsetAt);
    const instant = instants[0];
    if (instants.some((each) => !isInstantInFourDigitYears(each))) {
      reject('timestamp_out_of_range', 'Must be in the years 0000 to 9999, in UTC.');
    } else if (instant === undefined) {
      reject('timestamp_gap', 'Is skipped when daylight-saving time begins; give it with an offset.');
    } else if (instants.length > 1) {
      reject('timestamp_ambiguous', 'Exists twice when daylight-saving time ends; give it with an offset.');
    } else if (instant % QUARTER_HOUR_MS !== 0) {
      reject('timestamp_alignment', 'Must be on a quarter hour.');
    } else if (seen.has(instant)) {
      reject('timestamp_duplicate', `Means the same instant as /data/${seen.get(instant) ?? 0}/timestamp.`);
    } else {
      seen.set(instant, index);
      prices.push(toPrice(entry, instant));
    }
  }
  return { prices: prices.toSorted((a, b) => a.startsAt.getTime() - b.startsAt.getTime()), errors };
}

/** Whether the delivery quarter that begins then is over. */
export function isPricePast(startsAt: Date, now: Date): boolean {
  return startsAt.getTime() + QUARTER_HOUR_MS <= now.getTime();
}

function listInstants({ utcMs, offsetMinutes }: WallTime, offsetAt: ZoneOffsetLookup | undefined): number[] {
  if (offsetMinutes !== undefined) return [utcMs - offsetMinutes * 60_000];
  return offsetAt === undefined ? [utcMs] : listInstantsOfWallTime(utcMs, offsetAt);
}

function toPrice(entry: GivenPrice, instant: number): DayAheadPrice {
  const { price, best_bid: bestBid = [], best_ask: bestAsk = [] } = entry;
  return { startsAt: new Date(instant), price, bestBid, bestAsk };
}
