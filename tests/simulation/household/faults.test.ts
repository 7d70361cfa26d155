import { expect, test } from 'vitest';
import fc from 'fast-check';
import {
  listFaultRates,
  nextFault,
  nextFaultOfAnyCause,
  nextSharedOutage,
  SHARED_CAUSES,
} from '../../../src/simulation/household/faults.ts';
import type { FaultSubject } from '../../../src/simulation/household/faults.ts';
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

function subject(change: Partial<FaultSubject> = {}): FaultSubject {
  return {
    seed: 99,
    householdIndex: 3,
    type: 'inverter',
    manufacturer: 'Heliodor',
    latitude: 48.2,
    longitude: 16.37,
    ...change,
  };
}

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
        // Each alone in its region, with a maker of its own.
        const place = { latitude: 2 * (household % 40), longitude: 2 * Math.floor(household / 40) };
        const device = subject({ householdIndex: household, type, manufacturer: `M${household}`, ...place });
        const fault =
          rate.cause === 'device'
            ? nextFault(99, household, type, rate.code, after)
            : nextSharedOutage(device, rate.cause, after);
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

test('a code that a device cannot have never comes, and the earliest of all causes is found', () => {
  expect(nextFault(1, 1, 'heat_pump', 'reauthenticate', NOW)).toBeNull();
  for (let householdIndex = 0; householdIndex < 50; householdIndex++) {
    const device = subject({ householdIndex });
    const own = nextFault(99, householdIndex, 'inverter', 'device_offline', NOW);
    const all = [own, ...SHARED_CAUSES.map((cause) => nextSharedOutage(device, cause, NOW))];
    const first = Math.min(...all.map((fault) => fault?.startsAt.getTime() ?? Infinity));
    expect(nextFaultOfAnyCause(device, 'device_offline', NOW)?.startsAt.getTime()).toBe(first);
  }
});

test('who shares a cause has its outages together, and nobody else', () => {
  const here = subject();
  const outage = (cause: (typeof SHARED_CAUSES)[number], change: Partial<FaultSubject>) =>
    nextSharedOutage(subject(change), cause, NOW);
  const others = { householdIndex: 800, latitude: 40.1, longitude: -3.7 };
  const cloud = nextSharedOutage(here, 'manufacturer_cloud', NOW);
  expect(outage('manufacturer_cloud', { ...others, type: 'heat_pump' })).toEqual(cloud);
  expect(outage('manufacturer_cloud', { manufacturer: 'Solaria Nova' })).not.toEqual(cloud);
  expect(outage('manufacturer_cloud', { seed: 100 })).not.toEqual(cloud);
  const region = nextSharedOutage(here, 'region', NOW);
  expect(outage('region', { ...others, latitude: 49.9, longitude: 17.9, type: 'wallbox' })).toEqual(region);
  expect(outage('region', { latitude: 50.1 })).not.toEqual(region);
  const router = nextSharedOutage(here, 'household_router', NOW);
  expect(outage('household_router', { type: 'electric_vehicle', manufacturer: 'Volterra' })).toEqual(router);
  expect(outage('household_router', { householdIndex: 4 })).not.toEqual(router);
});
