/**
 * When a heat pump shall run: the cheapest quarter hours of a local day are boosted, the dearest set back or blocked,
 * so that the day's heat stays the same and the house never goes cold (docs/simulation.md#schedules).
 */
import { PLANNED_HEAT_FRACTION } from '../control/schedule-states.ts';
import { createHeatNeed } from './heat-need.ts';
import type { ScheduleState } from '../control/schedule-states.ts';
import type { Household } from '../household/household.ts';
import { localQuarterAt, utcQuarterAt } from '../time/local-day.ts';
import { BoundedCache } from '../kernel/bounded-cache.ts';
import type { PriceBook } from '../control/price-book.ts';
import { QUARTER_HOUR_MS } from '../../domain/api/durations.ts';

/** A quarter hour to be planned. */
export interface PlannedQuarter {
  /** EUR/MWh, null when no price is known. */
  readonly price: number | null;
  /** Heat that the rooms need in this quarter hour, mWh. */
  readonly need: number;
}

export interface PlanLimits {
  /** Most heat that the heat pump delivers in a quarter hour, mWh. */
  readonly maxHeat: number;
}

/** Comfort: at most two hours blocked in a row, at most six a day; otherwise set back. */
const MAX_BLOCKED_IN_A_ROW = 8;
const MAX_BLOCKED = 24;
/** Prices closer than this are the same: moving heat costs comfort. EUR/MWh. */
const MIN_PRICE_DIFFERENCE = 5;

/**
 * States of the quarter hours of one local day, in order of time. Those without a price are normal: the house keeps its own
 * habits. Between equal prices the earlier one is taken. Pure.
 */
export function planHeatPumpDay(quarters: readonly PlannedQuarter[], limits: PlanLimits): ScheduleState[] {
  const states = quarters.map((): ScheduleState => 'mid');
  const priced = [...quarters.entries()].flatMap(([index, { price }]) =>
    price === null ? [] : [{ index, price }],
  );
  const cheapest = priced.sort((a, b) => a.price - b.price || a.index - b.index);
  let low = 0;
  let high = cheapest.length - 1;
  let freed = 0;
  const need = (index: number) => quarters[index]?.need ?? 0;
  while (low < high) {
    const cheap = cheapest[low];
    const dear = cheapest[high];
    if (!cheap || !dear || dear.price - cheap.price < MIN_PRICE_DIFFERENCE) break;
    const extra = Math.min(
      need(cheap.index) * (PLANNED_HEAT_FRACTION.max - 1),
      Math.max(0, limits.maxHeat - need(cheap.index)),
    );
    if (freed >= extra) {
      // The heat set free by dear quarters pays for this boost.
      if (extra > 0) states[cheap.index] = 'max';
      freed -= extra;
      low++;
    } else {
      const state = mayBlock(states, dear.index) ? 'min' : 'low';
      states[dear.index] = state;
      freed += need(dear.index) * (1 - PLANNED_HEAT_FRACTION[state]);
      high--;
    }
  }
  return boostCheapestRest(states, cheapest.slice(low, high + 1), freed, need);
}

/** Heat that found no cheap quarter goes to the cheapest that are left, so that the day's heat is kept. */
function boostCheapestRest(
  states: ScheduleState[],
  left: readonly { readonly index: number }[],
  freed: number,
  need: (index: number) => number,
): ScheduleState[] {
  let open = freed;
  for (const { index } of left) {
    const extra = need(index) * (PLANNED_HEAT_FRACTION.max - 1);
    if (extra === 0 || open < extra / 2 || states[index] !== 'mid') break;
    states[index] = 'max';
    open -= extra;
  }
  return states;
}

/** Whether one more quarter hour may be blocked. */
function mayBlock(states: readonly ScheduleState[], index: number): boolean {
  if (states.filter((state) => state === 'min').length >= MAX_BLOCKED) return false;
  let run = 1;
  for (let i = index - 1; states[i] === 'min'; i--) run++;
  for (let i = index + 1; states[i] === 'min'; i++) run++;
  return run <= MAX_BLOCKED_IN_A_ROW;
}

/** Part of its output at 7 C that a heat pump gives on a cold day. */
const COLD_DAY_OUTPUT = 0.7;

/**
 * The schedule of a household's heat pump as a pure function of the instant. A quarter hour is planned with the prices known
 * when it begins or, seen from before, known at `now`; so a past quarter hour never changes.
 */
export function createHeatPumpScheduler(
  household: Household,
  book: PriceBook,
  now: Date,
): (at: Date) => ScheduleState {
  const needOf = createHeatNeed(household);
  const limits = { maxHeat: (household.heat_pump?.heat_output_w ?? 0) * 250 * COLD_DAY_OUTPUT };
  const plans = new BoundedCache<
    string,
    { readonly first: number; readonly states: readonly ScheduleState[] }
  >(64);
  const plan = (localDay: number, knownAtMs: number) => {
    // 92, 96 or 100 quarter hours make a day.
    const first = utcQuarterAt(household.time_zone, localDay, 0);
    const end = utcQuarterAt(household.time_zone, localDay + 1, 0);
    const quarters = Array.from({ length: end - first }, (_, i): PlannedQuarter => {
      const index = first + i;
      return { price: book.priceAt(index * QUARTER_HOUR_MS, knownAtMs), need: needOf(index) };
    });
    return { first, states: planHeatPumpDay(quarters, limits) };
  };
  // Quarter hours are asked for in a row: the plan of the last one is tried first.
  let lastDay = NaN;
  let lastRevision = NaN;
  let lastFirst = 0;
  let lastStates: readonly ScheduleState[] = [];
  return (at) => {
    const index = Math.floor(at.getTime() / QUARTER_HOUR_MS);
    const knownAtMs = Math.min(index * QUARTER_HOUR_MS, now.getTime());
    const { localDay } = localQuarterAt(household.time_zone, index);
    const revision = book.revisionAt(knownAtMs);
    if (localDay !== lastDay || revision !== lastRevision) {
      const { first, states } = plans.getOrCompute(`${localDay}:${revision}`, () =>
        plan(localDay, knownAtMs),
      );
      lastDay = localDay;
      lastRevision = revision;
      lastFirst = first;
      lastStates = states;
    }
    return lastStates[index - lastFirst] ?? 'mid';
  };
}

/** The state asked for in the quarter hour that starts at `time`. */
export interface ScheduleEntry {
  readonly time: Date;
  readonly state: ScheduleState;
}

/**
 * The schedule of a household's heat pump with the prices known at `now`: one entry for each quarter hour from the one that
 * holds `from` up to and without `to`.
 */
export function computeHeatPumpSchedule(
  household: Household,
  book: PriceBook,
  now: Date,
  from: Date,
  to: Date,
): ScheduleEntry[] {
  const stateAt = createHeatPumpScheduler(household, book, now);
  const entries: ScheduleEntry[] = [];
  for (
    let ms = Math.floor(from.getTime() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
    ms < to.getTime();
    ms += QUARTER_HOUR_MS
  ) {
    const time = new Date(ms);
    entries.push({ time, state: stateAt(time) });
  }
  return entries;
}
