import { expect, test } from 'vitest';
import fc from 'fast-check';
import { DayCache } from '../../../src/simulation/kernel/bounded-cache.ts';
import { splitSeed } from '../../../src/simulation/kernel/noise.ts';
import { siteWeather } from '../../../src/simulation/environment/weather.ts';

const DAY = Date.UTC(2026, 2, 29) / 86_400_000;
const weatherAt = (place: number) => siteWeather(splitSeed(42), 47 + place / 100, 15);

/** A day's numbers, copied: rows are written over. */
function dayOf(place: number, day: number): number[][] {
  const { global, diffuse, beamEast, beamNorth, beamUp } = weatherAt(place).irradianceOn(day);
  const rows = [global, diffuse, beamEast, beamNorth, beamUp, weatherAt(place).airTemperaturesOn(day)];
  return rows.map((row) => Array.from(row));
}

test('the weather of a day stays the same when other places and days are written over it', () => {
  const before = [0, 1, 40].map((later) => dayOf(0, DAY + later));
  // More than are kept, nights and days, at more places than are kept.
  for (let place = 1; place < 2500; place++) dayOf(place, DAY + (place % 180));
  expect([0, 1, 40].map((later) => dayOf(0, DAY + later))).toEqual(before);
});

test('with the sun down there is no light, whatever stood in the row', () => {
  const polar = siteWeather(splitSeed(42), 78, 15);
  for (let day = DAY; day < DAY + 1100; day++) {
    const { global, beamUp } = polar.irradianceOn(day);
    for (const [i, light] of global.entries()) if (light === 0) expect(beamUp[i]).toBe(0);
  }
  const night = polar.irradianceOn(Date.UTC(2027, 11, 21) / 86_400_000);
  expect(Math.max(...Object.values(night).flatMap((row: Float64Array) => Array.from(row, Math.abs)))).toBe(0);
});

test('a cache of days answers for the day that was kept in its slot, or not at all', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: -99, max: 99 }), fc.boolean())), (asked) => {
      const cache = new DayCache<{ day: number }>(4);
      for (const [day, keeps] of asked) {
        const known = cache.find(day);
        if (known) expect(known.day).toBe(day);
        if (keeps) {
          const value = cache.evict(day) ?? { day };
          expect(cache.find(day)).toBeUndefined();
          value.day = day;
          expect(cache.set(day, value)).toBe(cache.find(day));
        }
      }
    }),
  );
});
