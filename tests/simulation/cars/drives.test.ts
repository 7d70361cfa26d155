import { expect, test } from 'vitest';
import fc from 'fast-check';
import { createDriver, fillTours } from '../../../src/simulation/cars/driver.ts';
import { Drives } from '../../../src/simulation/cars/drives.ts';
import { DrivingYears, solveScale } from '../../../src/simulation/cars/driving-years.ts';
import { LocalClock } from '../../../src/simulation/cars/local-clock.ts';
import { createDayTours } from '../../../src/simulation/cars/tours.ts';
import { seasonFactor, seasonFactorsOf, weatherFactor } from '../../../src/simulation/cars/consumption.ts';
import { siteWeather } from '../../../src/simulation/environment/weather.ts';
import { dayOfYear } from '../../../src/simulation/time/calendar.ts';
import { anyCar, anyDay } from './fleets.ts';

test('drives come one after the other, are home again in the night and never faster than 130 km/h', () => {
  fc.assert(
    fc.property(anyCar, anyDay, (household, first) => {
      const vehicle = household.electric_vehicle;
      if (!vehicle) throw new Error('no car');
      const driver = createDriver(household, vehicle);
      const years = new DrivingYears(driver);
      const tours = createDayTours();
      const drives = new Drives(4 * 60);
      for (let day = first; day < first + 60; day++) {
        fillTours(driver, day, tours);
        drives.append(driver, years.scaleOn(day), day, tours, new LocalClock(household.time_zone, day, day));
      }
      expect(drives.count).toBeGreaterThan(10);
      for (let i = 0; i < drives.count; i++) {
        const [leave = 0, back = 0, legs = 0, km = 0] = [
          drives.leave[i],
          drives.back[i],
          drives.legs[i],
          drives.km[i],
        ];
        expect(legs).toBeGreaterThan(0);
        expect(km / 2 / (legs / 4)).toBeLessThanOrEqual(130);
        expect(back - leave).toBeGreaterThan(2 * legs);
        // A journey of some nights may be longer than a day's tour.
        expect(km).toBeLessThanOrEqual(back - leave < 96 ? 600 : 1600);
        if (i > 0) expect(leave).toBeGreaterThan(drives.back[i - 1] ?? 0);
      }
    }),
    { numRuns: 40 },
  );
});

test('tours are scaled so that what they take from the battery is the energy of the year', () => {
  const energies = fc.array(fc.double({ min: 1, max: 100, noNaN: true }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(
      energies,
      fc.double({ min: 1, max: 200, noNaN: true }),
      fc.double({ min: 0.01, max: 0.9, noNaN: true }),
      (values, limit, part) => {
        const total = part * limit * values.length;
        const scale = solveScale(Float64Array.from(values), values.length, limit, total);
        const sum = values.reduce((all, value) => all + Math.min(limit, value * scale), 0);
        if (scale < 40) expect(sum / total).toBeCloseTo(1, 6);
        else expect(sum).toBeLessThanOrEqual(total * 1.000001);
      },
    ),
  );
});

test('cold and heat take more energy, cold more so on short tours', () => {
  expect([weatherFactor(20, false), weatherFactor(20, true)]).toEqual([1, 1]);
  expect(weatherFactor(-7, false)).toBeGreaterThan(1.25);
  expect(weatherFactor(-7, false)).toBeLessThan(1.45);
  expect(weatherFactor(-7, true)).toBeLessThan(weatherFactor(-7, false));
  expect(weatherFactor(35, false)).toBeGreaterThan(1.05);
});

test.each([
  [48.2, 16.37],
  [59.9, 10.75],
  [-33.9, 151.2],
  [1.35, 103.8],
])(
  'the factors of the seasons at %s, %s are the mean of those of many years of weather',
  (latitude, longitude) => {
    const first = Date.UTC(2021, 0, 1) / 86_400_000;
    for (const far of [false, true]) {
      let [ofWeather, ofSeasons] = [0, 0];
      for (const lo of [1, 2, 3, 4, 5]) {
        const weather = siteWeather({ hi: 0, lo }, latitude, longitude);
        const factors = seasonFactorsOf(weather.climate);
        for (let day = first; day < first + 4 * 365; day++) {
          ofWeather += weatherFactor(weather.meanTemperatureOn(day), far);
          ofSeasons += seasonFactor(factors, dayOfYear(day), far);
        }
      }
      expect(Math.abs(ofWeather / ofSeasons - 1)).toBeLessThan(0.006);
    }
  },
);
