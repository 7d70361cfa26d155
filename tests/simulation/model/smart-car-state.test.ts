import { expect, test } from 'vitest';
import { QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../../src/domain/api/durations.ts';
import { steeringOf } from '../../../src/simulation/control/steering.ts';
import { computeDeviceState, createModelledHousehold } from '../../../src/simulation/model/device-state.ts';
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
    expect(state.control.reason).toBe(isBelow ? 'below_minimum' : 'cheapest_quarters');
    if (isBelow) expect(state.charging).toBe(true);
    reasons.add(state.control.reason);
  }
  expect(reasons.size).toBe(2);
});
