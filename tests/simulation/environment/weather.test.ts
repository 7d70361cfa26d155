import { expect, test } from 'vitest';
import fc from 'fast-check';
import { DayCache } from '../../../src/simulation/kernel/bounded-cache.ts';
import { splitSeed } from '../../../src/simulation/kernel/noise.ts';
import { climateAt } from '../../../src/simulation/environment/climate.ts';
import { topIrradiance } from '../../../src/simulation/environment/light.ts';
import { solarTermsAt, sunDirection } from '../../../src/simulation/environment/sun.ts';
import { siteWeather, weatherUnder } from '../../../src/simulation/environment/weather.ts';
import type { SiteWeather } from '../../../src/simulation/environment/weather.ts';
import { dayOfYear } from '../../../src/simulation/time/calendar.ts';

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

const FIRST_DAY = Date.UTC(2025, 0, 1) / 86_400_000;
const days = fc.integer({ min: FIRST_DAY - 2000, max: FIRST_DAY + 3000 });
const latitudes = fc.double({ min: -90, max: 90, noNaN: true });
const longitudes = fc.double({ min: -180, max: 180, noNaN: true });
const seeds = fc.maxSafeNat();

test('the weather of a day is the same whether asked for at once or after all days before it', () => {
  fc.assert(
    fc.property(seeds, latitudes, longitudes, days, (seed, latitude, longitude, day) => {
      const place = () => weatherUnder(climateAt(latitude, longitude), splitSeed(seed), latitude, longitude);
      const answersOf = (weather: SiteWeather) => [
        weather.meanTemperatureOn(day),
        weather.airTemperatureAt((day + 0.37) * 86_400_000),
        ...weather.airTemperaturesOn(day),
        ...weather.irradianceOn(day).global,
      ];
      const walked = place();
      for (let before = day - 20; before < day + 3; before++) {
        walked.airTemperaturesOn(before);
        walked.irradianceOn(before);
      }
      expect(answersOf(walked)).toEqual(answersOf(place()));
    }),
    { numRuns: 40 },
  );
});

test('everywhere and always there is weather within what the earth knows', () => {
  fc.assert(
    fc.property(seeds, latitudes, longitudes, days, (seed, latitude, longitude, day) => {
      const weather = siteWeather(splitSeed(seed), latitude, longitude);
      for (const air of weather.airTemperaturesOn(day)) {
        expect(air).toBeGreaterThan(-105);
        expect(air).toBeLessThan(65);
      }
      const { global, diffuse, beamEast, beamNorth, beamUp } = weather.irradianceOn(day);
      for (const [i, light] of global.entries()) {
        expect(light).toBeGreaterThanOrEqual(0);
        expect(light).toBeLessThan(1361);
        expect(diffuse[i]).toBeGreaterThanOrEqual(0);
        expect(diffuse[i]).toBeLessThanOrEqual(light);
        expect(Math.hypot(beamEast[i] ?? 0, beamNorth[i] ?? 0, beamUp[i] ?? 0)).toBeLessThan(1101);
      }
    }),
  );
});

test('the air has no jumps: not between quarter hours, not at midnight of UTC nor of the sun', () => {
  fc.assert(
    fc.property(seeds, latitudes, longitudes, days, (seed, latitude, longitude, day) => {
      const weather = siteWeather(splitSeed(seed), latitude, longitude);
      const air = [...weather.airTemperaturesOn(day), ...weather.airTemperaturesOn(day + 1)];
      for (let i = 1; i < air.length; i++) {
        expect(Math.abs((air[i] ?? 0) - (air[i - 1] ?? 0))).toBeLessThan(4);
      }
      for (const midnightMs of [(day + 1) * 86_400_000, (day + 1 - longitude / 360) * 86_400_000]) {
        const step = weather.airTemperatureAt(midnightMs + 1) - weather.airTemperatureAt(midnightMs - 1);
        expect(Math.abs(step)).toBeLessThan(0.01);
      }
    }),
  );
});

test('the air at an instant is that of its quarter hour', () => {
  fc.assert(
    fc.property(latitudes, longitudes, days, fc.nat({ max: 95 }), (latitude, longitude, day, quarter) => {
      const weather = siteWeather(splitSeed(42), latitude, longitude);
      const middleMs = day * 86_400_000 + (quarter + 0.5) * 900_000;
      expect(weather.airTemperatureAt(middleMs)).toBeCloseTo(
        weather.airTemperaturesOn(day)[quarter] ?? NaN,
        6,
      );
    }),
  );
});

test('a day has the mean that it says, by the sun of the place', () => {
  for (const longitude of [-120, -3, 16, 151]) {
    const weather = siteWeather(splitSeed(42), 48, longitude);
    let off = 0;
    for (let day = FIRST_DAY; day < FIRST_DAY + 60; day++) {
      let sum = 0;
      for (let i = 0; i < 96; i++) {
        sum += weather.airTemperatureAt((day - longitude / 360) * 86_400_000 + (i + 0.5) * 900_000);
      }
      off += Math.abs(sum / 96 - weather.meanTemperatureOn(day)) / 60;
    }
    expect(off).toBeLessThan(0.35);
  }
});

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const deviation = (values: readonly number[]) =>
  Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)));

test('warm and cold spells last as measured, and winters are more unsettled than summers', () => {
  const weather = siteWeather(splitSeed(42), 52.5, 13.4);
  const anomalies: number[] = [];
  for (let day = FIRST_DAY; day < FIRST_DAY + 3652; day++) {
    anomalies.push(weather.meanTemperatureOn(day) - weather.climate.normTemperatureOn(day));
  }
  const lagged = (lag: number) =>
    mean(anomalies.slice(lag).map((value, i) => value * (anomalies[i] ?? 0))) / deviation(anomalies) ** 2;
  expect(Math.abs(mean(anomalies))).toBeLessThan(0.5);
  expect(lagged(1)).toBeGreaterThan(0.6);
  expect(lagged(1)).toBeLessThan(0.82);
  expect(lagged(3)).toBeGreaterThan(0.07);
  expect(lagged(3)).toBeLessThan(0.4);
  const ofSeason = (months: readonly number[]) =>
    anomalies.filter((_, i) => months.includes(new Date((FIRST_DAY + i) * 86_400_000).getUTCMonth()));
  const [winter, summer] = [ofSeason([11, 0, 1]), ofSeason([5, 6, 7])].map(deviation);
  expect(winter).toBeGreaterThan(2.2);
  expect(winter).toBeLessThan(5);
  expect(winter).toBeGreaterThan(summer ?? NaN);
});

test('the light of the years is that of the climate', () => {
  for (const [latitude, longitude] of [
    [52.5, 13.4],
    [37, -4],
    [35.7, 139.7],
    [-34, 151],
  ] as const) {
    const weather = siteWeather(splitSeed(42), latitude, longitude);
    let [light, top] = [0, 0];
    for (let day = FIRST_DAY; day < FIRST_DAY + 730; day++) {
      for (const each of weather.irradianceOn(day).global) light += each / 4000;
      const terms = solarTermsAt((day + 0.5) * 86_400_000);
      for (let hour = 0.5; hour < 24; hour++) {
        const { up } = sunDirection(terms, day * 86_400_000 + hour * 3_600_000, latitude, longitude);
        top += (Math.max(0, up) * topIrradiance(dayOfYear(day)) * weather.climate.clearnessOn(day)) / 1000;
      }
    }
    expect(light / top).toBeGreaterThan(0.95);
    expect(light / top).toBeLessThan(1.05);
  }
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
