import { expect, test } from 'vitest';
import { QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../../src/domain/api/durations.ts';
import { steeringOf } from '../../../src/simulation/control/steering.ts';
import type { Steering } from '../../../src/simulation/control/steering.ts';
import { computeDeviceState, createModelledHousehold } from '../../../src/simulation/model/device-state.ts';
import { WEEKDAYS } from '../../../src/simulation/control/preferences.ts';
import type { Weekday } from '../../../src/simulation/control/preferences.ts';
import { dayAheadPrices, toldFromStart } from '../controlled.ts';
import { first, households } from '../fleet.ts';

const ANCHOR = new Date('2026-03-20T13:45:00Z');
const FIRST_DAY = Math.floor(ANCHOR.getTime() / QUARTER_HOUR_MS / QUARTER_HOURS_PER_DAY);

test('the state of a smart car shows the target that was asked, and tells when it charges for its minimum alone', () => {
  const household = first(households({ count: 1, seed: 21, ev_ownership_fraction: 1 }, ANCHOR));
  const vehicle = { charge_policy: 'smart', target_soc_percent: 90, minimum_soc_percent: 85 } as const;
  const steering = steeringOf(dayAheadPrices(FIRST_DAY - 1, 16), toldFromStart({ vehicle }));
  const modelled = createModelledHousehold(household, steering);
  const reasons = new Set<string>();
  for (let i = 0; i < 12 * QUARTER_HOURS_PER_DAY; i++) {
    const at = new Date(ANCHOR.getTime() + i * QUARTER_HOUR_MS);
    const state = computeDeviceState(modelled, 'electric_vehicle', at);
    expect(state.target_soc_percent).toBe(90);
    expect(state.control.mode).toBe('schedule');
    const isBelow = state.plugged_in && state.soc_percent < 85;
    const known = isBelow ? ['below_minimum'] : ['cheapest_quarters', 'ready_by_passed'];
    expect(known).toContain(state.control.reason);
    if (isBelow) expect(state.charging).toBe(true);
    reasons.add(state.control.reason);
  }
  expect(reasons.size).toBe(3);
});

/** By reason, how often cars at their plugs that lack some of their target charge and wait. */
function countReasons(steering: Steering, from: number, end: number) {
  const counts = new Map<string, { charging: number; waiting: number }>();
  for (const household of households({ count: 12, seed: 3, ev_ownership_fraction: 1 }, ANCHOR)) {
    const modelled = createModelledHousehold(household, steering);
    for (let quarter = from; quarter < end; quarter++) {
      const state = computeDeviceState(modelled, 'electric_vehicle', new Date(quarter * QUARTER_HOUR_MS));
      if (!state.plugged_in || state.soc_percent > state.target_soc_percent - 1) continue;
      const count = counts.get(state.control.reason) ?? { charging: 0, waiting: 0 };
      count[state.charging ? 'charging' : 'waiting'] += 1;
      counts.set(state.control.reason, count);
    }
  }
  return counts;
}

test('a car that waits by the prices of the day before says so', () => {
  const day = FIRST_DAY + 3;
  const steering = steeringOf(dayAheadPrices(day, 1), toldFromStart({ vehicle: { charge_policy: 'smart' } }));
  const [from, end] = [(day + 1) * QUARTER_HOURS_PER_DAY, (day + 2) * QUARTER_HOURS_PER_DAY];
  const counts = countReasons(steering, from, end);
  expect(counts.get('expected_prices')?.waiting).toBeGreaterThan(0);
  expect(counts.get('no_prices')?.waiting ?? 0).toBe(0);
});

test('a car charges at once after the time by which it was to be ready, and says so', () => {
  const ready_by = Object.fromEntries(WEEKDAYS.map((day) => [day, '18:00'])) as Record<Weekday, string>;
  const vehicle = { charge_policy: 'smart', target_soc_percent: 100, ready_by } as const;
  const steering = steeringOf(dayAheadPrices(FIRST_DAY, 8), toldFromStart({ vehicle }));
  const [from, end] = [(FIRST_DAY + 2) * QUARTER_HOURS_PER_DAY, (FIRST_DAY + 6) * QUARTER_HOURS_PER_DAY];
  const passed = countReasons(steering, from, end).get('ready_by_passed');
  expect(passed?.charging).toBeGreaterThan(0);
  expect(passed?.waiting).toBe(0);
});
