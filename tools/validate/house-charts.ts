/** Pictures of houses with heat pumps: temperatures and power of single homes in a week, and of many by hour. */
import { QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import { UNCONTROLLED } from '../../src/simulation/control/household-control.ts';
import { siteWeather } from '../../src/simulation/environment/weather.ts';
import { createHeatPumpRows } from '../../src/simulation/house/heat-pump-rows.ts';
import { UnsteeredHouse } from '../../src/simulation/house/unsteered-house.ts';
import { splitSeed } from '../../src/simulation/kernel/noise.ts';
import type { LineChart, LineSeries } from './charts.ts';
import { heatedHouseholds } from './heat-pump-years.ts';
import type { Heated, PlaceYear } from './heat-pump-years.ts';
import type { Picture } from './picture.ts';
import { WEEKS, WEEK_DAYS, weekAxis } from './weeks.ts';
import type { Season } from './weeks.ts';

const SHOWN_HOMES = 3;

interface Week {
  readonly indoor: readonly [number, number][];
  readonly hotWater: readonly [number, number][];
  readonly outdoor: readonly [number, number][];
  readonly powerKw: readonly [number, number][];
}

/** Half hours of temperatures and quarter hours of power of a home in a week, by days since its start. */
function weekOf(household: Heated, firstDay: number): Week {
  const simulation = new UnsteeredHouse(household, household.heat_pump, UNCONTROLLED);
  const weather = siteWeather(splitSeed(household.seed), household.latitude, household.longitude);
  const week = {
    indoor: [] as [number, number][],
    hotWater: [] as [number, number][],
    outdoor: [] as [number, number][],
    powerKw: [] as [number, number][],
  };
  const rows = createHeatPumpRows(QUARTER_HOURS_PER_DAY);
  for (let day = 0; day < WEEK_DAYS; day++) {
    simulation.fillDay(firstDay + day, rows);
    const air = weather.airTemperaturesOn(firstDay + day);
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const x = day + i / QUARTER_HOURS_PER_DAY;
      week.powerKw.push([x, (rows.hp[i] ?? 0) / 250_000]);
      if (i % 2 === 1) continue;
      week.indoor.push([x, (rows.indoor[i] ?? 0) / 1000]);
      week.hotWater.push([x, (rows.hotWater[i] ?? 0) / 1000]);
      week.outdoor.push([x, air[i] ?? 0]);
    }
  }
  return week;
}

function describeHome({ heat_pump: { building, emitter } }: Heated): string {
  return `${building.floor_area_m2} m², ${building.heat_loss_w_per_k} W/K, ${emitter}`;
}

function temperatureChart(homes: readonly Heated[], season: Season): LineChart {
  const weeks = homes.map((home) => weekOf(home, WEEKS[season]));
  const indoor = weeks.map(({ indoor: points }, i): LineSeries => {
    const home = homes[i];
    return { name: home ? describeHome(home) : '', points };
  });
  return {
    kind: 'lines',
    title: `Indoor temperature of three homes in Berlin, and outdoors, in a ${season} week`,
    x: weekAxis(season, 'UTC'),
    y: { label: 'Temperature, °C', from: season === 'winter' ? -15 : 5, to: 35, step: 5 },
    series: [...indoor, { name: 'outdoors', points: weeks[0]?.outdoor ?? [] }],
  };
}

function weekCharts(homes: readonly Heated[]): LineChart[] {
  const winter = homes.map((home) => weekOf(home, WEEKS.winter));
  const named = (points: (week: Week) => readonly [number, number][]): LineSeries[] =>
    winter.map((week, i) => {
      const home = homes[i];
      return { name: home ? describeHome(home) : '', points: points(week) };
    });
  return [
    temperatureChart(homes, 'winter'),
    {
      kind: 'lines',
      title: 'Their heat pumps in the winter week',
      x: weekAxis('winter', 'UTC'),
      y: { label: 'Electric power, mean of a quarter hour, kW', from: 0, to: 8, step: 2 },
      series: named(({ powerKw }) => powerKw),
    },
    {
      kind: 'lines',
      title: 'Their hot-water tanks in the winter week',
      x: weekAxis('winter', 'UTC'),
      y: { label: 'Temperature of the tank, °C', from: 20, to: 60, step: 10 },
      series: named(({ hotWater }) => hotWater),
    },
    temperatureChart(homes, 'summer'),
  ];
}

/** Outdoor temperatures of the days that are pooled, C. */
const POOLS = [
  { name: 'below 0 °C', from: -Infinity, to: 0 },
  { name: '0 to 5 °C', from: 0, to: 5 },
  { name: '5 to 12 °C', from: 5, to: 12 },
  { name: 'above 16 °C', from: 16, to: Infinity },
] as const;

/** Mean power of a pump by hour of the day, on days of a range of temperatures. */
function dayChart({ pumps, powerW, dayMeansC }: PlaceYear): LineChart {
  const series = POOLS.map(({ name, from, to }): LineSeries => {
    const sums = new Float64Array(24);
    let days = 0;
    for (const [day, meanC] of dayMeansC.entries()) {
      if (meanC < from || meanC >= to) continue;
      days += 1;
      for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
        sums[i >> 2] = (sums[i >> 2] ?? 0) + (powerW[day * QUARTER_HOURS_PER_DAY + i] ?? 0);
      }
    }
    const kw = (sum: number): number => sum / 4 / 1000 / pumps.length / Math.max(1, days);
    return { name, points: Array.from(sums, (sum, hour): [number, number] => [hour + 0.5, kw(sum)]) };
  });
  return {
    kind: 'lines',
    title: 'Mean power of 100 heat pumps in Berlin by hour, on days of four outdoor temperatures',
    x: { label: 'Hour of the day (UTC)', from: 0, to: 24, step: 3 },
    y: { label: 'Electric power a heat pump, kW', from: 0, to: 3, step: 0.5 },
    series,
  };
}

/** The pictures; `year` is that of the heat pumps of Berlin. */
export const drawHouses = (year: PlaceYear): Picture[] => [
  {
    name: 'house-weeks',
    words:
      'Lines: three homes in Berlin. Indoor temperatures keep near 20 degrees through a winter week whatever the weather outdoors, with set-backs at night; heat pumps run more on cold days; hot-water tanks fall with each draw and are heated again; in a summer week rooms swing by a kelvin or two a day and stay below 26 degrees. Their fleet has weather of its own: other days of the same dates than in other pictures of Berlin.',
    charts: weekCharts(heatedHouseholds('Berlin').slice(0, SHOWN_HOMES)),
  },
  {
    name: 'heat-pump-day',
    words:
      'Lines: the mean power of 100 heat pumps in Berlin by hour, on days of four outdoor temperatures; higher the colder it is, highest in the morning and lowest in the early afternoon.',
    charts: [dayChart(year)],
  },
];
