/** How the clouds of a day change from quarter hour to quarter hour. */
import { DAY_MS, QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';
import { clearSkyIrradiance } from '../../src/simulation/environment/light.ts';
import { solarTermsAt, sunDirection } from '../../src/simulation/environment/sun.ts';
import { siteWeather } from '../../src/simulation/environment/weather.ts';
import { splitSeed } from '../../src/simulation/kernel/noise.ts';
import { rowWithin } from './row.ts';
import type { Row } from './row.ts';
import { correlation } from './statistics.ts';

const SEED = splitSeed(7);
const FIRST_DAY = Date.UTC(2025, 0, 1) / DAY_MS;
const YEAR_DAYS = 365;
const [LATITUDE, LONGITUDE] = [50.1, 10];

/** Published autocorrelations of the light's share through the clouds after 15, 30, 45 and 60 minutes. */
const CLOUD_MEMORY = [0.92, 0.83, 0.78, 0.75];
const TOLERANCE = 0.08;
const round = (value: number): number => Math.round(100 * value) / 100;
/** Cosine of the zenith angle over which clouds are compared: near the horizon the clear sky's light is uncertain. */
const LEAST_HEIGHT = 0.17;

/** Clear-sky indices of a day's quarter hours; NaN with the sun low. */
function clearShares(global: Float64Array, day: number): number[] {
  const terms = solarTermsAt(day * DAY_MS + DAY_MS / 2);
  return Array.from(global, (light, i) => {
    const atMs = day * DAY_MS + (i + 0.5) * QUARTER_HOUR_MS;
    const { up } = sunDirection(terms, atMs, LATITUDE, LONGITUDE);
    return up < LEAST_HEIGHT ? NaN : light / clearSkyIrradiance(up);
  });
}

/** Rows of clouds at a place in Central Europe. */
export function measureClouds(): Row[] {
  const weather = siteWeather(SEED, LATITUDE, LONGITUDE);
  const pairs: [number, number][][] = CLOUD_MEMORY.map(() => []);
  for (let day = FIRST_DAY; day < FIRST_DAY + YEAR_DAYS; day++) {
    const shares = clearShares(weather.irradianceOn(day).global, day);
    for (const [lag, list] of pairs.entries()) {
      for (let i = 0; i + lag + 1 < shares.length; i++) {
        const [now, then] = [shares[i] ?? NaN, shares[i + lag + 1] ?? NaN];
        if (!Number.isNaN(now) && !Number.isNaN(then)) list.push([now, then]);
      }
    }
  }
  return CLOUD_MEMORY.map((published, lag) =>
    rowWithin(
      {
        id: `clouds ${15 * (lag + 1)}`,
        figure: `Autocorrelation of the clear-sky index after ${15 * (lag + 1)} min`,
        truth: String(published),
        source: 'Energies 15:2996 (Athens, Bucharest, Helsinki)',
      },
      correlation(pairs[lag]?.map(([now]) => now) ?? [], pairs[lag]?.map(([, then]) => then) ?? []),
      [round(published - TOLERANCE), round(published + TOLERANCE)],
    ),
  );
}
