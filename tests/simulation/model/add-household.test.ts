import { expect, test } from 'vitest';
import { QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../../src/domain/api/durations.ts';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import { NO_PRICES } from '../../../src/simulation/control/price-book.ts';
import { steeringOf } from '../../../src/simulation/control/steering.ts';
import { addHousehold } from '../../../src/simulation/model/add-household.ts';
import { computeDeviceSeries } from '../../../src/simulation/model/device-series.ts';
import { createModelledHousehold } from '../../../src/simulation/model/device-state.ts';
import { countPeriods, createPeriodSums } from '../../../src/simulation/model/period-sums.ts';
import { listSummedPeriods } from '../../../src/simulation/model/summed-periods.ts';
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
    const shown = [...computeDeviceSeries(modelled, 'heat_pump', span, quarters)].flat();
    expect(summed).toEqual(shown.map((period) => period.outdoor_temperature_c));
  }
});
