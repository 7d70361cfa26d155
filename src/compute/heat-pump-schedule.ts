import { toPriceBook } from '../simulation/control/price-book.ts';
import type { KnownPrices } from '../simulation/control/price-book.ts';
import { computeHeatPumpSchedule } from '../simulation/house/schedule.ts';
import type { Household } from '../simulation/household/household.ts';
import { toJsonBytes } from './bytes.ts';

/** The answer of a heat pump's schedule as JSON. */
export async function answerHeatPumpSchedule(input: {
  readonly household: Household;
  readonly prices: KnownPrices;
  readonly now: Date;
  readonly from: Date;
  readonly to: Date;
  readonly metadata: object;
}): Promise<{ readonly answer: Uint8Array }> {
  const { household, prices, now, from, to, metadata } = input;
  const entries = computeHeatPumpSchedule(household, toPriceBook(prices), now, from, to);
  return { answer: toJsonBytes({ metadata, data: entries }) };
}
