import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { DAY_MS, QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';
import { computeDeviceData } from '../../src/households/device-data.ts';
import { NOTHING_ASKED } from '../../src/households/household-controls.ts';
import { TimeSlicer, TIME_SLICE_DAYS } from '../../src/households/time-slicer.ts';
import { DEFAULT_INVERTER_PREFERENCES } from '../../src/simulation/control/preferences.ts';
import { UNCONTROLLED } from '../../src/simulation/control/household-control.ts';
import { toPriceRevisions } from '../../src/simulation/control/price-book.ts';
import { HouseDays } from '../../src/simulation/model/house-days.ts';
import { first, households, SLOW_BATTERY } from '../simulation/fleet.ts';

afterEach(() => void vi.restoreAllMocks());

const ANCHOR_DAY = 20_000;
const DAY = ANCHOR_DAY + 400;
/** A battery that is so slow that its whole history counts for a plan. */
const SLOW = {
  ...first(
    households(
      {
        count: 1,
        ...SLOW_BATTERY,
      },
      new Date(ANCHOR_DAY * DAY_MS),
    ),
  ),
  heat_pump: null,
};

const questionOf = (orgId: string) => {
  const value = { ...DEFAULT_INVERTER_PREFERENCES, price_response: true };
  const inverter = { preferences: [{ from: DAY * 96, value }], boosts: [], unsteered: [] };
  // Prices begin with the second day.
  const prices = Array.from({ length: 96 }, (_, i) => ({
    at: new Date((DAY + 1) * DAY_MS + i * QUARTER_HOUR_MS),
    price: 50 + (i % 20),
    receivedAt: new Date(DAY * DAY_MS),
  }));
  const known = { own: toPriceRevisions(prices), parent: toPriceRevisions([]) };
  return {
    orgId,
    attributes: SLOW,
    checkpoint: {
      day: DAY,
      pv: 0,
      ev: 0,
      hp: 0,
      grid_import: 0,
      grid_export: 0,
      stored: 500_000_000,
      vehicle_stored: 0,
    },
    partnerId: orgId,
    prices: { orgId, partnerId: orgId, version: '1', known },
    control: { ...NOTHING_ASKED, version: 1, control: { ...UNCONTROLLED, inverter } },
    type: 'inverter',
    span: { first: DAY * 96, end: (DAY + 2) * 96 },
    quarters: 1,
    unread: [],
    now: new Date((DAY + 2) * DAY_MS),
  } as const;
};

test('no slice of a series of two days computes more than its household-days, whatever the second one looks back for', async () => {
  const fill = vi.spyOn(HouseDays.prototype, 'fill');
  const slices: number[] = [];
  const endSlice = (): Promise<void> => {
    slices.push(fill.mock.calls.length);
    fill.mockClear();
    return Promise.resolve();
  };
  const { periods } = await computeDeviceData(questionOf('one'), new TimeSlicer(endSlice));
  await endSlice();
  expect(slices.reduce((sum, days) => sum + days)).toBeGreaterThan(400);
  // Each of the two days looks at some around it.
  expect(Math.max(...slices)).toBeLessThanOrEqual(TIME_SLICE_DAYS + 8);
  expect(periods).toHaveLength(192);
});

test('nor where series of other days of the household are worked out by turns, which push out what the others know', async () => {
  const fill = vi.spyOn(HouseDays.prototype, 'fill');
  const slices: number[] = [];
  const endSlice = async (): Promise<void> => {
    slices.push(fill.mock.calls.length);
    fill.mockClear();
    // Each of them goes on by itself up to its next slice.
    await setImmediate();
  };
  const attributes = { ...SLOW, anchor_ms: (DAY - 6_000) * DAY_MS };
  const workOut = async (last: number): Promise<void> => {
    await setImmediate();
    const span = { first: (last - 1) * 96, end: (last + 1) * 96 };
    const question = { ...questionOf('turns'), attributes, checkpoint: null, prices: null, span };
    await computeDeviceData(question, new TimeSlicer(endSlice));
    await endSlice();
  };
  await Promise.all(Array.from({ length: 8 }, (_, i) => workOut(DAY - 130 - 300 * i)));
  expect(slices.length).toBeGreaterThan(16);
  expect(Math.max(...slices)).toBeLessThanOrEqual(TIME_SLICE_DAYS + 8);
});
