/** Day-ahead prices of a made-up market, hour by hour, for what heat pumps make of them. */
import { hashCounter, splitSeed } from '../../src/simulation/kernel/noise.ts';
import { createPriceBook } from '../../src/simulation/control/price-book.ts';
import type { PriceBook } from '../../src/simulation/control/price-book.ts';
import { FIRST_DAY, LAST_DAY } from './sample-fleets.ts';
import { DAY_MS, HOUR_MS } from '../../src/domain/api/durations.ts';

/** Central European hours; an hour off in summer makes another day, not a wrong one. */
const LOCAL_OFFSET_MS = HOUR_MS;
/** The auction's result of a day is known at noon of the day before. */
const KNOWN_AHEAD_MS = DAY_MS / 2;

/** How far each local hour departs from its day's mean, 1 being the usual evening peak. */
export const MARKETS = {
  'two peaks': [
    -0.35, -0.45, -0.5, -0.5, -0.4, -0.1, 0.4, 0.7, 0.5, 0.1, -0.2, -0.4, -0.5, -0.5, -0.35, -0.1, 0.3, 0.8, 1.1, 1,
    0.6, 0.3, 0, -0.2,
  ],
  'dear evenings': [
    -0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.4, -0.4, -0.3, -0.3, -0.2, -0.2, -0.1, -0.1, 0, 0.1, 0.2, 0.3, 0.4, 0.6,
    0.8, 1, 1.1, 1.2,
  ],
  'dear mornings': [
    1, 1, 0.9, 0.9, 0.8, 0.8, 0.7, 0.5, 0.3, 0.1, 0, 0, 0, -0.1, -0.1, -0.2, -0.2, -0.3, -0.3, -0.4, -0.5, -0.5, -0.6,
    -0.6,
  ],
} as const satisfies Readonly<Record<string, readonly number[]>>; // prettier-ignore

/** The prices around the measured year: means of days from 20 to 140, peaks from 30 to 170 above them, EUR/MWh. */
export function marketPrices(market: keyof typeof MARKETS): PriceBook {
  const seed = splitSeed(7);
  const uniform = (channel: number, bucket: number) => hashCounter(seed, 0, channel, bucket) / 2 ** 32;
  const entries = [];
  for (let day = FIRST_DAY - 40; day <= LAST_DAY + 1; day++) {
    const level = 20 + 120 * uniform(1, day);
    const peak = 30 + 140 * uniform(2, day);
    const midnight = day * DAY_MS - LOCAL_OFFSET_MS;
    for (const [hour, shape] of MARKETS[market].entries()) {
      const price = level + peak * shape + 40 * (uniform(3, day * 24 + hour) - 0.5);
      const at = new Date(midnight + hour * HOUR_MS);
      entries.push({ at, price, receivedAt: new Date(midnight - KNOWN_AHEAD_MS) });
    }
  }
  return createPriceBook(entries);
}
