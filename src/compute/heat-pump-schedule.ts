import { toJsonBytes } from '../contract/json-bytes.ts';
import { QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import type { HouseholdControl } from '../simulation/control/household-control.ts';
import { toPriceBook } from '../simulation/control/price-book.ts';
import type { KnownPrices } from '../simulation/control/price-book.ts';
import type { QuarterSpan } from '../simulation/control/revisions.ts';
import { computeHeatPumpSchedule } from '../simulation/model/heat-pump-schedule.ts';
import type { HeatPumpSchedule } from '../simulation/model/heat-pump-schedule.ts';
import type { Household } from '../simulation/household/household.ts';
import { TimeSlicer, goOn } from '../households/time-slicer.ts';

/** The answer of a heat pump's schedule as JSON, worked out in time slices. */
export async function answerHeatPumpSchedule(
  input: {
    readonly household: Household;
    readonly prices: KnownPrices;
    readonly control: HouseholdControl;
    readonly now: Date;
    /** Ascending and disjoint. */
    readonly spans: readonly QuarterSpan[];
    readonly metadata: object;
  },
  slicer = new TimeSlicer(goOn),
): Promise<{ readonly answer: Uint8Array }> {
  const { household, prices, control, now, spans, metadata } = input;
  const steering = { prices: toPriceBook(prices), knownUntilMs: now.getTime(), control };
  const schedules: HeatPumpSchedule[] = [];
  for (const { first, end } of spans) {
    const [from, to] = [new Date(first * QUARTER_HOUR_MS), new Date(end * QUARTER_HOUR_MS)];
    const work = computeHeatPumpSchedule(household, steering, from, to);
    let step = work.next();
    for (; step.done !== true; step = work.next()) await slicer.yieldIfDue();
    schedules.push(step.value);
  }
  const origins = new Set(schedules.flatMap((schedule) => schedule.prices));
  return {
    answer: toJsonBytes({
      metadata: { ...metadata, prices: [...origins].sort() },
      data: schedules.flatMap(({ entries }) => entries),
    }),
  };
}
