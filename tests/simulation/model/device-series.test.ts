import { expect, test } from 'vitest';
import { DEVICE_TYPES } from '../../../src/domain/fleets/devices.ts';
import { PERIOD_FIELD_OF_ATTRIBUTE } from '../../../src/simulation/model/device-periods.ts';
import { computeDeviceSeries } from '../../../src/simulation/model/device-series.ts';
import { createModelledHousehold } from '../../../src/simulation/model/device-state.ts';
import { QUARTER_HOUR_MS } from '../../../src/domain/api/durations.ts';
import { first, households } from '../fleet.ts';

test('every period has a number for each attribute of the state that has a series, a COP where heat was given', () => {
  const household = first(
    households({ count: 40, ev_ownership_fraction: 1 }).filter((each) => each.heat_pump !== null),
  );
  const start = household.anchor_ms / QUARTER_HOUR_MS;
  for (const type of DEVICE_TYPES) {
    const fields = Object.values(PERIOD_FIELD_OF_ATTRIBUTE[type]);
    expect(fields.length).toBeGreaterThan(0);
    const days = computeDeviceSeries(
      createModelledHousehold(household),
      type,
      { first: start, end: start + 8 },
      4,
    );
    const periods = [...days].flatMap(({ entries }) => entries);
    expect(periods).toHaveLength(2);
    for (const period of periods) {
      const values = Object.fromEntries(Object.entries(period));
      for (const field of fields) {
        const isMissing = field === 'cop' && values['heat_kwh'] === 0;
        expect(values[field]).toEqual(isMissing ? null : expect.any(Number));
      }
    }
  }
});
