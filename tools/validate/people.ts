/** Household load against the norm profile and against measured homes (docs/simulation.md#targets). */
import { dayTypeOf, DAY_TYPES } from '../../src/simulation/time/day-type.ts';
import type { DayType } from '../../src/simulation/time/day-type.ts';
import { MONTHS, normProfile } from '../../src/simulation/people/norm-profile.ts';
import { DAY_MS, QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import { LOAD_COLUMNS, distributionDistance, loadFigures, mean, median, quantile } from './load-figures.ts';
import type { LoadColumn, LoadFigures } from './load-figures.ts';
import { measuredHomes } from './measured-loads.ts';
import type { Row } from './row.ts';
import { DAYS, FIRST_DAY, FIRST_WEEKDAY, halfHourPowers, loadHouseholds, loadOfYear } from './simulated-loads.ts';

const HOURS = 24;
const NORM_FLEET = 1000;
const HOMES = 200;
const SOURCE = 'truth/load.csv, 24 homes at 30 min';

/** What a range of figures must be within, both ends included. */
const isWithin = (value: number, [from, to]: readonly [number, number]): boolean => value >= from && value <= to;
const verdictOf = (isMet: boolean): Row['verdict'] => (isMet ? 'met' : 'MISSED');

/** Rows 9 to 16 of the targets, and each column of the measured homes; some ten seconds. */
export function measure(): Promise<Row[]> {
  const homes = loadHouseholds({ count: HOMES });
  const years = homes.map(loadOfYear);
  const figures = years.map((year) => loadFigures(halfHourPowers(year), FIRST_WEEKDAY));
  return Promise.resolve([
    ...measureNorm(),
    ...measureEnergy(),
    ...measureShape(figures),
    ...measureCoincidence(years.map(halfHourPowers)),
    measureQuarterPeak(),
    ...compareColumns(figures),
  ]);
}

/** Root mean square distances of the fleet's mean days by hour from the norm profile, by month and type of day. */
function measureNorm(): Row[] {
  const fleet = loadHouseholds({ count: NORM_FLEET });
  const total = new Float64Array(DAYS * QUARTER_HOURS_PER_DAY);
  let asked = 0;
  for (const household of fleet) {
    asked += household.load_annual_kwh;
    for (const [i, energy] of loadOfYear(household).entries()) total[i] = (total[i] ?? 0) + energy;
  }
  const quarterMean = (asked * 1e6) / total.length;
  const errors: number[] = [];
  for (let month = 0; month < MONTHS; month++) {
    for (const type of DAY_TYPES) errors.push(normError(total, quarterMean, month, type));
  }
  const worst = Math.max(...errors);
  return [
    {
      id: '9',
      figure: 'Mean day by month and day type against the published H25 table: RMSE by hour, mean and worst of 36',
      truth: '0',
      source: 'truth/h25.csv, dynamised',
      measured: `${mean(errors).toFixed(3)}, ${worst.toFixed(3)}`,
      accept: 'at most 0.020, 0.035 (1,000 homes)',
      verdict: verdictOf(mean(errors) <= 0.02 && worst <= 0.035),
    },
  ];
}

function normError(total: Float64Array, quarterMean: number, month: number, type: DayType): number {
  const norm = normProfile(month, type);
  const hours = new Float64Array(HOURS);
  let days = 0;
  for (let day = 0; day < DAYS; day++) {
    if (new Date((FIRST_DAY + day) * DAY_MS).getUTCMonth() !== month || dayTypeOf(FIRST_DAY + day, 'DE') !== type) continue;
    days += 1;
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      hours[i >> 2] = (hours[i >> 2] ?? 0) + (total[day * QUARTER_HOURS_PER_DAY + i] ?? 0) / quarterMean / 4;
    }
  }
  const squares = Array.from(hours, (sum, hour) => {
    const expected = mean(Array.from(norm.subarray(4 * hour, 4 * hour + 4)));
    return (sum / days - expected) ** 2;
  });
  return Math.sqrt(mean(squares));
}

function measureEnergy(): Row[] {
  const fleet = loadHouseholds({ count: HOMES });
  const got = fleet.map((household) => loadOfYear(household).reduce((sum, energy) => sum + energy, 0) / 1e6);
  const asked = fleet.map((household) => household.load_annual_kwh);
  const whole = Math.abs(mean(got) / mean(asked) - 1);
  const single = got.map((energy, i) => Math.abs(energy / (asked[i] ?? 1) - 1));
  const worst = Math.max(...single);
  return [
    {
      id: '10',
      figure: 'Annual energy over that asked: distance of the fleet; of single households, median and worst',
      truth: '0',
      source: 'the definition',
      measured: `${percent(whole)}; ${percent(median(single))}, ${percent(worst)}`,
      accept: 'at most 1 %; each 10 %',
      verdict: verdictOf(whole <= 0.01 && worst <= 0.1),
    },
  ];
}
const percent = (part: number): string => `${(100 * part).toFixed(2)} %`;

type Range = readonly [number, number];

/** Ranges that the 10 %, median and 90 % of a figure over the homes must lie in; without one all go. */
function rowOf(id: string, figure: string, column: LoadColumn, figures: readonly LoadFigures[], truth: string, accept: string, ranges: { low?: Range; middle: Range; high?: Range }): Row {
  const values = figures.map((its) => its[column]);
  const [low, middle, high] = [0.1, 0.5, 0.9].map((part) => quantile(values, part)) as [number, number, number];
  const isMet =
    isWithin(middle, ranges.middle) &&
    (!ranges.low || isWithin(low, ranges.low)) &&
    (!ranges.high || isWithin(high, ranges.high));
  const digits = middle >= 2 ? 1 : 2;
  return {
    id,
    figure: `${figure}: 10 %, median, 90 % of ${figures.length} homes`,
    truth,
    source: SOURCE,
    measured: [low, middle, high].map((value) => value.toFixed(digits)).join(', '),
    accept,
    verdict: verdictOf(isMet),
  };
}

function measureShape(figures: readonly LoadFigures[]): Row[] {
  return [
    rowOf('11', 'Largest half hour over mean power', 'max_over_mean', figures, '13.6 (9.5 to 19)', 'median 9 to 16, 10 % at least 6, 90 % at most 32', {
      low: [6, Infinity],
      middle: [9, 16],
      high: [0, 32],
    }),
    rowOf('12', 'Residual, lag 30 min', 'ac_lag1', figures, '0.58 (0.48 to 0.65)', 'median 0.45 to 0.70', { middle: [0.45, 0.7] }),
    rowOf('12', 'Residual, lag 1 h', 'ac_1h', figures, '0.39 (0.22 to 0.42)', 'median 0.19 to 0.49', { middle: [0.19, 0.49] }),
    rowOf('12', 'Residual, lag 1 day', 'ac_1d', figures, '0.18 (0.08 to 0.27)', 'median 0.10 to 0.32', { middle: [0.1, 0.32] }),
    rowOf('14', 'Day-to-day variation of daily energy', 'daily_cv', figures, '0.44 (0.35 to 0.57)', 'median 0.28 to 0.55', { middle: [0.28, 0.55] }),
    rowOf('14', 'Days of absence a year', 'absence_local_per_yr', figures, '3 (0 to 11)', 'median 3 to 20', { middle: [3, 20] }),
    rowOf('15', 'Share of energy at 0 to 5 h', 'night_share_0_5', figures, '0.125 (0.09 to 0.16)', 'median 0.09 to 0.16', { middle: [0.09, 0.16] }),
  ];
}

const COINCIDENCE: readonly { readonly homes: number; readonly truth: string; readonly range: Range }[] = [
  { homes: 2, truth: '0.71 to 0.77', range: [0.6, 0.8] },
  { homes: 5, truth: '0.47 to 0.62', range: [0.4, 0.66] },
  { homes: 10, truth: '0.37 to 0.40', range: [0.28, 0.48] },
  { homes: 17, truth: '0.36', range: [0.22, 0.42] },
];

function measureCoincidence(powers: readonly (readonly number[])[]): Row[] {
  const peaks = powers.map((its) => its.reduce((most, power) => Math.max(most, power), 0));
  return COINCIDENCE.map(({ homes, truth, range }) => {
    // Each draw takes neighbours in the list, which are strangers.
    const factors = Array.from({ length: Math.floor(powers.length / homes) }, (_, draw) => {
      const chosen = powers.slice(draw * homes, (draw + 1) * homes);
      const sum = new Float64Array(chosen[0]?.length ?? 0);
      for (const its of chosen) for (const [i, power] of its.entries()) sum[i] = (sum[i] ?? 0) + power;
      const apart = peaks.slice(draw * homes, (draw + 1) * homes).reduce((a, b) => a + b, 0);
      return sum.reduce((most, power) => Math.max(most, power), 0) / apart;
    });
    return {
      id: '13',
      figure: `Coincidence of ${homes} homes at 30 min`,
      truth,
      source: 'truth/load-coincidence.csv; upper bounds, with air conditioning',
      measured: mean(factors).toFixed(2),
      accept: `${range[0].toFixed(2)} to ${range[1].toFixed(2)}`,
      verdict: verdictOf(isWithin(mean(factors), range)),
    };
  });
}

function measureQuarterPeak(): Row {
  const fleet = loadHouseholds({ count: 100, annual_consumption_kwh: 3500 });
  const peaks = fleet.map((household) => loadOfYear(household).reduce((most, energy) => Math.max(most, energy), 0) / 250_000);
  return {
    id: '16',
    figure: 'Largest quarter hour of a home of 3,500 kWh, kW: 10 %, median, 90 % of 100 homes',
    truth: '3 to 6',
    source: 'truth/load-notes.md: half hours times 1.05 to 1.17',
    measured: [0.1, 0.5, 0.9].map((part) => quantile(peaks, part).toFixed(1)).join(', '),
    accept: 'median 3 to 6',
    verdict: verdictOf(isWithin(median(peaks), [3, 6])),
  };
}

/** Each column of the measured homes beside the simulated ones: how far apart the distributions are, the worst three named. */
function compareColumns(figures: readonly LoadFigures[]): Row[] {
  const measured = measuredHomes();
  const compared = LOAD_COLUMNS.map((column) => {
    const theirs = measured.get(column) ?? [];
    const ours = figures.map((its) => its[column]);
    return { column, theirs, ours, distance: distributionDistance(theirs, ours) };
  });
  const worst = [...compared].sort((a, b) => b.distance - a.distance).slice(0, 3);
  const quartiles = (values: readonly number[]): string =>
    [0.25, 0.5, 0.75].map((part) => Number(quantile(values, part).toPrecision(3))).join(', ');
  return compared.map(({ column, theirs, ours, distance }) => ({
    id: 'load',
    figure: `${column}: quartiles of ${ours.length} homes, distance of the distributions${
      worst.some((its) => its.column === column) ? ' (one of the three worst)' : ''
    }`,
    truth: quartiles(theirs),
    source: `truth/load.csv, ${theirs.length} homes at 30 min`,
    measured: `${quartiles(ours)}; ${distance.toFixed(2)}`,
    accept: '',
    verdict: 'shown',
  }));
}
