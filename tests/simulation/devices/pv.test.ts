import { expect, test } from 'vitest';
import { panelPlaneOf, pvPowerOnPlaneW } from '../../../src/simulation/devices/pv.ts';
import { measureYields } from '../../../tools/validate/pv-figures.ts';

test('roofs of six countries yield what thousands of roofs there did, within 8 %', () => {
  const missed = measureYields().filter(({ verdict }) => verdict === 'missed');
  expect(missed).toEqual([]);
});

test('panels give less in warm air and never more than their inverter', () => {
  const plant = { rating_kw: 10, tilt_deg: 35, azimuth_deg: 180, inverter_rating_kw: 8 };
  const plane = panelPlaneOf(plant);
  expect(pvPowerOnPlaneW(plane, 500, 30)).toBeLessThan(pvPowerOnPlaneW(plane, 500, 0));
  expect(pvPowerOnPlaneW(plane, 1100, -10)).toBe(8000);
  expect(pvPowerOnPlaneW(plane, 0, 20)).toBe(0);
});
