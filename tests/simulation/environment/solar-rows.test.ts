import { expect, test } from 'vitest';
import fc from 'fast-check';
import { clearSkyIrradiance, tabledClearSkyIrradiance } from '../../../src/simulation/environment/light.ts';
import { SiteSun, SolarRows } from '../../../src/simulation/environment/solar-rows.ts';
import { computeSolarDay, solarTermsAt, sunDirection } from '../../../src/simulation/environment/sun.ts';

test('outside the quarter hours that are looked at the sun is down; within them it stands where it is', () => {
  const places = fc.tuple(
    fc.double({ min: -90, max: 90, noNaN: true }),
    fc.double({ min: -180, max: 180, noNaN: true }),
    fc.integer({ min: 18_000, max: 22_000 }),
  );
  const rows = new SolarRows();
  fc.assert(
    fc.property(places, ([latitude, longitude, day]) => {
      const lead = Math.round((longitude / 360) * 96);
      const sun = computeSolarDay(day, 96);
      const site = new SiteSun(latitude, longitude, lead);
      site.setSpan(sun, rows);
      site.fill(sun, rows);
      for (let i = 0; i < 96; i++) {
        const atMs = day * 86_400_000 + (i - lead + 0.5) * 900_000;
        const { up } = sunDirection(solarTermsAt(atMs), atMs, latitude, longitude);
        if (i < rows.from || i >= rows.to) expect(up).toBeLessThan(0);
        else expect(Math.abs((rows.heights[i] ?? NaN) - up)).toBeLessThan(0.0005);
      }
    }),
    { numRuns: 300 },
  );
});

test('the table of the clear sky is within 0.003 W/m² of its formula', () => {
  for (let i = 1; i <= 5000; i++) {
    const height = i / 5000;
    expect(Math.abs(tabledClearSkyIrradiance(height) - clearSkyIrradiance(height))).toBeLessThan(0.003);
  }
});
