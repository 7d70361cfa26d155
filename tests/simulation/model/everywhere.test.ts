// What holds of every household: at any place, in any season, of any seed, whatever its prices, whatever is asked of its devices and
// wherever it moves.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_MS, QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../../src/domain/api/durations.ts';
import { MIN_SOC_PERCENT } from '../../../src/simulation/devices/vehicle.ts';
import { UNSTEERED, steeringOf } from '../../../src/simulation/control/steering.ts';
import type { Steering } from '../../../src/simulation/control/steering.ts';
import type { HeatPump } from '../../../src/simulation/household/heat-pump.ts';
import type { Household } from '../../../src/simulation/household/household.ts';
import { createHouseholdModel } from '../../../src/simulation/model/model.ts';
import type { Quarter } from '../../../src/simulation/model/day-rows.ts';
import { anyHouseControl, anyPlace } from '../controlled.ts';
import { first, households } from '../fleet.ts';
import { RESTLESS } from '../steered.ts';

const WALKED_DAYS = 3;
/** Days of preferences, boosts and moves, of which the last ones are walked. */
const TOLD_DAYS = WALKED_DAYS + 2;
/** Windows take at most 1.5 K in a quarter hour, and no house is 90 K warmer or colder than what is outdoors and what warms it. */
const MOST_AIRED_MK = 1500;
const MOST_APART_MK = 90_000;
/** Draws take at most a bath of 100 l out of a tank in a quarter hour, and its coil gives it 10 kW. */
const MOST_TANK_CHANGE_MK = 22_000;
const COLDEST_TANK_MK = 28_000;
const MIN_BATTERY_PERCENT = 5;

const anyHousehold = fc
  .record({
    seed: fc.maxSafeNat(),
    place: anyPlace,
    anchorDay: fc.integer({ min: Date.UTC(2023, 0, 1) / DAY_MS, max: Date.UTC(2027, 0, 1) / DAY_MS }),
    anchorQuarter: fc.nat(QUARTER_HOURS_PER_DAY - 1),
    pv_rating_kw: fc.constantFrom(0, 3, 20),
  })
  .map(({ anchorDay, anchorQuarter, place, ...definition }) => {
    const anchor = new Date(anchorDay * DAY_MS + anchorQuarter * QUARTER_HOUR_MS);
    // A quarter of the households have a heat pump.
    const drawn = households({ ...definition, ...place, count: 12, ev_ownership_fraction: 1 }, anchor);
    return drawn.find(({ heat_pump: pump }) => pump) ?? first(drawn);
  });

const anySteering = (start: number): fc.Arbitrary<Steering> =>
  fc.oneof(
    fc.constantFrom(RESTLESS, UNSTEERED),
    anyHouseControl(start, TOLD_DAYS).chain((control) =>
      fc.constantFrom(RESTLESS.prices, UNSTEERED.prices).map((prices) => steeringOf(prices, control)),
    ),
  );

function walk(household: Household, steering: Steering, from: number): Quarter[] {
  const model = createHouseholdModel(household, steering);
  const quarters = WALKED_DAYS * QUARTER_HOURS_PER_DAY;
  return Array.from({ length: quarters }, (_, i) => model.quarter(from + i));
}

const anyWalk = fc.tuple(anyHousehold, fc.nat(400)).chain(([household, days]) => {
  const from = Math.floor(household.anchor_ms / QUARTER_HOUR_MS) + days * QUARTER_HOURS_PER_DAY;
  return anySteering(from - (TOLD_DAYS - WALKED_DAYS) * QUARTER_HOURS_PER_DAY).map((steering) => ({
    household,
    steering,
    from,
    course: walk(household, steering, from),
  }));
});

const RUNS = { numRuns: 30 };

test('energies are whole, never negative, and balance to 0', () => {
  fc.assert(
    fc.property(anyWalk, ({ course }) => {
      for (const { load, ev, hp, charge, discharge, pv, grid, heat } of course) {
        expect(grid).toBe(load + ev + hp + charge - discharge - pv);
        for (const energy of [load, ev, hp, charge, discharge, pv, heat]) {
          expect(Number.isInteger(energy) && energy >= 0).toBe(true);
        }
      }
    }),
    RUNS,
  );
});

test('what is stored is within its bounds, and goes on from quarter hour to quarter hour', () => {
  fc.assert(
    fc.property(anyWalk, ({ household: { battery, electric_vehicle: vehicle }, steering, course }) => {
      const full = battery.capacity_kwh * 1e6;
      const own = vehicle?.target_soc_percent ?? 0;
      const { preferences } = steering.control.electricVehicle;
      const reserves = steering.control.inverter.preferences.map(({ value }) => value.reserve_percent);
      const kept = Math.min(MIN_BATTERY_PERCENT, ...reserves);
      const targets = preferences.flatMap(({ value }) => [
        value.target_soc_percent ?? own,
        value.minimum_soc_percent,
      ]);
      const target = (vehicle?.battery_kwh ?? 0) * Math.max(own, ...targets) * 1e4;
      const least = (vehicle?.battery_kwh ?? 0) * MIN_SOC_PERCENT * 1e4;
      for (const [i, { stored, vehicleStored }] of course.entries()) {
        expect(stored[0]).toBeGreaterThanOrEqual((full * kept) / 100 - 1);
        expect(stored[0]).toBeLessThanOrEqual(full);
        expect(vehicleStored[0]).toBeGreaterThanOrEqual(least);
        expect(vehicleStored[0]).toBeLessThanOrEqual(target);
        expect(course[i + 1]?.stored[0] ?? stored[1]).toBe(stored[1]);
        expect(course[i + 1]?.vehicleStored[0] ?? vehicleStored[1]).toBe(vehicleStored[1]);
      }
    }),
    RUNS,
  );
});

/** The most by which a room changes in a quarter hour: by windows or all that its heat pump gives, and by what is outdoors. */
function mostRoomChange({ building, heat_output_w: output, backup_power_w: backup }: HeatPump): number {
  const { heat_loss_w_per_k: loss, heat_capacity_wh_per_k: capacity } = building;
  const heated = (1000 * (output + backup)) / 4 / capacity;
  return Math.max(MOST_AIRED_MK, heated) + (MOST_APART_MK * loss) / 4 / capacity;
}

test('temperatures go on from quarter hour to quarter hour as fast as heat, windows and draws allow, and people could live in them', () => {
  fc.assert(
    fc.property(anyWalk, ({ household: { heat_pump: pump }, steering, course }) => {
      if (!pump) return;
      const { preferences } = steering.control.heatPump;
      const asked = preferences.map(({ value }) => value.hot_water_temperature_c ?? 0);
      const warmestTank = 1000 * Math.max(pump.tank.target_c, ...asked);
      for (const [i, { indoor, hotWater }] of course.entries()) {
        expect(course[i + 1]?.indoor[0] ?? indoor[1]).toBe(indoor[1]);
        expect(course[i + 1]?.hotWater[0] ?? hotWater[1]).toBe(hotWater[1]);
        expect(Math.abs(indoor[1] - indoor[0])).toBeLessThan(mostRoomChange(pump));
        expect(indoor[0]).toBeGreaterThanOrEqual(8000);
        expect(indoor[0]).toBeLessThanOrEqual(30_000);
        expect(Math.abs(hotWater[1] - hotWater[0])).toBeLessThan(MOST_TANK_CHANGE_MK);
        expect(hotWater[0]).toBeGreaterThan(COLDEST_TANK_MK);
        expect(hotWater[0]).toBeLessThanOrEqual(warmestTank);
      }
    }),
    RUNS,
  );
});

test('counters are the sums of what was walked, and a quarter hour asked for alone is the one walked', () => {
  fc.assert(
    fc.property(
      anyWalk,
      fc.nat(WALKED_DAYS * QUARTER_HOURS_PER_DAY - 1),
      ({ household, steering, from, course }, i) => {
        expect(createHouseholdModel(household, steering).quarter(from + i)).toEqual(course[i]);
        const model = createHouseholdModel(household, steering);
        const [before, after] = [model.countersBefore(from), model.countersBefore(from + course.length)];
        const sum = (of: (quarter: Quarter) => number): number =>
          course.reduce((total, quarter) => total + of(quarter), 0);
        expect(after).toEqual({
          pv: before.pv + sum(({ pv }) => pv),
          ev: before.ev + sum(({ ev }) => ev),
          hp: before.hp + sum(({ hp }) => hp),
          gridImport: before.gridImport + sum(({ grid }) => Math.max(0, grid)),
          gridExport: before.gridExport + sum(({ grid }) => Math.max(0, -grid)),
        });
      },
    ),
    { numRuns: 15 },
  );
});
