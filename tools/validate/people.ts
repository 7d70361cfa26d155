/** Rows 9 to 16 of the validation: household load against the norm profile and against measured homes. */
import type { DayType } from '../../src/simulation/time/day-type.ts';
import type { LineChart } from './charts.ts';
import type { LoadColumn } from './load-figures.ts';
import { floorRows } from './load-floor.ts';
import { measuredHomes } from './measured-loads.ts';
import { compareHomes, simulatedHomes } from './people-homes.ts';
import type { ColumnComparison, SimulatedHome } from './people-homes.ts';
import { nightFloorRow } from './night-floor.ts';
import { HOURS, NORM_HOMES, NORM_YEARS, meanDays } from './people-norm.ts';
import type { MeanDay } from './people-norm.ts';
import type { Picture } from './picture.ts';
import { rowWithin } from './row.ts';
import type { Row } from './row.ts';
import { loadHouseholds, loadOf } from './simulated-loads.ts';
import { mean, median, quantile } from './statistics.ts';

type Range = readonly [number, number];
const verdictOf = (isMet: boolean): Row['verdict'] => (isMet ? 'met' : 'missed');
const isWithin = (value: number, [from, to]: Range): boolean => value >= from && value <= to;

/** Computed once for rows, table and pictures. */
let days: readonly MeanDay[] | undefined;
let homes: readonly SimulatedHome[] | undefined;
let measured: ReturnType<typeof measuredHomes> | undefined;
const knownDays = (): readonly MeanDay[] => (days ??= meanDays());
const knownMeasured = (): ReturnType<typeof measuredHomes> => (measured ??= measuredHomes());
const knownHomes = (): readonly SimulatedHome[] => (homes ??= simulatedHomes());

/** The rows; some twenty seconds. */
export function measure(): Promise<Row[]> {
  return Promise.resolve([
    measureNorm(),
    ...measureEnergy(),
    ...SHAPES.map(measureShape),
    ...measureCoincidence(),
    measureQuarterPeak(),
    nightFloorRow(knownHomes().map(({ powers }) => powers)),
    ...floorRows(knownHomes(), knownMeasured()),
  ]);
}

/** The columns of the measured homes beside 200 simulated ones, the worst first. */
export const compareColumns = (): ColumnComparison[] => compareHomes(knownHomes());

/** The pictures. */
export const draw = (): Picture[] => [
  {
    name: 'load-norm',
    words:
      'Lines: the mean load of 1,000 simulated homes by hour on working days, on Saturdays and on Sundays, in January and in July, on top of the published norm profile: low at night, high around noon and in the evening.',
    charts: [
      normChart('workday', 'working days'),
      normChart('saturday', 'Saturdays'),
      normChart('sunday', 'Sundays'),
    ],
  },
];

const SHOWN_MONTHS = [
  { month: 0, name: 'January' },
  { month: 6, name: 'July' },
] as const;

function normChart(type: DayType, typeName: string): LineChart {
  return {
    kind: 'lines',
    title: `Mean load on ${typeName}: ${NORM_HOMES} simulated homes and the norm profile H25`,
    x: { label: 'Hour of the day (local time)', from: 0, to: HOURS, step: 3 },
    y: { label: 'Load, relative to the yearly mean (1)', from: 0, to: 2.5, step: 0.5 },
    series: SHOWN_MONTHS.flatMap(({ month, name }, colour) => {
      const day = knownDays().find((its) => its.month === month && its.type === type);
      const points = (values: readonly number[] = []) =>
        values.map((value, hour): [number, number] => [hour + 0.5, value]);
      return [
        { name, colour, points: points(day?.simulated) },
        { name: `${name}, norm`, colour, points: points(day?.norm), isDashed: true },
      ];
    }),
  };
}

function measureNorm(): Row {
  const distances = knownDays().map(({ distance }) => distance);
  const [usual, worst] = [mean(distances), Math.max(...distances)];
  return {
    id: '9',
    figure: `Mean day by month, day type and hour against the published H25, RMSE: mean, worst (${NORM_HOMES} homes, ${NORM_YEARS} years)`,
    truth: '0',
    source: 'truth/h25.csv, dynamised',
    measured: `${usual.toFixed(3)}, ${worst.toFixed(3)}`,
    accept: 'at most 0.020, 0.035',
    verdict: verdictOf(usual <= 0.02 && worst <= 0.035),
  };
}

function measureEnergy(): Row[] {
  const ratios = knownHomes().map(({ energyRatio }) => energyRatio);
  const source = 'the definition';
  return [
    rowWithin(
      { id: '10a', figure: 'Annual energy of a fleet over that asked', truth: '1', source },
      mean(ratios),
      [0.99, 1.01],
      4,
    ),
    rowWithin(
      { id: '10b', figure: 'The same of each home: largest distance from 1', truth: '0', source },
      Math.max(...ratios.map((ratio) => Math.abs(ratio - 1))),
      [0, 0.1],
      3,
    ),
  ];
}

/** A column of the homes and the ranges in which 10 %, median and 90 % of the simulated ones must lie. */
interface Shape {
  readonly id: string;
  readonly figure: string;
  readonly column: LoadColumn;
  readonly median: Range;
  readonly tenth?: Range;
  readonly ninetieth?: Range;
}

const SHAPES: readonly Shape[] = [
  {
    id: '11',
    figure: 'Largest half hour over mean power',
    column: 'max_over_mean',
    median: [9, 16],
    tenth: [6, Infinity],
    ninetieth: [0, 32],
  },
  {
    id: '12a',
    figure: 'Residual, lag 30 min',
    column: 'ac_lag1',
    median: [0.45, 0.7],
  },
  {
    id: '12b',
    figure: 'Residual, lag 1 h',
    column: 'ac_1h',
    median: [0.19, 0.49],
  },
  {
    id: '12c',
    figure: 'Residual, lag 1 day',
    column: 'ac_1d',
    median: [0.1, 0.32],
  },
  {
    id: '14a',
    figure: 'Variation of daily energy',
    column: 'daily_cv',
    median: [0.28, 0.55],
  },
  {
    id: '14b',
    figure: 'Days of absence a year',
    column: 'absence_local_per_yr',
    median: [3, 20],
  },
  {
    id: '15',
    figure: 'Share of energy at 0 to 5 h',
    column: 'night_share_0_5',
    median: [0.09, 0.16],
  },
];

/** Quartiles, as both sides of a row show them. */
const quartilesOf = (values: readonly number[]): number[] =>
  [0.25, 0.5, 0.75].map((part) => quantile(values, part));
const write = (values: readonly number[]): string => {
  const digits = (values[1] ?? 0) >= 2 ? 1 : 2;
  return values.map((value) => value.toFixed(digits)).join(', ');
};

function measureShape({ id, figure, column, median: middle, tenth, ninetieth }: Shape): Row {
  const values = knownHomes().map(({ figures }) => figures[column]);
  const got = { tenth: quantile(values, 0.1), middle: median(values), ninetieth: quantile(values, 0.9) };
  const outer = `${tenth ? `, 10 % at least ${tenth[0]}` : ''}${ninetieth ? `, 90 % at most ${ninetieth[1]}` : ''}`;
  const ends = (tenth ?? ninetieth) ? `; 10 %, 90 %: ${write([got.tenth, got.ninetieth])}` : '';
  return {
    id,
    figure: `${figure}, quartiles of ${values.length} homes`,
    truth: write(quartilesOf(knownMeasured().get(column) ?? [])),
    source: 'truth/load.csv: 24 homes at 30 min',
    measured: `${write(quartilesOf(values))}${ends}`,
    accept: `median ${middle[0]} to ${middle[1]}${outer}`,
    verdict: verdictOf(
      isWithin(got.middle, middle) &&
        (!tenth || isWithin(got.tenth, tenth)) &&
        (!ninetieth || isWithin(got.ninetieth, ninetieth)),
    ),
  };
}

const COINCIDENCE: readonly { readonly of: number; readonly truth: string; readonly range: Range }[] = [
  { of: 2, truth: '0.71 to 0.77', range: [0.6, 0.8] },
  { of: 5, truth: '0.47 to 0.62', range: [0.4, 0.66] },
  { of: 10, truth: '0.37 to 0.40', range: [0.28, 0.48] },
  { of: 17, truth: '0.36', range: [0.22, 0.42] },
];

const largest = (values: Iterable<number>): number => {
  let most = 0;
  for (const value of values) most = Math.max(most, value);
  return most;
};

function measureCoincidence(): Row[] {
  const powers = knownHomes().map((home) => home.powers);
  const peaks = powers.map(largest);
  return COINCIDENCE.map(({ of, truth, range }, i) => {
    // Homes that follow each other in the list are strangers.
    const factors = Array.from({ length: Math.floor(powers.length / of) }, (_, draw) => {
      const sum = new Float64Array(powers[0]?.length ?? 0);
      for (const its of powers.slice(draw * of, (draw + 1) * of)) {
        for (const [at, power] of its.entries()) sum[at] = (sum[at] ?? 0) + power;
      }
      return largest(sum) / peaks.slice(draw * of, (draw + 1) * of).reduce((a, b) => a + b, 0);
    });
    const source = 'truth/load-coincidence.csv: upper bounds, with air conditioning';
    const id = `13${'abcd'.charAt(i)}`;
    return rowWithin(
      { id, figure: `Coincidence of ${of} homes at 30 min`, truth, source },
      mean(factors),
      range,
    );
  });
}

function measureQuarterPeak(): Row {
  const fleet = loadHouseholds({ count: 100, annual_consumption_kwh: 3500 });
  const peaks = fleet.map((household) => largest(loadOf(household)) / 250_000);
  return rowWithin(
    {
      id: '16',
      figure: 'Largest quarter hour of homes of 3,500 kWh, kW: median of 100',
      truth: '3 to 6',
      source: 'truth/load-notes.md: half hours times 1.05 to 1.17',
    },
    median(peaks),
    [3, 6],
  );
}
