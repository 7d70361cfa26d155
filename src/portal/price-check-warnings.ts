import { HOUR_MS, QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import type { UploadedPrice } from '../domain/prices/price-comparison.ts';
import { PRICE_VALIDITY_MS } from '../domain/prices/prices.ts';
import type { LocalClock } from './local-days.ts';
import type { ListedPrice } from './price-list.ts';
import { formatDuration, formatInstant } from './time-spans.ts';
import { countOf } from './times.ts';

const MOST_TOLD = 4;

/**
 * Where prices of an upload, in their order, would count for a time that people may not mean: an hour that a stored quarter hour cuts
 * short, and a quarter hour that goes on since none follows. Empty where there is none of it.
 */
export function warnOfLengths(
  prices: readonly UploadedPrice[],
  stored: readonly ListedPrice[],
  clock: LocalClock,
): readonly string[] {
  const uploaded = new Set(prices.map(({ startsAt }) => startsAt.getTime()));
  const starts = new Set([...uploaded, ...stored.map(({ timestamp }) => Date.parse(timestamp))]);
  const told = [...uploaded].flatMap((startMs) => {
    const endMs = findNext(starts, startMs);
    const at = formatInstant(clock, new Date(startMs));
    const end = clock.formatTime(new Date(endMs));
    const length = formatDuration(endMs - startMs);
    if (startMs % HOUR_MS !== 0)
      return endMs - startMs > QUARTER_HOUR_MS && !isEndOfQuarters(starts, startMs)
        ? [`The price of ${at} would count for ${length}, until ${end}: no other begins before.`]
        : [];
    return endMs - startMs < PRICE_VALIDITY_MS && !uploaded.has(endMs)
      ? [
          `The price of ${at} would count for ${length} only: one that is stored begins at ${end} and stays. Upload each quarter hour of the hour to replace it whole.`,
        ]
      : [];
  });
  const more = told.length - MOST_TOLD;
  return more > 0 ? [...told.slice(0, MOST_TOLD), `${countOf(more, 'more price')} of this kind.`] : told;
}

/** Whether it ends a row of quarter hours: the last price of any upload goes on for want of another. */
function isEndOfQuarters(starts: ReadonlySet<number>, startMs: number): boolean {
  return starts.has(startMs - QUARTER_HOUR_MS) && starts.has(startMs - 2 * QUARTER_HOUR_MS);
}

/** When the next price begins, at most an hour later. */
function findNext(starts: ReadonlySet<number>, startMs: number): number {
  for (let at = startMs + QUARTER_HOUR_MS; at < startMs + PRICE_VALIDITY_MS; at += QUARTER_HOUR_MS)
    if (starts.has(at)) return at;
  return startMs + PRICE_VALIDITY_MS;
}
