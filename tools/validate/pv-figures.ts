/** Yields of roofs by country. */
import { DAY_MS, QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import { panelPlaneOf, pvPowerOnPlaneW } from '../../src/simulation/devices/pv.ts';
import type { PanelPlane } from '../../src/simulation/devices/pv.ts';
import { siteWeather } from '../../src/simulation/environment/weather.ts';
import type { SiteWeather } from '../../src/simulation/environment/weather.ts';
import { splitSeed } from '../../src/simulation/kernel/noise.ts';
import { evenDensity, households } from './sample-fleets.ts';
import type { Picture } from './picture.ts';
import { rowWithin } from './row.ts';
import type { Row } from './row.ts';
import { sum } from './statistics.ts';

const FIRST_DAY = Date.UTC(2025, 0, 1) / DAY_MS;
const YEAR_DAYS = 365;

/** Yields in kWh/kWp of 32,744 roof-top systems, 2012 to 2019 (Schardt and te Heesen, EUPVSEC). */
const PUBLISHED = { NL: 947, BE: 959, LU: 979, DE: 990, FR: 1102, IT: 1195 } as const;

const powers = new Float64Array(QUARTER_HOURS_PER_DAY);

/** Power of panels in the quarter hours of a UTC day, W; the row is written over by the next day. */
export function powersOn(weather: SiteWeather, plane: PanelPlane, day: number): Float64Array {
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

interface CountryYield {
  readonly country: string;
  readonly published: number;
  /** kWh/kWp of a year. */
  readonly simulated: number;
}

/** Computed once for rows and picture. */
let known: readonly CountryYield[] | undefined;
const countryYields = (): readonly CountryYield[] => (known ??= Object.entries(PUBLISHED).map(simulateYield));

function simulateYield([country, published]: readonly [string, number]): CountryYield {
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
  return { country, published, simulated: sum(energies) / sum(fleet.map(({ pv }) => pv.rating_kw)) };
}

/** Row 8. */
export const measureYields = (): Row[] =>
  countryYields().map(({ country, published, simulated }) =>
    rowWithin(
      {
        id: `8 ${country}`,
        figure: `PV yield, 20 roofs in ${country}, kWh/kWp`,
        truth: String(published),
        source: 'Schardt and te Heesen, EU PVSEC',
      },
      simulated,
      [Math.ceil(published * 0.92), Math.floor(published * 1.08)],
      0,
    ),
  );

/** Yields by country beside published ones. */
export function drawYields(): Picture {
  const countries = countryYields().map(({ country }) => country);
  return {
    name: 'pv-yield',
    words: 'Bars: the yield of simulated panels beside published yields, in six countries.',
    charts: [
      {
        title: 'Yearly yield of photovoltaic systems: 20 roofs a country',
        kind: 'bars',
        x: { label: 'Country', categories: countries, ticks: countries },
        y: { label: 'Yield of the year, kWh per kWp', from: 0, to: 1400, step: 200 },
        series: [
          { name: 'simulated', values: countryYields().map(({ simulated }) => simulated) },
          { name: 'published', values: countryYields().map(({ published }) => published) },
        ],
      },
    ],
  };
}
