/** What is known of a household, added to the sums of several. */
import { QUARTER_HOUR_MS, QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import type { DeviceType } from '../../domain/fleets/devices.ts';
import type { QuarterSpan } from '../control/revisions.ts';
import { listDeviceTypes } from '../household/household.ts';
import type { DayRows } from './day-rows.ts';
import type { ModelledHousehold } from './device-state.ts';
import { airTemperaturesOn } from './household-air.ts';
import { placeOf, rank } from './period-sums.ts';
import type { PeriodSums, Summed } from './period-sums.ts';

/** The quarter hours of a household's devices that nobody has read, by type; none of those that are not here. */
export type UnreadQuarters = { readonly [Type in DeviceType]?: readonly QuarterSpan[] };

/**
 * Adds what is known of a household in a span: of each device the periods of which every quarter hour is read, as the device itself
 * shows them. It has no part in what is before its history.
 */
export function addHousehold(
  into: PeriodSums,
  { household, steering, model }: ModelledHousehold,
  span: QuarterSpan,
  quarters: number,
  unread: UnreadQuarters = {},
): void {
  const anchor = Math.ceil(household.anchor_ms / QUARTER_HOUR_MS);
  const firstPeriod = Math.floor(span.first / quarters);
  const devices = listDeviceTypes(household);
  for (let quarter = Math.max(span.first, anchor); quarter < span.end;) {
    const day = Math.floor(quarter / QUARTER_HOURS_PER_DAY);
    const start = day * QUARTER_HOURS_PER_DAY;
    const end = Math.min(span.end, start + QUARTER_HOURS_PER_DAY);
    const part = { from: quarter - start, to: end - start, quarters, period: start / quarters - firstPeriod };
    const known = devices.map((type): [DeviceType, Known] => [type, findKnown(unread[type], start)]);
    const rows = model.day(day);
    addRow(into, 'outdoor', airTemperaturesOn(household, steering.control.places, day), part, null, 1000);
    addDay(into, household.index, rows, part, Object.fromEntries(known));
    quarter = end;
  }
}

/** 1 for each quarter hour of a day that is read, or of which the whole period is; null where all are. */
type Known = Uint8Array | null;

function findKnown(unread: readonly QuarterSpan[] | undefined, start: number): Known {
  const touching = (unread ?? []).filter(
    ({ first, end }) => first < start + QUARTER_HOURS_PER_DAY && end > start,
  );
  if (touching.length === 0) return null;
  const known = new Uint8Array(QUARTER_HOURS_PER_DAY).fill(1);
  for (const { first, end } of touching)
    known.fill(0, Math.max(0, first - start), Math.min(QUARTER_HOURS_PER_DAY, end - start));
  return known;
}

/** Without the periods of which a quarter hour is not read. */
function ofWholePeriods(known: Known, { from, to, quarters }: DayPart): Known {
  if (known === null) return null;
  const whole = new Uint8Array(known.length);
  for (let i = from; i < to;) {
    const next = Math.min(to, i - (i % quarters) + quarters);
    if (!known.subarray(i, next).includes(0)) whole.fill(1, i, next);
    i = next;
  }
  return whole;
}

/** Quarter hours of a day, in periods of so many of which `period` is the day's first. */
interface DayPart {
  readonly from: number;
  readonly to: number;
  readonly quarters: number;
  readonly period: number;
}

const periodOf = ({ quarters, period }: DayPart, quarter: number): number =>
  period + Math.floor(quarter / quarters);

/** Adds all but the temperature outdoors. `read` has the devices of the household. */
function addDay(
  into: PeriodSums,
  index: number,
  rows: DayRows,
  part: DayPart,
  read: { readonly [Type in DeviceType]?: Known },
): void {
  const { inverter, electric_vehicle: vehicle, wallbox, heat_pump: pump } = read;
  const whole = (known: Known): Known => ofWholePeriods(known, part);
  addRow(into, 'outdoorQuarters', ONES, part, null);
  for (const each of Object.values(read)) addDevice(into, part, whole(each));
  if (inverter !== undefined) addInverter(into, rows, index, part, whole(inverter));
  if (vehicle !== undefined) {
    // The wallbox tells of the charging as well as the car does.
    const charger = wallbox === undefined ? vehicle : eitherOf(vehicle, wallbox);
    addVehicle(into, rows, part, whole(vehicle), whole(charger));
  }
  if (pump !== undefined) addHeatPump(into, rows, part, whole(pump));
}

const ONES = new Int32Array(QUARTER_HOURS_PER_DAY).fill(1);

const eitherOf = (a: Known, b: Known): Known =>
  a === null || b === null ? null : a.map((isKnown, i) => isKnown | (b[i] ?? 0));

function addInverter(into: PeriodSums, rows: DayRows, index: number, part: DayPart, known: Known): void {
  addRow(into, 'load', rows.load, part, known);
  addRow(into, 'pv', rows.pv, part, known);
  addRow(into, 'charge', rows.charge, part, known);
  addRow(into, 'discharge', rows.discharge, part, known);
  addEnds(into, 'stored', rows.stored, part, known);
  addGrid(into, index, rows.grid, part, known);
  addCount(into, 'inverters', part, known);
}

function addVehicle(into: PeriodSums, rows: DayRows, part: DayPart, vehicle: Known, charger: Known): void {
  addEnds(into, 'vehicleStored', rows.vehicleStored, part, vehicle);
  addCount(into, 'vehicles', part, vehicle);
  addRow(into, 'ev', rows.ev, part, charger);
  addCount(into, 'chargers', part, charger);
}

function addHeatPump(into: PeriodSums, rows: DayRows, part: DayPart, known: Known): void {
  addRow(into, 'hp', rows.hp, part, known);
  addRow(into, 'heat', rows.heat, part, known);
  addMeans(into, 'indoor', rows.indoor, part, known);
  addMeans(into, 'hotWater', rows.hotWater, part, known);
  addRow(into, 'indoorQuarters', ONES, part, known);
  addCount(into, 'pumps', part, known);
}

function addCount(
  into: PeriodSums,
  name: 'inverters' | 'vehicles' | 'chargers' | 'pumps',
  part: DayPart,
  known: Known,
): void {
  addRow(into, name, ONES, part, null);
  addRow(into, `${name}Read`, ONES, part, known);
}

function addRow(
  into: PeriodSums,
  name: Summed,
  row: Int32Array | Float64Array,
  part: DayPart,
  known: Known,
  factor = 1,
): void {
  const { sums } = into;
  const { from, to, quarters } = part;
  let at = placeOf(into, name) + periodOf(part, from);
  for (let i = from; i < to; at++) {
    const next = Math.min(to, i - (i % quarters) + quarters);
    let total = 0;
    for (; i < next; i++) if (known === null || known[i] === 1) total += row[i] ?? 0;
    sums[at] = (sums[at] ?? 0) + factor * total;
  }
}

/** What a row has at the ends of periods. */
function addEnds(into: PeriodSums, name: Summed, row: Int32Array, part: DayPart, known: Known): void {
  const { sums } = into;
  const { from, to, quarters } = part;
  let at = placeOf(into, name) + periodOf(part, from);
  for (let i = from; i < to; at++) {
    i = Math.min(to, i - (i % quarters) + quarters);
    if (known === null || known[i - 1] === 1) sums[at] = (sums[at] ?? 0) + (row[i] ?? 0);
  }
}

/** The means of quarter hours, of which the ends are known. */
function addMeans(into: PeriodSums, name: Summed, row: Int32Array, part: DayPart, known: Known): void {
  addRow(into, name, row, part, known, 0.5);
  addRow(into, name, row.subarray(1), part, known, 0.5);
}

/** A device reports in a period when all of it is read. */
function addDevice(into: PeriodSums, part: DayPart, known: Known): void {
  const { from, to, quarters } = part;
  let at = placeOf(into, 'devices') + periodOf(part, from);
  for (let i = from; i < to; at++) {
    const next = Math.min(to, i - (i % quarters) + quarters);
    if (known === null || known.subarray(i, next).includes(1)) into.sums[at] = (into.sums[at] ?? 0) + 1;
    i = next;
  }
}

/** What came from the grid and went into it; a household of which all is known may be the one that drew least or most. */
function addGrid(into: PeriodSums, index: number, grid: Int32Array, part: DayPart, known: Known): void {
  const { sums } = into;
  const { from, to, quarters } = part;
  const [drawnAt, fedAt] = [placeOf(into, 'gridImport'), placeOf(into, 'gridExport')];
  let at = periodOf(part, from);
  for (let i = from; i < to; at++) {
    const next = Math.min(to, i - (i % quarters) + quarters);
    const isWhole = known === null || !known.subarray(i, next).includes(0);
    let [drawn, fed] = [0, 0];
    for (; i < next; i++) {
      if (known !== null && known[i] === 0) continue;
      const net = grid[i] ?? 0;
      if (net > 0) drawn += net;
      else fed -= net;
    }
    sums[drawnAt + at] = (sums[drawnAt + at] ?? 0) + drawn;
    sums[fedAt + at] = (sums[fedAt + at] ?? 0) + fed;
    if (isWhole) rank(into, at, drawn - fed, index);
  }
}
