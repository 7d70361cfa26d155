/** Yields of roofs by country, and how alike the weather of neighbours is. */
import { DAY_MS, QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';
import { panelPlaneOf, pvPowerOnPlaneW } from '../../src/simulation/devices/pv.ts';
import type { PanelPlane } from '../../src/simulation/devices/pv.ts';
import { clearSkyIrradiance } from '../../src/simulation/environment/light.ts';
import { solarTermsAt, sunDirection } from '../../src/simulation/environment/sun.ts';
import { siteWeather } from '../../src/simulation/environment/weather.ts';
import type { SiteWeather } from '../../src/simulation/environment/weather.ts';
import { splitSeed } from '../../src/simulation/kernel/noise.ts';
import { evenDensity, households } from '../fidelity/sample-fleets.ts';
import { rowWithin } from './row.ts';
import type { Row } from './row.ts';
import { correlation, mean, sum } from './statistics.ts';

const FIRST_DAY = Date.UTC(2025, 0, 1) / DAY_MS;
const YEAR_DAYS = 365;

/** Yields in kWh/kWp of 32,744 roof-top systems, 2012 to 2019 (Schardt and te Heesen, EUPVSEC). */
const PUBLISHED = { NL: 947, BE: 959, LU: 979, DE: 990, FR: 1102, IT: 1195 } as const;

/** Power of panels in the quarter hours of a UTC day, W; the row is written over by the next day. */
function powersOn(weather: SiteWeather, plane: PanelPlane, day: number): Float64Array {
  const air = weather.airTemperaturesOn(day);
  const { global, diffuse, beamEast, beamNorth, beamUp } = weather.irradianceOn(day);
  for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
    const incident =
      plane.east * (beamEast[i] ?? 0) + plane.north * (beamNorth[i] ?? 0) + plane.up * (beamUp[i] ?? 0);
    const irradiance =
      plane.diffuse * (diffuse[i] ?? 0) + plane.global * (global[i] ?? 0) + Math.max(0, incident);
    powers[i] = irradiance > 0 ? pvPowerOnPlaneW(plane, irradiance, air[i] ?? 0) : 0;
  }
  return powers;
}

const powers = new Float64Array(QUARTER_HOURS_PER_DAY);

/** Row 8. */
export function measureYields(): Row[] {
  return Object.entries(PUBLISHED).map(([country, published]) => {
    const fleet = households({ count: 20, ev_ownership_fraction: 0, density: evenDensity(country) });
    const energies = fleet.map(({ seed, latitude, longitude, pv }) => {
      const weather = siteWeather(splitSeed(seed), latitude, longitude);
      const plane = panelPlaneOf(pv);
      let wattQuarters = 0;
      for (let day = FIRST_DAY; day < FIRST_DAY + YEAR_DAYS; day++) {
        for (const power of powersOn(weather, plane, day)) wattQuarters += power;
      }
      return wattQuarters / 4000;
    });
    return rowWithin(
      {
        id: `8 ${country}`,
        figure: `PV yield, 20 roofs in ${country}, kWh/kWp`,
        truth: String(published),
        source: 'Schardt and te Heesen, EU PVSEC',
      },
      sum(energies) / sum(fleet.map(({ pv }) => pv.rating_kw)),
      [Math.ceil(published * 0.92), Math.floor(published * 1.08)],
      0,
    );
  });
}

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
    powersOn(weather, SOUTH_ROOF, day);
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

/** Row 22, and how the clouds of a day change from quarter hour to quarter hour. */
export function measureNeighbours(weatherAt: (latitude: number, longitude: number) => SiteWeather): Row[] {
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
    rowWithin({ id, figure, truth: '-', source: '-' }, mean(values), accept, 3);
  return [
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
    ...cloudRows(weatherAt(LATITUDES[1] ?? 0, LONGITUDE)),
  ];
}

/** Published autocorrelations of the light's share through the clouds after 15, 30, 45 and 60 minutes. */
const CLOUD_MEMORY = [0.92, 0.83, 0.78, 0.75];
/** Cosine of the zenith angle over which clouds are compared: near the horizon the clear sky's light is uncertain. */
const LEAST_HEIGHT = 0.17;

/** Clear-sky indices of a day's quarter hours at the second latitude; NaN with the sun low. */
function clearShares(global: Float64Array, day: number): number[] {
  const terms = solarTermsAt(day * DAY_MS + DAY_MS / 2);
  return Array.from(global, (light, i) => {
    const atMs = day * DAY_MS + (i + 0.5) * QUARTER_HOUR_MS;
    const { up } = sunDirection(terms, atMs, LATITUDES[1] ?? 0, LONGITUDE);
    return up < LEAST_HEIGHT ? NaN : light / clearSkyIrradiance(up);
  });
}

function cloudRows(weather: SiteWeather): Row[] {
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
      [published - 0.08, published + 0.08],
    ),
  );
}
