/** Rows 1 to 8 of the validation: climate, days and light, at sites in the fit and left out of it. */
import { Climate } from '../../src/simulation/environment/climate.ts';
import { climateColumnsAt } from '../../src/simulation/environment/climate-map.ts';
import { weatherUnder } from '../../src/simulation/environment/weather.ts';
import { finishHash, splitSeed } from '../../src/simulation/kernel/noise.ts';
import { fitClimate } from '../generate/climate-fit.ts';
import { readMeasuredSites } from './climate-sites.ts';
import type { MeasuredSite } from './climate-sites.ts';
import { measureClouds } from './clouds.ts';
import type { Picture } from './picture.ts';
import { drawYields, measureYields } from './pv-figures.ts';
import type { Row } from './row.ts';
import { SITES_SOURCE, siteRows, truthOf } from './site-tests.ts';
import type { Simulated } from './site-tests.ts';
import { mean, quantile, sum } from './statistics.ts';
import { weatherFigures } from './weather-figures.ts';
import { drawWeather } from './weather-pictures.ts';

const SEED = 7;
/** Other weathers of which the extremes are measured, too: those of ten years depend on the seed. */
const OTHER_SEEDS = [42, 1] as const;
const HIGH_M = 1000;

function simulate(site: MeasuredSite, columns: Float64Array, seed = SEED): Simulated {
  const { latitude, longitude } = site;
  const weather = weatherUnder(new Climate(columns, latitude), splitSeed(seed), latitude, longitude);
  return { site, figures: weatherFigures(weather, latitude, longitude) };
}

/** Whether a site is of the third that one fit leaves out. */
const isLeftOut = (_: MeasuredSite, index: number): boolean => finishHash(12, index) % 3 === 0;

/** Mean absolute error of the monthly means at a place of the table, K. */
function monthError(site: MeasuredSite, fitted: readonly MeasuredSite[]): number {
  const columns = climateColumnsAt(site.latitude, site.longitude, fitClimate(fitted));
  return mean(Array.from({ length: 12 }, (_, i) => Math.abs((columns[i] ?? 0) - (site.columns[i] ?? 0))));
}

/** A row that is met when two quantiles of an error are small enough. */
function errorRow(
  id: string,
  figure: string,
  errors: readonly number[],
  limits?: readonly [number, number],
): Row {
  const [median, high] = [quantile(errors, 0.5), quantile(errors, 0.9)];
  return {
    id,
    figure: `${figure}, mean absolute error of the twelve monthly means, median / 90 % of ${errors.length} sites, K`,
    truth: '0',
    source: SITES_SOURCE,
    measured: `${median.toFixed(2)} / ${high.toFixed(2)}`,
    accept: limits ? `at most ${limits[0]} / ${limits[1]}` : 'shown',
    verdict: !limits ? 'shown' : median <= limits[0] && high <= limits[1] ? 'met' : 'missed',
  };
}

function climateRows(sites: readonly MeasuredSite[]): Row[] {
  const alone = sites.map((site) => ({
    site,
    error: monthError(
      site,
      sites.filter((other) => other !== site),
    ),
  }));
  const third = sites.filter(isLeftOut);
  const rest = sites.filter((site) => !third.includes(site));
  const errorsOf = (list: readonly MeasuredSite[]) => list.map((site) => monthError(site, rest));
  const europe = alone.filter(({ site }) => site.region === 'Europe');
  const high = alone.filter(({ site }) => site.heightM > HIGH_M);
  const errorsIn = (list: readonly { readonly error: number }[]) => list.map(({ error }) => error);
  return [
    errorRow('1a', 'Europe, each site left out in turn', errorsIn(europe), [1.2, 2.7]),
    errorRow('1b', 'All sites, each left out in turn', errorsIn(alone), [1.5, 4]),
    errorRow('1c', 'A random third left out', errorsOf(third), [1.5, 4]),
    errorRow('1d', 'The two thirds in that fit', errorsOf(rest)),
    errorRow(
      '1e',
      `Above ${HIGH_M} m (${high.map(({ site }) => site.name).join(', ')}), each left out in turn`,
      errorsIn(high),
    ),
  ];
}

/** Extremes of ten years, of several weathers, beside those of one typical year, in K beyond it. */
function extremeRows(simulated: readonly Simulated[]): Row[] {
  const cold = simulated.map(({ site, figures }) => site.value('Tmin') - figures.coldest);
  const warm = simulated.map(({ site, figures }) => figures.warmest - site.value('Tmax'));
  const rowOf = (id: string, figure: string, beyond: readonly number[]): Row => {
    const share = (test: (value: number) => boolean) => beyond.filter(test).length / beyond.length;
    const [out, far] = [share((value) => value >= 0), share((value) => value <= 12)];
    const least = Math.min(...beyond);
    const short = share((value) => value < -3);
    return {
      id,
      figure: `${figure} of ten years beyond that of a typical one: share of ${beyond.length} sites and weathers; short by at most, by more than 3 K; share by at most 12 K`,
      truth: 'rarer than a year',
      source: SITES_SOURCE,
      measured: `${Math.round(100 * out)} %; ${Math.max(0, -least).toFixed(1)} K, ${(100 * short).toFixed(1)} %; ${Math.round(100 * far)} %`,
      accept: 'at least 85 %; never by more than 3 K; at least 95 %',
      verdict: out >= 0.85 && least >= -3 && far >= 0.95 ? 'met' : 'missed',
    };
  };
  return [rowOf('4a', 'Coldest hour', cold), rowOf('4b', 'Warmest hour', warm)];
}

function yearRow(id: string, figure: string, simulated: readonly Simulated[]): Row {
  const errors = simulated
    .filter(({ site }) => site.hasLight)
    .map(({ site, figures }) => Math.abs(sum(figures.irradiations) / sum(truthOf(site, 'GHI')) - 1));
  const median = quantile(errors, 0.5);
  return {
    id,
    figure: `Irradiation of the year, median error of ${errors.length} sites ${figure}`,
    truth: '0',
    source: SITES_SOURCE,
    measured: `${(100 * median).toFixed(1)} %`,
    accept: 'at most 7 %',
    verdict: median <= 0.07 ? 'met' : 'missed',
  };
}

/** The pictures. */
export const draw = (): Picture[] => [...drawWeather(), drawYields()];

/** All rows of weather; a minute. */
export function measure(): Promise<Row[]> {
  const sites = readMeasuredSites();
  const own = sites.map((site) => simulate(site, site.columns));
  const leftOut = sites.map((site) => {
    const table = fitClimate(sites.filter((other) => other !== site));
    return simulate(site, climateColumnsAt(site.latitude, site.longitude, table));
  });
  const rows = [
    ...climateRows(sites),
    ...siteRows(own, leftOut),
    ...extremeRows([
      ...own,
      ...OTHER_SEEDS.flatMap((seed) => sites.map((site) => simulate(site, site.columns, seed))),
    ]),
    yearRow('6b own', 'with their own climate', own),
    yearRow('6b left out', 'left out of the fit', leftOut),
    ...measureYields(),
    ...measureClouds(),
  ];
  return Promise.resolve(rows);
}
