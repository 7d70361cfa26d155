/** Several who ask for days of one household at once, of which each makes the household forget what the others are on the way to. */
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TimeSlicer } from '../../src/households/time-slicer.ts';
import { UNCONTROLLED } from '../../src/simulation/control/household-control.ts';
import { DEFAULT_HEAT_PUMP_PREFERENCES } from '../../src/simulation/control/preferences.ts';
import { steeringOf } from '../../src/simulation/control/steering.ts';
import { ZERO_COUNTERS } from '../../src/simulation/model/counter-accumulator.ts';
import { createHouseholdModel } from '../../src/simulation/model/model.ts';
import { priceYear } from '../../tools/validate/price-year.ts';
import { first } from '../simulation/fleet.ts';
import { dayNumber, heatedHouseholds } from '../simulation/house/houses.ts';

const FIRST = dayNumber('2025-01-01');
const DAY = FIRST + 340;
/** Days that far apart have the same places in all that a house remembers. */
const APART = 128;
const HOUSE = first(heatedHouseholds(48.2, 16.4, { count: 30 }));
/** Something else is asked twice a day, so that each day looks back at a month of others. */
const PREFERENCES = Array.from({ length: 600 }, (_, i) => ({
  from: (DAY - 300) * 96 + 48 * i,
  value: { ...DEFAULT_HEAT_PUMP_PREFERENCES, comfort_temperature_c: 19 + (i % 8) / 4 },
}));
const STEERING = steeringOf(priceYear('DE', FIRST, 365), {
  ...UNCONTROLLED,
  heatPump: { ...UNCONTROLLED.heatPump, preferences: PREFERENCES },
});
const startOf = (day: number) => ({ day, counters: ZERO_COUNTERS, stored: 0, vehicleStored: 0 });

/** How often those who ask for days of one model leave the event loop to others until all are answered. */
async function slicesFor(...days: readonly number[]): Promise<number> {
  const model = createHouseholdModel(HOUSE, STEERING);
  let slices = 0;
  const endSlice = async (): Promise<void> => {
    slices += 1;
    if (slices > 1_000) throw new Error('They never end.');
    await setImmediate();
  };
  // Each piece is a slice.
  const askFor = (day: number): Promise<void> => {
    let nowMs = 0;
    const slicer = new TimeSlicer(
      endSlice,
      () => false,
      () => (nowMs += 600),
    );
    return slicer.onDay(model, day, startOf(day), () => expect(model.day(day).hp).toHaveLength(96));
  };
  await Promise.allSettled(days.map(askFor));
  return slices;
}

test('are answered one after the other, each by the pieces that it takes alone', async () => {
  const days = [DAY, DAY - APART];
  let alone = 0;
  for (const day of days) alone += await slicesFor(day);
  expect(alone).toBeGreaterThan(100);
  expect(await slicesFor(...days)).toBeLessThanOrEqual(alone + days.length);
});

test('one that fails lets the next one have its turn', async () => {
  const model = createHouseholdModel(HOUSE, STEERING);
  const slicer = new TimeSlicer(() => setImmediate());
  const fails = slicer.onDay(model, DAY, startOf(DAY), () => {
    throw new Error('It has failed.');
  });
  const next = slicer.onDay(model, DAY, startOf(DAY), () => 'next');
  await expect(fails).rejects.toThrow('It has failed.');
  expect(await next).toBe('next');
});

test('a long sum leaves the household to who else asks for it once its turn is over', async () => {
  const model = createHouseholdModel(HOUSE, STEERING);
  const order: string[] = [];
  let nowMs = 0;
  const slow = new TimeSlicer(
    () => setImmediate(),
    () => false,
    () => (nowMs += 600),
  );
  const sum = slow.advanceTo(model.counters, FIRST + 30).then(() => order.push('sum'));
  const day = new TimeSlicer(() => setImmediate())
    .onDay(model, DAY, startOf(DAY), () => 'day')
    .then((name) => order.push(name));
  await Promise.all([sum, day]);
  expect(order).toEqual(['day', 'sum']);
});
