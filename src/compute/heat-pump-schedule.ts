import type { HouseholdControl } from '../simulation/control/household-control.ts';
import { toPriceBook } from '../simulation/control/price-book.ts';
import type { KnownPrices } from '../simulation/control/price-book.ts';
import { computeHeatPumpSchedule } from '../simulation/model/heat-pump-schedule.ts';
import type { Household } from '../simulation/household/household.ts';
import { toJsonBytes } from './bytes.ts';

/** The answer of a heat pump's schedule as JSON. */
export async function answerHeatPumpSchedule(input: {
  readonly household: Household;
  readonly prices: KnownPrices;
  readonly control: HouseholdControl;
  readonly now: Date;
  readonly from: Date;
  readonly to: Date;
  readonly metadata: object;
}): Promise<{ readonly answer: Uint8Array }> {
  const { household, prices, control, now, from, to, metadata } = input;
  const steering = { prices: toPriceBook(prices), knownUntilMs: now.getTime(), control };
  const schedule = computeHeatPumpSchedule(household, steering, from, to);
  return {
    answer: toJsonBytes({ metadata: { ...metadata, prices: schedule.prices }, data: schedule.entries }),
  };
}
