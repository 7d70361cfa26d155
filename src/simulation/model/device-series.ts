/** What a device did over a span of quarter hours, summed up in periods of UTC. */
import { QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../domain/api/durations.ts';
import type { DeviceType } from '../../domain/fleets/devices.ts';
import type { QuarterSpan } from '../control/revisions.ts';
import { addQuarterEnergies, checkpointAfter } from './counter-accumulator.ts';
import type { Checkpoint } from './counter-accumulator.ts';
import type { Household } from '../household/household.ts';
import type { DevicePeriods } from './device-periods.ts';
import { copOf } from './device-state.ts';
import type { ModelledHousehold } from './device-state.ts';
import { airTemperaturesOn } from './household-air.ts';
import type { HouseholdModel } from './model.ts';
import type { DayRows } from './day-rows.ts';
import { MILLI_WH_PER_W } from '../kernel/energy.ts';

/**
 * Energies that add up. The first five count from the anchor on, as the counters that a device shows do; the others
 * count from each midnight of UTC. A period's energy is the difference of two counts in whole Wh, so that periods of
 * every resolution sum up to the same and to what the counters show.
 */
type Flow = 'pv' | 'ev' | 'hp' | 'gridImport' | 'gridExport' | 'load' | 'heat' | 'charge' | 'discharge';
type Flows = Record<Flow, number>;

const DAILY = { load: 0, heat: 0, charge: 0, discharge: 0 };

interface Period {
  readonly time: string;
  /** In kWh with three decimals. */
  readonly kwh: (flow: Flow) => number;
  /** Mean of some flows less others, in whole W. */
  readonly watts: (...flows: (Flow | `-${Flow}`)[]) => number;
  readonly pluggedInMinutes: number;
  /** Heat over electricity of the heat pump, null without heat. */
  readonly cop: number | null;
  /** Mean temperatures, C with one decimal. */
  readonly meanC: (of: 'indoor' | 'hotWater') => number;
  /** Of the day's temperatures, C. */
  readonly meanOutdoorC: (air: Float64Array) => number;
  /** Stored at the end, mWh. */
  readonly stored: number;
  readonly vehicleStored: number;
}

/** The entries of a day. */
interface DayOfSeries<Type extends DeviceType> {
  readonly entries: DevicePeriods[Type][];
  /** Where the next day begins, unless that is before the anchor's. */
  readonly end: Checkpoint;
}

/**
 * The device's entries, one for each period of `quarters` quarter hours that lies in the span or reaches into it, in one
 * list for each day. The start of the first day is looked for unless the model's counters use it.
 */
export function* computeDeviceSeries<Type extends DeviceType>(
  { household, steering, model }: ModelledHousehold,
  type: Type,
  span: QuarterSpan,
  quarters: number,
): Generator<DayOfSeries<Type>, undefined> {
  for (const { day, periods, end } of listPeriodsByDay(model, span, quarters)) {
    let air: Float64Array | undefined;
    const airOf = (): Float64Array => (air ??= airTemperaturesOn(household, steering.control.places, day));
    yield { entries: periods.map((period) => toPeriodOfType[type](period, household, airOf)), end };
  }
}

function* listPeriodsByDay(
  model: HouseholdModel,
  { first, end }: QuarterSpan,
  length: number,
): Generator<{ readonly day: number; readonly periods: readonly Period[]; readonly end: Checkpoint }> {
  const firstDay = Math.floor(first / QUARTER_HOURS_PER_DAY);
  let known = model.counters.checkpointAt(firstDay);
  let counts: Flows = { ...model.countersBefore(firstDay * QUARTER_HOURS_PER_DAY), ...DAILY };
  for (let day = firstDay; day * QUARTER_HOURS_PER_DAY < end; day++) {
    model.counters.use(known);
    const rows = model.day(day);
    if (known.day === day) known = checkpointAfter(known, rows);
    const start = day * QUARTER_HOURS_PER_DAY;
    counts = { ...counts, ...DAILY };
    const periods: Period[] = [];
    let at = 0;
    while (at < QUARTER_HOURS_PER_DAY && start + at < end) {
      const next = Math.min(at - (at % length) + length, QUARTER_HOURS_PER_DAY, end - start);
      const from = Math.max(at, first - start);
      const before = addRows(counts, rows, at, Math.min(from, next));
      counts = addRows(before, rows, Math.min(from, next), next);
      if (from < next) periods.push(toPeriod({ rows, day, from, next, before, after: counts }));
      at = next;
    }
    yield { day, periods, end: known };
  }
}

interface DayPart {
  readonly rows: DayRows;
  readonly day: number;
  /** Quarters of the day, from inclusive, next exclusive. */
  readonly from: number;
  readonly next: number;
  readonly before: Flows;
  readonly after: Flows;
}

function toPeriod({ rows, day, from, next, before, after }: DayPart): Period {
  const mean = (flow: Flow): number =>
    Math.round((after[flow] - before[flow]) / (next - from) / MILLI_WH_PER_W);
  let plugged = 0;
  for (let i = from; i < next; i++) plugged += rows.pluggedIn[i] ?? 0;
  return {
    time: new Date((day * QUARTER_HOURS_PER_DAY + from) * QUARTER_HOUR_MS).toISOString(),
    kwh: (flow) => (Math.round(after[flow] / 1000) - Math.round(before[flow] / 1000)) / 1000,
    watts: (...flows) =>
      flows.reduce((sum, name) => {
        return name.startsWith('-') ? sum - mean(name.slice(1) as Flow) : sum + mean(name as Flow);
      }, 0),
    pluggedInMinutes: plugged * 15,
    cop: copOf(after.heat - before.heat, after.hp - before.hp),
    meanC: (of) => meanTemperature(rows[of], from, next),
    meanOutdoorC: (air) => meanOutdoorTemperature(air, from, next),
    stored: rows.stored[next] ?? 0,
    vehicleStored: rows.vehicleStored[next] ?? 0,
  };
}

/** Mean of temperatures in mK at the ends of quarter hours, C. */
function meanTemperature(temperatures: Int32Array, from: number, next: number): number {
  let total = 0;
  for (let i = from; i < next; i++) total += (temperatures[i] ?? 0) + (temperatures[i + 1] ?? 0);
  return Math.round(total / (next - from) / 200) / 10;
}

/** Mean temperature of a day's air over some of its quarter hours, C. */
function meanOutdoorTemperature(air: Float64Array, from: number, next: number): number {
  let total = 0;
  for (let i = from; i < next; i++) total += air[i] ?? 0;
  return Math.round((10 * total) / (next - from)) / 10 + 0;
}

function addRows(counts: Flows, rows: DayRows, from: number, to: number): Flows {
  if (from >= to) return counts;
  const sum = (row: Int32Array): number => {
    let total = 0;
    for (let i = from; i < to; i++) total += row[i] ?? 0;
    return total;
  };
  return {
    ...addQuarterEnergies(counts, from === 0 ? rows : part(rows, from, to), to - from),
    load: counts.load + sum(rows.load),
    heat: counts.heat + sum(rows.heat),
    charge: counts.charge + sum(rows.charge),
    discharge: counts.discharge + sum(rows.discharge),
  };
}

function part({ pv, ev, hp, grid }: DayRows, from: number, to: number) {
  return {
    pv: pv.subarray(from, to),
    ev: ev.subarray(from, to),
    hp: hp.subarray(from, to),
    grid: grid.subarray(from, to),
  };
}

const percent = (stored: number, capacityKwh: number): number => Math.round(stored / capacityKwh / 1000) / 10;

const toPeriodOfType: {
  [Type in DeviceType]: (
    period: Period,
    household: Household,
    airOf: () => Float64Array,
  ) => DevicePeriods[Type];
} = {
  heat_pump: ({ time, watts, kwh, cop, meanC, meanOutdoorC }, _, airOf) => ({
    time,
    power_w: watts('hp'),
    energy_kwh: kwh('hp'),
    heat_w: watts('heat'),
    heat_kwh: kwh('heat'),
    cop,
    outdoor_temperature_c: meanOutdoorC(airOf()),
    indoor_temperature_c: meanC('indoor'),
    hot_water_temperature_c: meanC('hotWater'),
  }),
  inverter: ({ time, watts, kwh, stored }, { battery }) => ({
    time,
    pv_power_w: watts('pv'),
    load_power_w: watts('load'),
    battery_power_w: watts('charge', '-discharge'),
    // From the rounded parts, as the state is, so that the numbers shown add up.
    grid_power_w: watts('load', 'ev', 'hp', 'charge', '-discharge', '-pv'),
    pv_energy_kwh: kwh('pv'),
    load_energy_kwh: kwh('load'),
    battery_charge_kwh: kwh('charge'),
    battery_discharge_kwh: kwh('discharge'),
    grid_import_kwh: kwh('gridImport'),
    grid_export_kwh: kwh('gridExport'),
    soc_percent: percent(stored, battery.capacity_kwh),
  }),
  electric_vehicle: (
    { time, watts, kwh, pluggedInMinutes, vehicleStored },
    { electric_vehicle: vehicle },
  ) => ({
    time,
    charge_power_w: watts('ev'),
    energy_charged_kwh: kwh('ev'),
    plugged_in_minutes: pluggedInMinutes,
    soc_percent: percent(vehicleStored, vehicle?.battery_kwh ?? Infinity),
  }),
  wallbox: ({ time, watts, kwh, pluggedInMinutes }) => ({
    time,
    power_w: watts('ev'),
    energy_kwh: kwh('ev'),
    plugged_in_minutes: pluggedInMinutes,
  }),
};
