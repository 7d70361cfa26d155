import fc from 'fast-check';
import { expect, test } from 'vitest';
import { QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../../src/domain/api/durations.ts';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import { NO_PRICES } from '../../../src/simulation/control/price-book.ts';
import { steeringOf } from '../../../src/simulation/control/steering.ts';
import { addHousehold } from '../../../src/simulation/model/add-household.ts';
import { computeDeviceSeries } from '../../../src/simulation/model/device-series.ts';
import { createModelledHousehold } from '../../../src/simulation/model/device-state.ts';
import type { ModelledHousehold } from '../../../src/simulation/model/device-state.ts';
import { countPeriods, createPeriodSums } from '../../../src/simulation/model/period-sums.ts';
import { listSummedPeriods } from '../../../src/simulation/model/summed-periods.ts';
import type { SummedPeriod } from '../../../src/simulation/model/summed-periods.ts';
import type { UnreadQuarters } from '../../../src/simulation/model/add-household.ts';
import { listDeviceTypes } from '../../../src/simulation/household/household.ts';
import { households } from '../fleet.ts';

const ANCHOR = new Date('2026-01-10T00:00:00Z');
const START = ANCHOR.getTime() / QUARTER_HOUR_MS;

test('the air of a household that moves is that of where it is, summed as its heat pump shows it', () => {
  const household = households({ count: 40, seed: 5, latitude: 48.2, longitude: 16.4 }, ANCHOR).find(
    ({ heat_pump: pump }) => pump !== null,
  );
  if (household === undefined) throw new Error('no heat pump');
  // At 10:30 of the second day to the sea, from 11:00 on far north, and back the day after.
  const second = START + QUARTER_HOURS_PER_DAY;
  const places = [
    { from: second + 42, value: { latitude: 37, longitude: -8 } },
    { from: second + 44, value: { latitude: 66, longitude: 25 } },
    { from: second + 110, value: { latitude: household.latitude, longitude: household.longitude } },
  ];
  const modelled = createModelledHousehold(household, steeringOf(NO_PRICES, { ...UNCONTROLLED, places }));
  const span = { first: START, end: START + 4 * QUARTER_HOURS_PER_DAY };
  for (const quarters of [1, 4, QUARTER_HOURS_PER_DAY]) {
    const sums = createPeriodSums(countPeriods(span, quarters));
    addHousehold(sums, modelled, span, quarters);
    const summed = listSummedPeriods(sums, span, quarters).map(({ period }) => period.outdoor_temperature_c);
    const shown = [...computeDeviceSeries(modelled, 'heat_pump', span, quarters)].flatMap(
      ({ entries }) => entries,
    );
    expect(summed).toEqual(shown.map((period) => period.outdoor_temperature_c));
  }
});

const SPAN = { first: START, end: START + 2 * QUARTER_HOURS_PER_DAY };
const [ONE, OTHER] = households({ count: 2, seed: 5, ev_ownership_fraction: 1 }, ANCHOR).map((household) =>
  createModelledHousehold(household),
);

/** What is shown of some households, each with what nobody has read of it. */
function shownOf(
  of: readonly (readonly [ModelledHousehold | undefined, UnreadQuarters])[],
  quarters: number,
): SummedPeriod[] {
  const sums = createPeriodSums(countPeriods(SPAN, quarters));
  for (const [modelled, unread] of of) {
    if (modelled === undefined) throw new Error('no household');
    addHousehold(sums, modelled, SPAN, quarters, unread);
  }
  return listSummedPeriods(sums, SPAN, quarters).map(({ period }) => period);
}

const anySpans = fc
  .uniqueArray(fc.integer({ min: SPAN.first, max: SPAN.end }), { maxLength: 4 })
  .map((ends) => ends.toSorted((a, b) => a - b))
  .map((ends) =>
    Array.from({ length: ends.length >> 1 }, (_, i) => ({
      first: ends[2 * i] ?? 0,
      end: ends[2 * i + 1] ?? 0,
    })),
  );
const anyUnread: fc.Arbitrary<UnreadQuarters> = fc.record({
  inverter: anySpans,
  electric_vehicle: anySpans,
  wallbox: anySpans,
});

const OF_INVERTER = ['load', 'pv', 'battery', 'grid'].map((name) => `${name}_power_w` as keyof SummedPeriod);

test('a household shows the periods that its devices show, whole ones, and several their sum', () => {
  fc.assert(
    fc.property(anyUnread, anyUnread, fc.constantFrom(1, 4, QUARTER_HOURS_PER_DAY), (a, b, quarters) => {
      const [all, mine, others] = [
        shownOf([[ONE, {}]], quarters),
        shownOf([[ONE, a]], quarters),
        shownOf([[OTHER, b]], quarters),
      ];
      const both = shownOf(
        [
          [ONE, a],
          [OTHER, b],
        ],
        quarters,
      );
      for (const [at, period] of mine.entries()) {
        const first = SPAN.first + at * quarters;
        const isWhole = (type: keyof UnreadQuarters): boolean =>
          (a[type] ?? []).every((span) => span.end <= first || span.first >= first + quarters);
        const types = ONE === undefined ? [] : listDeviceTypes(ONE.household);
        expect(period.devices_reporting).toBe(types.filter(isWhole).length);
        for (const name of [...OF_INVERTER, 'load_energy_kwh', 'battery_stored_kwh'] as const) {
          if (isWhole('inverter') && name !== 'grid_power_w') expect(period[name]).toBe(all[at]?.[name]);
          else if (!isWhole('inverter')) expect(period[name]).toBeNull();
        }
        const other = others[at]?.load_energy_kwh;
        const sum = both[at]?.load_energy_kwh ?? 0;
        expect(sum).toBeCloseTo((period.load_energy_kwh ?? 0) + (other ?? 0), 6);
      }
    }),
    { numRuns: 60 },
  );
});
