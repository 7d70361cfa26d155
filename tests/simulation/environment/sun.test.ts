import { expect, test } from 'vitest';
import fc from 'fast-check';
import { getPosition } from 'suncalc';
import { sunPosition } from '../../../src/simulation/environment/sun.ts';

/** How much the air lifts the sun, in degrees, at a true altitude (Meeus 16.4); suncalc adds it, down to the horizon's. */
function refraction(altitude: number): number {
  const h = Math.max(0, altitude);
  return 1.02 / 60 / Math.tan(((h + 10.3 / (h + 5.11)) * Math.PI) / 180);
}

test('the sun stands where suncalc sees it, within 0.3 degrees, all over the world and at night', () => {
  const from = Date.UTC(2020, 0, 1);
  const to = Date.UTC(2035, 0, 1);
  const instant = fc.integer({ min: from, max: to });
  const latitude = fc.double({ min: -89, max: 89, noNaN: true });
  const longitude = fc.double({ min: -180, max: 180, noNaN: true });
  fc.assert(
    fc.property(instant, latitude, longitude, (atMs, lat, lon) => {
      const ours = sunPosition(atMs, lat, lon);
      const theirs = getPosition(new Date(atMs), lat, lon);
      const radians = Math.PI / 180;
      const seen = ours.altitude + refraction(ours.altitude);
      expect(Math.abs(seen - theirs.altitude)).toBeLessThan(0.3);
      const [a, b] = [seen * radians, theirs.altitude * radians];
      const azimuths = Math.cos((ours.azimuth - theirs.azimuth) * radians);
      const cosine = Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * azimuths;
      expect(Math.acos(Math.min(1, cosine)) / radians).toBeLessThan(0.3);
    }),
  );
});

test('at noon of midsummer the sun is 65.2 degrees high in Vienna, in the south', () => {
  const { altitude, azimuth } = sunPosition(Date.UTC(2026, 5, 21, 10, 56), 48.21, 16.37);
  expect(altitude).toBeCloseTo(65.2, 0);
  expect(Math.abs(azimuth - 180)).toBeLessThan(2);
});
