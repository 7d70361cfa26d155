/** Panels and weather: yields, neighbours, seasons (docs/simulation.md#targets). */
import { DAY_MS, QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import type { Household } from '../../src/simulation/household/household.ts';
import { splitSeed } from '../../src/simulation/kernel/noise.ts';
import { siteWeather } from '../../src/simulation/environment/weather.ts';
import type { Chart } from './charts.ts';
import {
  FIRST_DAY,
  LAST_DAY,
  SEED,
  eachDay,
  evenDensity,
  households,
  mean,
  sum,
  within,
} from './sample-fleets.ts';
import type { Check } from './sample-fleets.ts';

/** Yields in kWh/kWp of 32,744 roof-top systems, 2012 to 2019 (Schardt and te Heesen, EUPVSEC). */
const PUBLISHED = { NL: 947, BE: 959, LU: 979, DE: 990, FR: 1102, IT: 1195 } as const;

export function measureYields(): { checks: Check[]; chart: Chart; monthly: number[] } {
  const monthly = new Array<number>(12).fill(0);
  const rows = Object.entries(PUBLISHED).map(([country, published]) => {
    const fleet = households({ count: 20, ev_ownership_fraction: 0, density: evenDensity(country) });
    let milliWh = 0;
    for (const household of fleet) {
      eachDay({ ...household, heat_pump: null }, ({ pv }, day) => {
        const energy = sum(pv);
        const month = new Date(day * DAY_MS).getUTCMonth();
        monthly[month] = (monthly[month] ?? 0) + energy;
        milliWh += energy;
      });
    }
    return { country, published, yielded: milliWh / 1e6 / sum(fleet.map(({ pv }) => pv.rating_kw)) };
  });
  const countries = rows.map(({ country }) => country);
  return {
    monthly,
    checks: rows.map(({ country, published, yielded }) =>
      within(
        `PV yield ${country}, kWh/kWp (published ${published})`,
        yielded,
        Math.ceil(published * 0.92),
        Math.floor(published * 1.08),
        0,
      ),
    ),
    chart: {
      title: 'Yearly yield of photovoltaic systems: 20 households a country',
      kind: 'bars',
      x: { label: 'Country', categories: countries, ticks: countries },
      y: { label: 'Yield of the year, kWh per kWp', from: 0, to: 1400, step: 200 },
      series: [
        { name: 'simulated', values: rows.map(({ yielded }) => yielded) },
        { name: 'published', values: rows.map(({ published }) => published) },
      ],
    },
  };
}

/** Hourly energies of equal panels at a place over the year, hours without light left out at all places alike. */
function hourly(household: Household, latitude: number, longitude: number): number[] {
  const hours: number[] = [];
  const here = {
    ...household,
    latitude,
    longitude,
    heat_pump: null,
    pv: { rating_kw: 10, inverter_rating_kw: 10, tilt_deg: 35, azimuth_deg: 180 },
  };
  eachDay(here, ({ pv }) => {
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i += 4) hours.push(sum(pv.subarray(i, i + 4)));
  });
  return hours;
}

function correlation(a: readonly number[], b: readonly number[]): number {
  const lit = a.flatMap((value, i): [number, number][] => {
    const other = b[i] ?? 0;
    return value > 0 && other > 0 ? [[value, other]] : [];
  });
  const [meanA, meanB] = [mean(lit.map(([value]) => value)), mean(lit.map(([, value]) => value))];
  const covariance = sum(lit.map(([x, y]) => (x - meanA) * (y - meanB)));
  const square = (index: 0 | 1, centre: number) => sum(lit.map((pair) => (pair[index] - centre) ** 2));
  return covariance / Math.sqrt(square(0, meanA) * square(1, meanB));
}

export function measureNeighbours(): Check[] {
  const [household] = households({ count: 1, ev_ownership_fraction: 0 });
  if (!household) throw new Error('The fleet has no household.');
  const pairs = [48.2, 50.1, 52.4].map((latitude) => {
    const here = hourly(household, latitude, 10);
    // A degree of longitude is 111.3 km times the cosine of the latitude.
    const east = (km: number) => 10 + km / (111.3 * Math.cos((latitude * Math.PI) / 180));
    return {
      near: correlation(here, hourly(household, latitude, east(5))),
      far: correlation(here, hourly(household, latitude, east(200))),
    };
  });
  const near = mean(pairs.map((pair) => pair.near));
  const far = mean(pairs.map((pair) => pair.far));
  return [
    {
      target: 'Hourly PV of neighbours at 5 km, r',
      goal: 'above 0.95',
      value: near.toFixed(3),
      met: near > 0.95,
    },
    {
      target: 'Hourly PV at 200 km, r',
      goal: `below ${near.toFixed(3)}`,
      value: far.toFixed(3),
      met: far < near - 0.05,
    },
  ];
}

/** Whether values rise month by month in the order given. */
function ordered(target: string, values: readonly number[], months: readonly (readonly number[])[]): Check {
  const met = months.every((order) =>
    order.every((month, i) => i === 0 || (values[month] ?? 0) > (values[order[i - 1] ?? 0] ?? 0)),
  );
  const shown = values.map((value) => value.toPrecision(2)).join(' ');
  return { target, goal: 'winter < spring, autumn < summer', value: shown, met };
}

/** Sequences of months (0..11) along which sun and temperature rise. */
const RISING = [
  [11, 1, 2, 3, 5],
  [11, 9, 8, 7, 5],
  [0, 1, 2, 3, 4],
];

export function measureMonths(pvByMonth: readonly number[]): Check[] {
  const total = sum(pvByMonth);
  const weather = siteWeather(splitSeed(SEED), 50.11, 8.68);
  const days: number[][] = Array.from({ length: 12 }, () => []);
  for (let day = FIRST_DAY; day <= LAST_DAY; day++) {
    days[new Date(day * DAY_MS).getUTCMonth()]?.push(weather.meanTemperatureOn(day));
  }
  return [
    ordered(
      'PV by month, share of the year',
      pvByMonth.map((energy) => energy / total),
      RISING,
    ),
    ordered('Temperature by month, C', days.map(mean), [
      [0, 3, 6],
      [11, 9, 7],
    ]),
  ];
}
