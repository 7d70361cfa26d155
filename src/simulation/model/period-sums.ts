/** What several households did together, summed up in periods of UTC. */
import { QUARTER_HOUR_MS, QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { siteWeather } from '../environment/weather.ts';
import { listDeviceTypes } from '../household/household.ts';
import type { Household } from '../household/household.ts';
import { splitSeed } from '../kernel/noise.ts';
import type { DayRows } from './day-rows.ts';
import type { ModelledHousehold } from './device-state.ts';
import type { QuarterSpan } from '../control/revisions.ts';

/**
 * What is summed for each period: energies and, at its end, stored energies in mWh; temperatures in mK over 0 C for each of
 * the quarter hours that are counted beside them; devices that report in it.
 */
export const SUMMED = [
  'load',
  'pv',
  'ev',
  'hp',
  'heat',
  'charge',
  'discharge',
  'gridImport',
  'gridExport',
  'stored',
  'vehicleStored',
  'outdoor',
  'outdoorQuarters',
  'indoor',
  'hotWater',
  'indoorQuarters',
  'devices',
] as const;
export type Summed = (typeof SUMMED)[number];

/** Sums by period, one row of numbers for each of SUMMED; and of each period the households of least and most net energy. */
export interface PeriodSums {
  readonly sums: Float64Array;
  /** From the grid less into it, mWh; infinite where no household has the period. */
  readonly least: Float64Array;
  readonly most: Float64Array;
  /** Their indexes. */
  readonly leastIndex: Int32Array;
  readonly mostIndex: Int32Array;
}

/** The number of periods of `quarters` quarter hours that a span touches; periods begin at midnight of UTC. */
export function countPeriods({ first, end }: QuarterSpan, quarters: number): number {
  return end <= first ? 0 : Math.floor((end - 1) / quarters) - Math.floor(first / quarters) + 1;
}

/** Sums of nothing yet. */
export function createPeriodSums(periods: number): PeriodSums {
  return {
    sums: new Float64Array(periods * SUMMED.length),
    least: new Float64Array(periods).fill(Infinity),
    most: new Float64Array(periods).fill(-Infinity),
    leastIndex: new Int32Array(periods),
    mostIndex: new Int32Array(periods),
  };
}

/** Adds the sums of other households to those of some, for the same periods. */
export function mergePeriodSums(into: PeriodSums, more: PeriodSums): void {
  for (let i = 0; i < into.sums.length; i++) into.sums[i] = (into.sums[i] ?? 0) + (more.sums[i] ?? 0);
  for (let period = 0; period < into.least.length; period++) {
    rank(into, period, more.least[period] ?? Infinity, more.leastIndex[period] ?? 0);
    rank(into, period, more.most[period] ?? -Infinity, more.mostIndex[period] ?? 0);
  }
}

/** Of equal ones the first that comes stays. */
function rank(sums: PeriodSums, period: number, net: number, index: number): void {
  if (net !== Infinity && net > (sums.most[period] ?? 0)) {
    sums.most[period] = net;
    sums.mostIndex[period] = index;
  }
  if (net !== -Infinity && net < (sums.least[period] ?? 0)) {
    sums.least[period] = net;
    sums.leastIndex[period] = index;
  }
}

/** Adds what a household did in a span; it has no part in what is before its history. */
export function addHousehold(
  into: PeriodSums,
  { household, model }: Pick<ModelledHousehold, 'household' | 'model'>,
  span: QuarterSpan,
  quarters: number,
): void {
  const anchor = Math.ceil(household.anchor_ms / QUARTER_HOUR_MS);
  const firstPeriod = Math.floor(span.first / quarters);
  const devices = listDeviceTypes(household).length;
  for (let quarter = Math.max(span.first, anchor); quarter < span.end;) {
    const day = Math.floor(quarter / QUARTER_HOURS_PER_DAY);
    const start = day * QUARTER_HOURS_PER_DAY;
    const end = Math.min(span.end, start + QUARTER_HOURS_PER_DAY);
    const part = { from: quarter - start, to: end - start, quarters, period: start / quarters - firstPeriod };
    const rows = model.day(day);
    addDay(into, household, rows, day, part);
    addGrid(into, household.index, rows.grid, part);
    addDevices(into, devices, part);
    quarter = end;
  }
}

/** Quarter hours of a day, in periods of so many of which `period` is the day's first. */
interface DayPart {
  readonly from: number;
  readonly to: number;
  readonly quarters: number;
  readonly period: number;
}

const PLACE = Object.fromEntries(SUMMED.map((name, place) => [name, place])) as Record<Summed, number>;

const placeOf = ({ least }: PeriodSums, name: Summed): number => PLACE[name] * least.length;
const periodOf = ({ quarters, period }: DayPart, quarter: number): number =>
  period + Math.floor(quarter / quarters);

function addDay(into: PeriodSums, household: Household, rows: DayRows, day: number, part: DayPart): void {
  const { seed, latitude, longitude } = household;
  addRow(into, 'load', rows.load, part);
  addRow(into, 'pv', rows.pv, part);
  addRow(into, 'ev', rows.ev, part);
  addRow(into, 'hp', rows.hp, part);
  addRow(into, 'heat', rows.heat, part);
  addRow(into, 'charge', rows.charge, part);
  addRow(into, 'discharge', rows.discharge, part);
  addEnds(into, 'stored', rows.stored, part);
  addEnds(into, 'vehicleStored', rows.vehicleStored, part);
  const air = siteWeather(splitSeed(seed), latitude, longitude).airTemperaturesOn(day);
  addRow(into, 'outdoor', air, part, 1000);
  addRow(into, 'outdoorQuarters', ONES, part);
  if (household.heat_pump === null) return;
  addMeans(into, 'indoor', rows.indoor, part);
  addMeans(into, 'hotWater', rows.hotWater, part);
  addRow(into, 'indoorQuarters', ONES, part);
}

const ONES = new Int32Array(QUARTER_HOURS_PER_DAY).fill(1);

function addRow(
  into: PeriodSums,
  name: Summed,
  row: Int32Array | Float64Array,
  part: DayPart,
  factor = 1,
): void {
  const { sums } = into;
  const { from, to, quarters } = part;
  let at = placeOf(into, name) + periodOf(part, from);
  for (let i = from; i < to; at++) {
    const next = Math.min(to, i - (i % quarters) + quarters);
    let total = 0;
    for (; i < next; i++) total += row[i] ?? 0;
    sums[at] = (sums[at] ?? 0) + factor * total;
  }
}

/** What a row has at the ends of periods. */
function addEnds(into: PeriodSums, name: Summed, row: Int32Array, part: DayPart): void {
  const { sums } = into;
  const { from, to, quarters } = part;
  let at = placeOf(into, name) + periodOf(part, from);
  for (let i = from; i < to; at++) {
    i = Math.min(to, i - (i % quarters) + quarters);
    sums[at] = (sums[at] ?? 0) + (row[i] ?? 0);
  }
}

/** The means of quarter hours, of which the ends are known. */
function addMeans(into: PeriodSums, name: Summed, row: Int32Array, part: DayPart): void {
  const { sums } = into;
  const { from, to, quarters } = part;
  let at = placeOf(into, name) + periodOf(part, from);
  for (let i = from; i < to; at++) {
    const next = Math.min(to, i - (i % quarters) + quarters);
    let total = 0;
    for (; i < next; i++) total += (row[i] ?? 0) + (row[i + 1] ?? 0);
    sums[at] = (sums[at] ?? 0) + total / 2;
  }
}

function addDevices(into: PeriodSums, devices: number, part: DayPart): void {
  const place = placeOf(into, 'devices');
  for (let at = periodOf(part, part.from); at <= periodOf(part, part.to - 1); at++)
    into.sums[place + at] = (into.sums[place + at] ?? 0) + devices;
}

/** What came from the grid and went into it, and whether the household drew least or most. */
function addGrid(into: PeriodSums, index: number, grid: Int32Array, part: DayPart): void {
  const { sums } = into;
  const { from, to, quarters } = part;
  const [drawnAt, fedAt] = [placeOf(into, 'gridImport'), placeOf(into, 'gridExport')];
  let at = periodOf(part, from);
  for (let i = from; i < to; at++) {
    const next = Math.min(to, i - (i % quarters) + quarters);
    let [drawn, fed] = [0, 0];
    for (; i < next; i++) {
      const net = grid[i] ?? 0;
      if (net > 0) drawn += net;
      else fed -= net;
    }
    sums[drawnAt + at] = (sums[drawnAt + at] ?? 0) + drawn;
    sums[fedAt + at] = (sums[fedAt + at] ?? 0) + fed;
    rank(into, at, drawn - fed, index);
  }
}

/** What was summed of one thing in one period. */
export function readSum(sums: PeriodSums, name: Summed, period: number): number {
  return sums.sums[placeOf(sums, name) + period] ?? 0;
}
