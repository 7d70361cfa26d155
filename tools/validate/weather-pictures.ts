/** Pictures of simulated weather: a winter and a summer week, a year, and the light of neighbours. */
import { DAY_MS, QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import { siteWeather } from '../../src/simulation/environment/weather.ts';
import type { SiteWeather } from '../../src/simulation/environment/weather.ts';
import { splitSeed } from '../../src/simulation/kernel/noise.ts';
import type { LineChart, LineSeries } from './charts.ts';
import type { Picture } from './picture.ts';
import { WEEKS, WEEK_DAYS, weekAxis } from './weeks.ts';
import type { Season } from './weeks.ts';

const SEED = splitSeed(7);
const YEAR = Date.UTC(2025, 0, 1) / DAY_MS;
const YEAR_DAYS = 365;

const PLACES: Readonly<Record<string, readonly [latitude: number, longitude: number]>> = {
  Oslo: [59.91, 10.75],
  Berlin: [52.52, 13.41],
  London: [51.51, -0.13],
  Seville: [37.39, -5.98],
};

const weatherAt = ([latitude, longitude]: readonly [number, number]): SiteWeather =>
  siteWeather(SEED, latitude, longitude);

/** Quarter-hourly values of a week by the day of it. */
function week(first: number, valuesOn: (day: number) => Float64Array): [number, number][] {
  return Array.from({ length: WEEK_DAYS }, (_, day) =>
    Array.from(valuesOn(first + day), (value, i): [number, number] => [
      day + (i + 0.5) / QUARTER_HOURS_PER_DAY,
      value,
    ]),
  ).flat();
}

function airWeek(season: Season, from: number, to: number): LineChart {
  return {
    kind: 'lines',
    title: `Outdoor air in a ${season} week`,
    x: weekAxis(season, 'UTC'),
    y: { label: 'Temperature, °C', from, to, step: 10 },
    series: Object.entries(PLACES).map(([name, place]) => ({
      name,
      points: week(WEEKS[season], (day) => weatherAt(place).airTemperaturesOn(day)),
    })),
  };
}

function lightWeek(): LineChart {
  const [latitude, longitude] = PLACES['Berlin'] ?? [0, 0];
  const east = (km: number): number => longitude + km / (111.2 * Math.cos((latitude * Math.PI) / 180));
  const series = [
    { name: 'Berlin', km: 0 },
    { name: '20 km east', km: 20 },
    { name: '200 km east', km: 200 },
  ].map(({ name, km }): LineSeries => ({
    name,
    points: week(WEEKS.summer, (day) => siteWeather(SEED, latitude, east(km)).irradianceOn(day).global),
  }));
  return {
    kind: 'lines',
    title: 'Sunlight in a summer week, at neighbours',
    x: weekAxis('summer', 'UTC'),
    y: { label: 'Global irradiance, W/m²', from: 0, to: 1200, step: 200 },
    series,
  };
}

function dailyYear(): LineChart {
  const weather = weatherAt(PLACES['Berlin'] ?? [0, 0]);
  const days = Array.from({ length: YEAR_DAYS }, (_, day) => day);
  return {
    kind: 'lines',
    title: 'Daily means of a year in Berlin',
    x: {
      label: 'Day of the year by the sun of the place, from 1 January on',
      from: 0,
      to: YEAR_DAYS,
      step: 30,
    },
    y: { label: 'Temperature, °C', from: -20, to: 35, step: 10 },
    series: [
      { name: 'simulated', points: days.map((day) => [day, weather.meanTemperatureOn(YEAR + day)]) },
      {
        name: 'norm year',
        points: days.map((day) => [day, weather.climate.normTemperatureOn(YEAR + day)]),
        isDashed: true,
      },
    ],
  };
}

/** Air in two weeks and a year. */
export const drawWeather = (): Picture[] => [
  {
    name: 'weather-weeks',
    words:
      'Lines: the outdoor temperature of a week in winter and of one in summer in Oslo, Berlin, London and Seville; warm and cold spells of days, and a daily course that is wider in summer. The weather is one draw of many: homes in other pictures of the same places and dates are of other fleets and have other days.',
    charts: [airWeek('winter', -30, 30), airWeek('summer', 0, 50)],
  },
  {
    name: 'weather-year',
    words:
      'Lines: the daily mean temperatures of a year in Berlin around those of its norm year, with spells of some days to two weeks; the same draw as in the weeks above, not that of the homes.',
    charts: [dailyYear()],
  },
];

/** Light at neighbours. */
export const drawNeighbours = (): Picture[] => [
  {
    name: 'neighbours-light',
    words:
      'Lines: sunlight in a summer week in Berlin, 20 km and 200 km east of it; near places share clouds and hours, far ones share clear and dull days in part.',
    charts: [lightWeek()],
  },
];
