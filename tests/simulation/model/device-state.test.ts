import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import type { DeviceType } from '../../../src/domain/fleets/devices.ts';
import { listDeviceTypes } from '../../../src/simulation/household/household.ts';
import type { Household } from '../../../src/simulation/household/household.ts';
import { UNSTEERED } from '../../../src/simulation/control/steering.ts';
import type { Steering } from '../../../src/simulation/control/steering.ts';
import { computeDeviceState, createModelledHousehold } from '../../../src/simulation/model/device-state.ts';
import type { DeviceStates, ModelledHousehold } from '../../../src/simulation/model/device-state.ts';
import { QUARTER_HOUR_MS } from '../../../src/domain/api/durations.ts';
import { first, households } from '../fleet.ts';
import { RESTLESS } from '../steered.ts';

const ANCHOR = new Date('2026-03-27T13:45:00Z');

const FLEET = households(
  {
    count: 12,
    seed: 2 ** 40 + 7,
    latitude: 47.1,
    longitude: 15.4,
    ev_ownership_fraction: 1,
    pv_rating_kw_range: { min: 0, max: 20 },
    battery_capacity_kwh_range: { min: 1, max: 40 },
  },
  ANCHOR,
);
const anyHousehold = fc.constantFrom(...FLEET);

/** Models of the households that states were asked of, by what steers them. */
const modelled = new WeakMap<Household, ModelledHousehold>();

function stateOf<Type extends DeviceType>(
  household: Household,
  type: Type,
  at: Date,
  steering: Steering = UNSTEERED,
): DeviceStates[Type] {
  const known = modelled.get(household);
  const model = known?.steering === steering ? known : createModelledHousehold(household, steering);
  modelled.set(household, model);
  return computeDeviceState(model, type, at);
}

describe('states', () => {
  const instant = fc
    .integer({ min: ANCHOR.getTime(), max: ANCHOR.getTime() + 20 * 86_400_000 })
    .map((ms) => new Date(ms));

  test('add up: grid = load + vehicle + heat pump + battery - pv', () => {
    fc.assert(
      fc.property(anyHousehold, instant, (household, at) => {
        const inverter = stateOf(household, 'inverter', at, RESTLESS);
        const vehicle = stateOf(household, 'electric_vehicle', at, RESTLESS);
        const pump = household.heat_pump ? stateOf(household, 'heat_pump', at, RESTLESS).power_w : 0;
        const { load_power_w, battery_power_w, pv_power_w, grid_power_w, soc_percent } = inverter;
        expect(grid_power_w).toBe(
          load_power_w + vehicle.charge_power_w + pump + battery_power_w - pv_power_w,
        );
        expect(soc_percent >= 5 && soc_percent <= 100).toBe(true);
        expect(stateOf(household, 'wallbox', at, RESTLESS)).toEqual({
          plugged_in: vehicle.plugged_in,
          charging: vehicle.charging,
          power_w: vehicle.charge_power_w,
          energy_kwh: vehicle.energy_charged_kwh,
        });
      }),
    );
  });

  test('counters never fall, and rise within the quarter hour', () => {
    fc.assert(
      fc.property(anyHousehold, instant, fc.nat(7_200_000), (household, at, later) => {
        const shown = (instant: Date) =>
          listDeviceTypes(household).flatMap((type) =>
            Object.entries(stateOf(household, type, instant)).filter(([name]) => name.endsWith('_kwh')),
          );
        const before = shown(at);
        expect(before.length).toBeGreaterThanOrEqual(5);
        for (const [i, [name, value]] of shown(new Date(at.getTime() + later)).entries())
          expect([name, value >= before[i]?.[1]]).toEqual([name, true]);
      }),
    );
    const sunny = FLEET.find((household) => household.pv.rating_kw > 5) ?? first(FLEET);
    const noon = (minute: number) =>
      stateOf(sunny, 'inverter', new Date(Date.UTC(2026, 3, 10, 11, minute))).pv_energy_kwh;
    expect(noon(5)).toBeGreaterThan(noon(1));
  });

  test('do not depend on other copies of the household or on the order of questions', () => {
    const household = first(FLEET);
    const at = new Date('2026-04-09T18:03:11Z');
    const here = stateOf(household, 'inverter', at);
    const copy = JSON.parse(JSON.stringify(household)) as Household;
    stateOf(copy, 'inverter', at, RESTLESS);
    expect(stateOf(copy, 'inverter', at)).toEqual(here);
    expect(stateOf(household, 'inverter', at)).toEqual(here);
  });

  test('differ between seeds that share their lower half', () => {
    const shown = [42, 42 + 2 ** 32].map((seed) =>
      stateOf(first(households({ count: 1, seed }, ANCHOR)), 'inverter', new Date('2026-04-01T10:00:00Z')),
    );
    expect(shown[0]).not.toEqual(shown[1]);
  });

  test('of a heat pump show its house: temperatures between those of the quarter hour, heat over electricity', () => {
    const heated = FLEET.filter((household) => household.heat_pump !== null);
    fc.assert(
      fc.property(fc.constantFrom(...heated), instant, (household, at) => {
        const state = stateOf(household, 'heat_pump', at, RESTLESS);
        const { model } = modelled.get(household) ?? createModelledHousehold(household, RESTLESS);
        const quarter = model.quarter(Math.floor(at.getTime() / QUARTER_HOUR_MS));
        for (const [shown, ends] of [
          [state.indoor_temperature_c, quarter.indoor],
          [state.hot_water_temperature_c, quarter.hotWater],
        ] as const) {
          expect(shown).toBeGreaterThanOrEqual(Math.round(Math.min(...ends) / 100) / 10);
          expect(shown).toBeLessThanOrEqual(Math.round(Math.max(...ends) / 100) / 10);
        }
        if (state.mode === 'off') expect(state.cop).toBeNull();
        else expect(Math.abs((state.cop ?? NaN) - quarter.heat / quarter.hp)).toBeLessThanOrEqual(0.00501);
      }),
    );
  });

  test('of a device that the household lacks are refused', () => {
    const bare = first(households({ count: 1, ev_ownership_fraction: 0 }, ANCHOR));
    expect(() => stateOf(bare, 'wallbox', ANCHOR)).toThrow(RangeError);
  });
});
