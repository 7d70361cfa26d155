/** Pictures of simulated weather: a winter and a summer week, and the light of neighbours. */
import { DAY_MS, QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import { siteWeather } from '../../src/simulation/environment/weather.ts';
import type { SiteWeather } from '../../src/simulation/environment/weather.ts';
import { splitSeed } from '../../src/simulation/kernel/noise.ts';
import { drawChart } from '../fidelity/charts.ts';
import type { LineSeries } from '../fidelity/charts.ts';

const SEED = splitSeed(7);
const WEEK_DAYS = 7;
const WINTER = Date.UTC(2025, 0, 13) / DAY_MS;
const SUMMER = Date.UTC(2025, 6, 14) / DAY_MS;
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

const WEEK_AXIS = { label: 'Day of the week', from: 0, to: WEEK_DAYS, step: 1 };

function airWeek(season: string, first: number, from: number, to: number): string {
  return drawChart({
    kind: 'lines',
    title: `Outdoor air in a ${season} week`,
    x: WEEK_AXIS,
    y: { label: 'Temperature, C', from, to, step: 10 },
    series: Object.entries(PLACES).map(([name, place]) => ({
      name,
      points: week(first, (day) => weatherAt(place).airTemperaturesOn(day)),
    })),
  });
}

function lightWeek(): string {
  const [latitude, longitude] = PLACES['Berlin'] ?? [0, 0];
  const east = (km: number): number => longitude + km / (111.2 * Math.cos((latitude * Math.PI) / 180));
  const series = [
    { name: 'Berlin', km: 0 },
    { name: '20 km east', km: 20 },
    { name: '200 km east', km: 200 },
  ].map(({ name, km }): LineSeries => ({
    name,
    points: week(SUMMER, (day) => siteWeather(SEED, latitude, east(km)).irradianceOn(day).global),
  }));
  return drawChart({
    kind: 'lines',
    title: 'Sunlight in a summer week, at neighbours',
    x: WEEK_AXIS,
    y: { label: 'Global irradiance, W/m²', from: 0, to: 1200, step: 200 },
    series,
  });
}

function dailyYear(): string {
  const weather = weatherAt(PLACES['Berlin'] ?? [0, 0]);
  const days = Array.from({ length: YEAR_DAYS }, (_, day) => day);
  return drawChart({
    kind: 'lines',
    title: 'Daily means of a year in Berlin',
    x: { label: 'Day of the year', from: 0, to: YEAR_DAYS + 1, step: 61 },
    y: { label: 'Temperature, C', from: -20, to: 35, step: 10 },
    series: [
      { name: 'simulated', points: days.map((day) => [day, weather.meanTemperatureOn(YEAR + day)]) },
      {
        name: 'norm year',
        points: days.map((day) => [day, weather.climate.normTemperatureOn(YEAR + day)]),
        isDashed: true,
      },
    ],
  });
}

/** The pictures, as SVG by the name of the file. */
export function draw(): Record<string, string> {
  return {
    'weather-winter.svg': airWeek('winter', WINTER, -20, 20),
    'weather-summer.svg': airWeek('summer', SUMMER, 0, 45),
    'weather-light.svg': lightWeek(),
    'weather-year.svg': dailyYear(),
  };
}
