/** Row 22: how alike the weather of neighbours is. */
import { DAY_MS, QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import { panelPlaneOf } from '../../src/simulation/devices/pv.ts';
import { siteWeather } from '../../src/simulation/environment/weather.ts';
import type { SiteWeather } from '../../src/simulation/environment/weather.ts';
import { splitSeed } from '../../src/simulation/kernel/noise.ts';
import { powersOn } from './pv-figures.ts';
import { rowWithin } from './row.ts';
import type { Row } from './row.ts';
import { correlation, mean, sum } from './statistics.ts';
import { drawNeighbours } from './weather-pictures.ts';

const SEED = splitSeed(7);
const FIRST_DAY = Date.UTC(2025, 0, 1) / DAY_MS;
const YEAR_DAYS = 365;
const SOUTH_ROOF = panelPlaneOf({ rating_kw: 10, tilt_deg: 35, azimuth_deg: 180, inverter_rating_kw: 10 });
const LATITUDES = [48.2, 50.1, 52.4];
const LONGITUDE = 10;

interface Series {
  readonly hourly: number[];
  readonly temperatures: number[];
}

function seriesOf(weather: SiteWeather): Series {
  const hourly: number[] = [];
  const temperatures: number[] = [];
  for (let day = FIRST_DAY; day < FIRST_DAY + YEAR_DAYS; day++) {
    const powers = powersOn(weather, SOUTH_ROOF, day);
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i += 4)
      hourly.push(sum(Array.from(powers.subarray(i, i + 4))));
    temperatures.push(weather.meanTemperatureOn(day));
  }
  return { hourly, temperatures };
}

/** Correlation where both are over 0. */
function litCorrelation(a: readonly number[], b: readonly number[]): number {
  const lit = a.flatMap((value, i) => (value > 0 && (b[i] ?? 0) > 0 ? [i] : []));
  return correlation(
    lit.map((i) => a[i] ?? 0),
    lit.map((i) => b[i] ?? 0),
  );
}

const weatherAt = (latitude: number, longitude: number): SiteWeather =>
  siteWeather(SEED, latitude, longitude);

/** Row 22. */
export function measure(): Promise<Row[]> {
  const pairs = LATITUDES.map((latitude) => {
    // A degree of longitude is 111.2 km times the cosine of the latitude.
    const east = (km: number) => LONGITUDE + km / (111.2 * Math.cos((latitude * Math.PI) / 180));
    const here = seriesOf(weatherAt(latitude, LONGITUDE));
    const near = seriesOf(weatherAt(latitude, east(5)));
    const far = seriesOf(weatherAt(latitude, east(200)));
    return {
      near: litCorrelation(here.hourly, near.hourly),
      far: litCorrelation(here.hourly, far.hourly),
      warmth: correlation(here.temperatures, far.temperatures),
    };
  });
  const row = (id: string, figure: string, values: readonly number[], accept: readonly [number, number]) =>
    rowWithin({ id, figure, truth: '-', source: 'expected of neighbours' }, mean(values), accept, 3);
  return Promise.resolve([
    row(
      '22a',
      'Hourly PV of neighbours at 5 km, r',
      pairs.map(({ near }) => near),
      [0.95, 1],
    ),
    row(
      '22b',
      'Hourly PV at 200 km, r',
      pairs.map(({ far }) => far),
      [0.5, 0.9],
    ),
    row(
      '22c',
      'Daily temperature at 200 km, r',
      pairs.map(({ warmth }) => warmth),
      [0.9, 1],
    ),
  ]);
}

export { drawNeighbours as draw };
