import { expect, test } from 'vitest';
import fc from 'fast-check';
import { listFaultRates, nextFault, nextFaultOfAnyCode } from '../../../src/simulation/household/faults.ts';
import { NOW } from '../fleet.ts';

test('the next fault starts after the instant, is the same each time, and faults of a code do not overlap', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.nat(9999), (seed, household) => {
      const one = nextFault(seed, household, 'inverter', 'device_offline', NOW);
      if (!one?.endsAt) throw new Error('an outage has an end');
      expect(nextFault(seed, household, 'inverter', 'device_offline', NOW)).toEqual(one);
      expect(one.startsAt.getTime()).toBeGreaterThanOrEqual(NOW.getTime());
      expect(nextFault(seed, household, 'inverter', 'device_offline', one.startsAt)).toEqual(one);
      const two = nextFault(
        seed,
        household,
        'inverter',
        'device_offline',
        new Date(one.startsAt.getTime() + 1),
      );
      expect(two?.startsAt.getTime()).toBeGreaterThan(one.endsAt.getTime());
    }),
  );
});

test('faults come at the published rates and last as long', () => {
  for (const rate of listFaultRates()) {
    const [type] = rate.device_types;
    if (!type) throw new Error('no type');
    let count = 0;
    let minutes = 0;
    const end = new Date(NOW.getTime() + 4 * 365.25 * 86_400_000);
    for (let household = 0; household < 500; household++) {
      let after = NOW;
      for (;;) {
        const fault = nextFault(99, household, type, rate.code, after);
        if (!fault || fault.startsAt > end) break;
        count++;
        minutes += fault.endsAt ? (fault.endsAt.getTime() - fault.startsAt.getTime()) / 60_000 : 0;
        after = new Date(fault.startsAt.getTime() + 1);
      }
    }
    const expected = rate.events_per_device_year * 4 * 500;
    expect(Math.abs(count - expected)).toBeLessThan(4 * Math.sqrt(expected));
    if (rate.mean_duration_minutes !== null) {
      const mean = minutes / count;
      // Long conditions are cut at five days, which takes off a tenth from the longest kind.
      expect(mean / rate.mean_duration_minutes).toBeGreaterThan(0.75);
      expect(mean / rate.mean_duration_minutes).toBeLessThan(1.15);
    }
  }
});

test('a code that a device cannot have never comes, and the earliest of all codes is found', () => {
  expect(nextFault(1, 1, 'heat_pump', 'reauthenticate', NOW)).toBeNull();
  const all = listFaultRates().map(
    ({ code }) => nextFault(1, 1, 'electric_vehicle', code, NOW)?.startsAt.getTime() ?? Infinity,
  );
  expect(nextFaultOfAnyCode(1, 1, 'electric_vehicle', NOW)?.startsAt.getTime()).toBe(Math.min(...all));
});
