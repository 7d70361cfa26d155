/** Rows 17 and 18 of the validation: how cars are plugged in, and what they drive. */
import { readFileSync } from 'node:fs';
import type { BarChart } from './charts.ts';
import { drawCarCharges } from './car-charges.ts';
import { simulateCarYear } from './car-year.ts';
import type { CarYear, Session } from './car-year.ts';
import type { Picture } from './picture.ts';
import type { Row } from './row.ts';
import { households } from './sample-fleets.ts';
import { mean, quantile, sum } from './statistics.ts';
import { measureSteeredCars } from './steered-cars.ts';

type DayKind = 'workday' | 'weekend';
type Quartiles = readonly [low: number, median: number, high: number];

interface CarTruth {
  readonly source: string;
  readonly plug_in_hour_percent: Readonly<Record<DayKind, readonly number[]>>;
  readonly connected_hours: Readonly<Record<DayKind, Quartiles>>;
  readonly session_kwh: Readonly<Record<DayKind, Quartiles>>;
  readonly sessions_a_week: Quartiles;
  readonly kwh_a_week: Quartiles;
  readonly winter_over_summer: number;
}

const TRUTH = JSON.parse(
  readFileSync(new URL('truth/car-sessions.json', import.meta.url), 'utf8'),
) as CarTruth;

const CARS = 600;
const WEEKS = 365 / 7;
const DAY_KINDS: readonly DayKind[] = ['workday', 'weekend'];
/** Part of a quartile by which the simulated one may differ, and the largest distance of two distributions of hours. */
const QUARTILE_TOLERANCE = 0.25;
const LARGEST_VARIATION = 0.15;

const quartilesOf = (values: readonly number[]): Quartiles => [
  quantile(values, 0.25),
  quantile(values, 0.5),
  quantile(values, 0.75),
];

const isKind =
  (kind: DayKind) =>
  ({ weekday }: Session): boolean =>
    weekday < 5 === (kind === 'workday');

/** Per cent of the sessions that begin in each hour. */
function hourPercents(sessions: readonly Session[]): number[] {
  const counts = new Array<number>(24).fill(0);
  for (const { startHour } of sessions) counts[startHour] = (counts[startHour] ?? 0) + 1;
  return counts.map((count) => (100 * count) / sessions.length);
}

/** Half the sum of the differences of two distributions in per cent, as a part of one. */
const totalVariation = (a: readonly number[], b: readonly number[]): number =>
  sum(a.map((value, i) => Math.abs(value - (b[i] ?? 0)))) / 200;

/** Quartiles beside measured ones. */
function quartileRow(id: string, figure: string, truth: Quartiles, measured: Quartiles): Row {
  const met = measured.every((value, i) => {
    const goal = truth[i] ?? NaN;
    return Math.abs(value / goal - 1) <= QUARTILE_TOLERANCE;
  });
  const text = (values: Quartiles): string => values.map((value) => value.toFixed(1)).join(', ');
  return {
    id,
    figure: `${figure}: quartiles`,
    truth: text(truth),
    source: TRUTH.source,
    measured: text(measured),
    accept: `each within ${100 * QUARTILE_TOLERANCE} %`,
    verdict: met ? 'met' : 'missed',
  };
}

interface RangeRow {
  readonly id: string;
  readonly figure: string;
  readonly truth: string;
  readonly source: string;
  readonly value: number;
  readonly from: number;
  readonly to: number;
  readonly digits: number;
}

/** A number that must lie in a range, both ends included. */
function rangeRow({ id, figure, truth, source, value, from, to, digits }: RangeRow): Row {
  const verdict = value >= from && value <= to ? 'met' : 'missed';
  return { id, figure, truth, source, measured: value.toFixed(digits), accept: `${from} to ${to}`, verdict };
}

interface MeasuredFleet {
  readonly years: readonly CarYear[];
  readonly asked: readonly number[];
  readonly sessions: Readonly<Record<DayKind, readonly Session[]>>;
}

function simulateFleet(): MeasuredFleet {
  const fleet = households({ count: CARS, ev_ownership_fraction: 1 });
  const years = fleet.map(simulateCarYear);
  const sessions = years.flatMap((year) => year.sessions);
  return {
    years,
    asked: fleet.map((household) => household.ev_annual_kwh),
    sessions: {
      workday: sessions.filter(isKind('workday')),
      weekend: sessions.filter(isKind('weekend')),
    },
  };
}

function sessionRows({ years, sessions }: MeasuredFleet): Row[] {
  const byKind = DAY_KINDS.flatMap((kind): Row[] => {
    const those = sessions[kind];
    const hours = totalVariation(hourPercents(those), TRUTH.plug_in_hour_percent[kind]);
    const connected = quartilesOf(those.map((session) => session.hours));
    const energies = quartilesOf(those.map(({ kwh }) => kwh));
    return [
      rangeRow({
        id: `17-hours-${kind}`,
        figure: `Plug-in hours, ${kind}: total variation from the measured`,
        truth: '0',
        source: TRUTH.source,
        value: hours,
        from: 0,
        to: LARGEST_VARIATION,
        digits: 3,
      }),
      quartileRow(`17-connected-${kind}`, `Hours connected, ${kind}`, TRUTH.connected_hours[kind], connected),
      quartileRow(`17-energy-${kind}`, `kWh of a session, ${kind}`, TRUTH.session_kwh[kind], energies),
    ];
  });
  const weekly = years.map((year) => year.sessions.length / WEEKS);
  const energies = years.map((year) => sum(year.homeKwh) / WEEKS);
  return [
    ...byKind,
    quartileRow('17-sessions', 'Sessions a week of a car', TRUTH.sessions_a_week, quartilesOf(weekly)),
    quartileRow('17-kwh', 'kWh a week of a car', TRUTH.kwh_a_week, quartilesOf(energies)),
  ];
}

/** Mean of a day from December to February over that from June to August. */
function winterOverSummer(years: readonly CarYear[]): number {
  const months = Array.from({ length: 12 }, (_, month) =>
    sum(years.map(({ homeKwh }) => homeKwh[month] ?? 0)),
  );
  const daily = (chosen: readonly number[], days: number): number =>
    sum(chosen.map((month) => months[month] ?? 0)) / days;
  return daily([11, 0, 1], 90) / daily([5, 6, 7], 92);
}

function yearRows({ years, asked }: MeasuredFleet): Row[] {
  const home = years.map((year) => sum(year.homeKwh));
  const elsewhere = sum(years.map((year) => year.elsewhereKwh));
  const deviations = home.map((kwh, i) => Math.abs(kwh / (asked[i] ?? NaN) - 1));
  const driven = sum(years.map((year) => year.drivenKwh));
  const definition = 'the definition asks for it';
  const row = (
    id: string,
    figure: string,
    [truth, source]: readonly [string, string],
    [value, from, to, digits]: readonly [number, number, number, number],
  ): Row => rangeRow({ id, figure, truth, source, value, from, to, digits });
  return [
    row(
      '17-season',
      'Home charging of a winter day over a summer day',
      [String(TRUTH.winter_over_summer), TRUTH.source],
      [winterOverSummer(years), 1.15, 1.5, 2],
    ),
    row(
      '17-asked-fleet',
      'Home charging of a year over that asked for, fleet',
      ['1', definition],
      [sum(home) / sum(asked), 0.99, 1.01, 4],
    ),
    row(
      '17-asked-car',
      'Home charging of a year, largest deviation of a car from that asked for',
      ['0', definition],
      [Math.max(...deviations), 0, 0.05, 3],
    ),
    row(
      '17-elsewhere',
      'Part of the energy that is charged elsewhere',
      ['.04 to .1', 'most charging is at home (surveys of drivers who can charge at home)'],
      [elsewhere / driven, 0.02, 0.15, 3],
    ),
    row(
      '17-speed',
      'Highest mean speed of a drive, km/h',
      ['at most 130', 'limits on motorways'],
      [Math.max(...years.map((year) => year.topSpeed)), 0, 130, 0],
    ),
    row(
      '18-noon',
      'Part of the cars plugged in at noon on working days',
      ['.10', 'garages of apartment buildings, Norway'],
      [mean(years.map((year) => year.noonShare)), 0.07, 0.3, 3],
    ),
  ];
}

/** Computed once for rows and pictures. */
let known: MeasuredFleet | undefined;
const knownFleet = (): MeasuredFleet => (known ??= simulateFleet());

/** The rows of cars: a fleet of the default mix over 2025. The same numbers on each run. */
export const measure = (): Promise<Row[]> =>
  Promise.resolve([...sessionRows(knownFleet()), ...yearRows(knownFleet()), ...measureSteeredCars()]);

const HOUR_NAMES = Array.from({ length: 24 }, (_, hour) => String(hour));

function hoursChart(kind: DayKind): BarChart {
  return {
    kind: 'bars',
    title: `Hours in which cars are plugged in, ${kind === 'workday' ? 'Monday to Friday' : 'Saturday and Sunday'}`,
    x: {
      label: 'Hour of the day (local time)',
      categories: HOUR_NAMES,
      ticks: HOUR_NAMES.filter((_, hour) => hour % 3 === 0),
    },
    y: { label: 'Share of the sessions, %', from: 0, to: 16, step: 4 },
    series: [
      { name: 'simulated', values: hourPercents(knownFleet().sessions[kind]) },
      { name: 'measured (Norway)', values: TRUTH.plug_in_hour_percent[kind] },
    ],
  };
}

/** The pictures: plug-in hours beside the measured ones, and the charge of some cars. */
export const draw = (): Picture[] => [
  {
    name: 'car-plug-in-hours',
    words:
      'Bars: the share of charging sessions that begin in each hour, on working days and at weekends, beside those measured in Norway; most begin between 15 and 21 h.',
    charts: DAY_KINDS.map(hoursChart),
  },
  drawCarCharges(),
];
