import { expect, test } from 'vitest';
import fc from 'fast-check';
import { Climate, climateAt } from '../../../src/simulation/environment/climate.ts';
import { climateColumnsAt } from '../../../src/simulation/environment/climate-map.ts';
import { CLIMATE_COLUMNS } from '../../../src/simulation/environment/climate-terms.ts';
import { weatherUnder } from '../../../src/simulation/environment/weather.ts';
import { splitSeed } from '../../../src/simulation/kernel/noise.ts';
import { fitClimate } from '../../../tools/generate/climate-fit.ts';
import { readMeasuredSites } from '../../../tools/validate/climate-sites.ts';

const FIRST_DAY = Date.UTC(2026, 0, 1) / 86_400_000;
const MONTHS = Array.from({ length: 12 }, (_, month) => month);
const latitudes = fc.double({ min: -90, max: 90, noNaN: true });
const longitudes = fc.double({ min: -180, max: 180, noNaN: true });

// North of the equator July is summer, in Europe and elsewhere; south of it January.
test.each([
  ['Vienna', 48.2, 16.4, 6],
  ['Chicago', 41.9, -87.6, 6],
  ['Cape Town', -33.9, 18.4, 0],
  ['Melbourne', -37.8, 145, 0],
])('%s is warmer in its own summer', (_name, latitude, longitude, summer) => {
  const { monthlyMeansC } = climateAt(latitude, longitude);
  expect(monthlyMeansC[summer]).toBeGreaterThan((monthlyMeansC[6 - summer] ?? 0) + 6);
});

test('near the equator no month is much warmer than another', () => {
  const { monthlyMeansC } = climateAt(1, 100);
  expect(Math.max(...monthlyMeansC) - Math.min(...monthlyMeansC)).toBeLessThan(4);
  expect(Math.min(...monthlyMeansC)).toBeGreaterThan(20);
});

test('the days of a month have the mean of the month', () => {
  const climate = climateAt(52.5, 13.4);
  for (const month of MONTHS) {
    const [from, to] = [month, month + 1].map((each) => Date.UTC(2026, each, 1) / 86_400_000);
    let sum = 0;
    for (let day = from ?? 0; day < (to ?? 0); day++) sum += climate.normTemperatureOn(day);
    const mean = sum / ((to ?? 0) - (from ?? 0));
    expect(Math.abs(mean - (climate.monthlyMeansC[month] ?? 0))).toBeLessThan(0.15);
  }
});

test('every place has a climate that one could live or die in', () => {
  fc.assert(
    fc.property(latitudes, longitudes, (latitude, longitude) => {
      const climate = climateAt(latitude, longitude);
      for (const mean of climate.monthlyMeansC) {
        expect(mean).toBeGreaterThan(-75);
        expect(mean).toBeLessThan(45);
      }
      expect(climate.designC).toBeLessThan(Math.min(...climate.monthlyMeansC));
      for (let day = 1; day <= 366; day += 5) {
        for (const spread of [climate.spread.at(day), climate.clearnessSpread.at(day)]) {
          expect(spread).toBeGreaterThan(0);
        }
        expect(climate.clearness.atDayOfYear(day)).toBeGreaterThan(0.05);
        expect(climate.clearness.atDayOfYear(day)).toBeLessThan(0.85);
        expect(climate.range.atDayOfYear(day)).toBeGreaterThan(0.5);
        expect(climate.range.atDayOfYear(day)).toBeLessThan(28);
      }
    }),
  );
});

test('the climate changes little from a place to one a kilometre away: no seams', () => {
  fc.assert(
    fc.property(fc.double({ min: -85, max: 85, noNaN: true }), longitudes, (latitude, longitude) => {
      const here = climateAt(latitude, longitude);
      const there = climateAt(latitude + 0.009, longitude);
      for (const month of MONTHS) {
        const step = (here.monthlyMeansC[month] ?? 0) - (there.monthlyMeansC[month] ?? 0);
        expect(Math.abs(step)).toBeLessThan(1);
      }
    }),
  );
});

test('the ground is as warm as the air over the year, with a third of its seasons, later', () => {
  const climate = climateAt(48.2, 16.4);
  const soil = Array.from({ length: 365 }, (_, day) => climate.soilTemperatureOn(FIRST_DAY + day));
  const air = Array.from({ length: 365 }, (_, day) => climate.normTemperatureOn(FIRST_DAY + day));
  const span = (values: readonly number[]) => Math.max(...values) - Math.min(...values);
  expect(span(soil) / span(air)).toBeCloseTo(0.35, 2);
  const warmest = (values: readonly number[]) => values.indexOf(Math.max(...values));
  expect(warmest(soil) - warmest(air)).toBe(42);
  expect(soil.reduce((sum, each) => sum + each, 0) / 365).toBeCloseTo(climate.meanC, 1);
});

test('the design temperature is about what the coldest day of ten years brings', () => {
  const departures = [0, 1, 2, 3, 4, 5].map((i) => {
    const [latitude, longitude] = [45 + 2.5 * i, 8 + 3 * i];
    const climate = climateAt(latitude, longitude);
    const weather = weatherUnder(climate, splitSeed(i), latitude, longitude);
    let coldest = Infinity;
    for (let day = FIRST_DAY; day < FIRST_DAY + 3652; day++) {
      coldest = Math.min(coldest, weather.meanTemperatureOn(day));
    }
    return coldest - 0.5 - climate.designC;
  });
  expect(Math.abs(departures.reduce((sum, each) => sum + each, 0) / departures.length)).toBeLessThan(2);
});

test('places left out of the fit are told their months within 1.2 K in Europe, 1.5 K in all the world (median)', () => {
  const sites = readMeasuredSites();
  const errors = sites.map((site) => {
    const table = fitClimate(sites.filter((other) => other !== site));
    const columns = climateColumnsAt(site.latitude, site.longitude, table);
    const { from } = CLIMATE_COLUMNS.temperature;
    const off = MONTHS.map((month) =>
      Math.abs((columns[from + month] ?? 0) - (site.columns[from + month] ?? 0)),
    );
    return { region: site.region, error: off.reduce((sum, each) => sum + each, 0) / 12 };
  });
  const quantile = (values: readonly number[], part: number): number =>
    [...values].sort((a, b) => a - b)[Math.floor(part * values.length)] ?? NaN;
  const all = errors.map(({ error }) => error);
  const europe = errors.filter(({ region }) => region === 'Europe').map(({ error }) => error);
  expect(quantile(all, 0.5)).toBeLessThan(1.5);
  expect(quantile(all, 0.9)).toBeLessThan(4);
  expect(quantile(europe, 0.5)).toBeLessThan(1.2);
  expect(quantile(europe, 0.9)).toBeLessThan(2.7);
});

test('a measured site has its own climate, south of the equator with its months turned', () => {
  for (const site of readMeasuredSites()) {
    const climate = new Climate(site.columns, site.latitude);
    if (Math.abs(site.latitude) < 5) continue;
    for (const month of MONTHS) {
      const measured = site.value(`T${String(month + 1).padStart(2, '0')}`);
      expect(climate.monthlyMeansC[month]).toBeCloseTo(measured, 6);
    }
  }
});

test('two places whose kept climates have one number get the climates of their own', () => {
  const [sea, shore] = [climateAt(0, 5), climateAt(5e-6, 0)];
  expect(sea.monthlyMeansC).not.toEqual(shore.monthlyMeansC);
  expect(climateAt(0, 5).monthlyMeansC).toEqual(sea.monthlyMeansC);
  expect(climateAt(5e-6, 0).monthlyMeansC).toEqual(shore.monthlyMeansC);
});

test('the tails lean: cold ones in winter, less where winters vary most; hot ones in summer, by the sea', () => {
  const climateOf = (name: string): Climate => {
    const site = readMeasuredSites().find((each) => each.name === name);
    return new Climate(site?.columns ?? new Float64Array(), site?.latitude ?? 0);
  };
  const [january, july] = [15, 197];
  expect(climateOf('Vienna Schwechat').skew.at(january)).toBeLessThan(-0.12);
  expect(climateOf('Fairbanks').skew.at(january)).toBeGreaterThan(0);
  expect(climateOf('San Francisco').skew.at(july)).toBeGreaterThan(0.2);
  expect(climateOf('Chicago').skew.at(july)).toBeLessThan(0.1);
  expect(climateOf('Sydney').skew.at(january)).toBeGreaterThan(climateOf('Sydney').skew.at(july));
});
