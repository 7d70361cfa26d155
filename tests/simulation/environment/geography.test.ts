import { expect, test } from 'vitest';
import { coastDistanceKm } from '../../../src/simulation/environment/coast.ts';
import { findCountryCodeAt } from '../../../src/simulation/environment/geography.ts';

test.each([
  ['NO', 'Tromso', 69.65, 18.96],
  ['NO', 'Longyearbyen', 78.22, 15.63],
  ['DK', 'Copenhagen', 55.68, 12.57],
  ['AQ', 'the south pole', -90, 0],
  [null, 'the north pole', 90, 0],
  [null, 'the North Sea', 55.5, 3],
])('%s is the country of %s (%s)', (code, _name, latitude, longitude) => {
  expect(findCountryCodeAt(latitude, longitude)).toBe(code);
});

test.each([
  ['Venice', 45.44, 12.33, 0, 20],
  ['Amsterdam', 52.37, 4.9, 0, 30],
  ['Vienna', 48.21, 16.37, 280, 380],
  ['Vaduz, at two borders', 47.14, 9.52, 180, 330],
  ['the south pole', -90, 0, 400, 1500],
  ['Urumqi, far from every sea', 43.8, 87.6, 1200, 2800],
  ['the date line in Fiji', -16.6, 179.99, 0, 60],
])('%s is so far from the sea', (_name, latitude, longitude, least, most) => {
  const km = coastDistanceKm(latitude, longitude);
  expect(km).toBeGreaterThanOrEqual(least);
  expect(km).toBeLessThanOrEqual(most);
});
