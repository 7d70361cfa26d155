/** The schedule of a heat pump as the answer of the document has it. */
import { QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../domain/api/durations.ts';
import type { PriceOrigin } from '../../domain/prices/prices.ts';
import { CONTROL_MODE } from '../control/control-modes.ts';
import { SCHEDULE_STATES } from '../control/schedule-states.ts';
import type { ScheduleState } from '../control/schedule-states.ts';
import { knownAtMs } from '../control/steering.ts';
import type { Steering } from '../control/steering.ts';
import { createHeatPumpRows } from '../house/heat-pump-rows.ts';
import type { Household } from '../household/household.ts';
import { createHeatDays } from './model-day.ts';

/** The state asked for in the quarter hour that starts at `time`. */
export interface ScheduleEntry {
  readonly time: Date;
  readonly state: ScheduleState;
}

export interface HeatPumpSchedule {
  readonly entries: ScheduleEntry[];
  /** Whose prices the entries go by; `default` where they go by none: none is known, or people or the house's state keep it from them. */
  readonly prices: (PriceOrigin | 'default')[];
}

/**
 * The schedule of a household's heat pump: one entry for each quarter hour from the one that holds `from` up to and without
 * `to`. It stops after each piece of some milliseconds.
 */
export function* computeHeatPumpSchedule(
  household: Household,
  steering: Steering,
  from: Date,
  to: Date,
): Generator<undefined, HeatPumpSchedule> {
  const heat = createHeatDays(household, steering);
  const rows = createHeatPumpRows(QUARTER_HOURS_PER_DAY);
  const entries: ScheduleEntry[] = [];
  const origins = new Set<PriceOrigin | 'default'>();
  const first = Math.floor(from.getTime() / QUARTER_HOUR_MS);
  const end = Math.ceil(to.getTime() / QUARTER_HOUR_MS);
  let filled = NaN;
  for (let quarter = first; quarter < end; quarter++) {
    const day = Math.floor(quarter / QUARTER_HOURS_PER_DAY);
    if (day !== filled) {
      if (quarter > first) yield;
      while (!heat.approach(day)) yield;
      heat.fillDay(day, rows);
      filled = day;
    }
    const startMs = quarter * QUARTER_HOUR_MS;
    const i = quarter - day * QUARTER_HOURS_PER_DAY;
    entries.push({ time: new Date(startMs), state: SCHEDULE_STATES[rows.asked[i] ?? 0] ?? 'mid' });
    const isPlanned = rows.follows[i] === CONTROL_MODE.schedule;
    const origin = isPlanned ? steering.prices.originAt(startMs, knownAtMs(steering, quarter)) : null;
    origins.add(origin ?? 'default');
  }
  return { entries, prices: [...origins].sort() };
}
