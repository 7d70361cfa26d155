/** Sums of households as the entries that fleets and households show of periods. */
import { QUARTER_HOUR_MS } from '../../domain/api/durations.ts';
import type { QuarterSpan } from '../control/revisions.ts';
import { countPeriods, readSum } from './period-sums.ts';
import type { PeriodSums, Summed } from './period-sums.ts';
import { MILLI_WH_PER_W } from '../kernel/energy.ts';

const MILLI_WH_PER_KWH = 1_000_000;

/**
 * Powers are means in W, energies kWh to the milliwatt hour, temperatures means in degrees Celsius with one decimal; of the devices
 * of which the whole period is read. Null where there are devices that tell of it and none of them is.
 */
export interface SummedPeriod {
  /** Start of the period or of its covered part, ISO 8601 in UTC. */
  readonly time: string;
  readonly load_power_w: number | null;
  readonly pv_power_w: number | null;
  readonly vehicle_power_w: number | null;
  readonly heat_pump_power_w: number | null;
  /** Positive while charging. */
  readonly battery_power_w: number | null;
  /** Positive from the grid. */
  readonly grid_power_w: number | null;
  readonly load_energy_kwh: number | null;
  readonly pv_energy_kwh: number | null;
  readonly vehicle_energy_kwh: number | null;
  readonly heat_pump_energy_kwh: number | null;
  readonly heat_energy_kwh: number | null;
  readonly battery_charge_kwh: number | null;
  readonly battery_discharge_kwh: number | null;
  readonly grid_import_kwh: number | null;
  readonly grid_export_kwh: number | null;
  /** At the end of the period. */
  readonly battery_stored_kwh: number | null;
  readonly vehicle_stored_kwh: number | null;
  /** Null without a household. */
  readonly outdoor_temperature_c: number | null;
  /** Null without a heat pump. */
  readonly indoor_temperature_c: number | null;
  readonly hot_water_temperature_c: number | null;
  readonly devices_reporting: number;
}

/** A household by its index, with its mean power from the grid, W. */
export interface RankedHousehold {
  readonly index: number;
  readonly gridPowerW: number;
}

/** What several households did in a period, and which of them drew least and most; null where none has the period. */
export interface RankedPeriod {
  readonly period: SummedPeriod;
  readonly smallest: RankedHousehold | null;
  readonly largest: RankedHousehold | null;
}

/** The periods of `quarters` quarter hours that a span touches, in order. */
export function listSummedPeriods(sums: PeriodSums, span: QuarterSpan, quarters: number): RankedPeriod[] {
  const firstPeriod = Math.floor(span.first / quarters);
  return Array.from({ length: countPeriods(span, quarters) }, (_, at) => {
    const from = Math.max(span.first, (firstPeriod + at) * quarters);
    const length = Math.min(span.end, (firstPeriod + at + 1) * quarters) - from;
    const ranked = (net: number | undefined, index: number | undefined): RankedHousehold | null =>
      Number.isFinite(net) ? { index: index ?? 0, gridPowerW: toWatts(net ?? 0, length) } : null;
    return {
      period: toPeriod(sums, at, from, length),
      smallest: ranked(sums.least[at], sums.leastIndex[at]),
      largest: ranked(sums.most[at], sums.mostIndex[at]),
    };
  });
}

const toWatts = (milliWattHours: number, quarters: number): number =>
  Math.round(milliWattHours / quarters / MILLI_WH_PER_W) + 0;

function toPeriod(sums: PeriodSums, at: number, from: number, length: number): SummedPeriod {
  const sum = (name: Summed): number => readSum(sums, name, at);
  const kwh = (name: Summed): number => sum(name) / MILLI_WH_PER_KWH;
  const meanC = (name: Summed, quarters: Summed): number | null =>
    sum(quarters) === 0 ? null : Math.round(sum(name) / sum(quarters) / 100) / 10 + 0;
  const powers = toPowers(sums, at, length);
  return {
    time: new Date(from * QUARTER_HOUR_MS).toISOString(),
    load_power_w: ifRead(sums, at, 'inverters', powers.load),
    pv_power_w: ifRead(sums, at, 'inverters', powers.pv),
    vehicle_power_w: ifRead(sums, at, 'chargers', powers.vehicle),
    heat_pump_power_w: ifRead(sums, at, 'pumps', powers.heatPump),
    battery_power_w: ifRead(sums, at, 'inverters', powers.battery),
    grid_power_w: ifRead(sums, at, 'inverters', powers.grid),
    load_energy_kwh: ifRead(sums, at, 'inverters', kwh('load')),
    pv_energy_kwh: ifRead(sums, at, 'inverters', kwh('pv')),
    vehicle_energy_kwh: ifRead(sums, at, 'chargers', kwh('ev')),
    heat_pump_energy_kwh: ifRead(sums, at, 'pumps', kwh('hp')),
    heat_energy_kwh: ifRead(sums, at, 'pumps', kwh('heat')),
    battery_charge_kwh: ifRead(sums, at, 'inverters', kwh('charge')),
    battery_discharge_kwh: ifRead(sums, at, 'inverters', kwh('discharge')),
    grid_import_kwh: ifRead(sums, at, 'inverters', kwh('gridImport')),
    grid_export_kwh: ifRead(sums, at, 'inverters', kwh('gridExport')),
    battery_stored_kwh: ifRead(sums, at, 'inverters', kwh('stored')),
    vehicle_stored_kwh: ifRead(sums, at, 'vehicles', kwh('vehicleStored')),
    outdoor_temperature_c: meanC('outdoor', 'outdoorQuarters'),
    indoor_temperature_c: meanC('indoor', 'indoorQuarters'),
    hot_water_temperature_c: meanC('hotWater', 'indoorQuarters'),
    devices_reporting: sum('devices'),
  };
}

type Counted = 'inverters' | 'vehicles' | 'chargers' | 'pumps';

function ifRead(sums: PeriodSums, at: number, devices: Counted, value: number): number | null {
  return readSum(sums, devices, at) > 0 && readSum(sums, `${devices}Read`, at) === 0 ? null : value;
}

function toPowers(sums: PeriodSums, at: number, length: number) {
  const watts = (name: Summed): number => toWatts(readSum(sums, name, at), length);
  const isWhole = (['inverters', 'chargers', 'pumps'] as const).every(
    (devices) => readSum(sums, devices, at) === readSum(sums, `${devices}Read`, at),
  );
  const [load, pv, vehicle, heatPump] = [watts('load'), watts('pv'), watts('ev'), watts('hp')];
  const battery = watts('charge') - watts('discharge');
  // From the rounded parts, as devices show it, so that the numbers shown add up; where parts are missing, what the meters say.
  const metered = toWatts(readSum(sums, 'gridImport', at) - readSum(sums, 'gridExport', at), length);
  const grid = isWhole ? load + vehicle + heatPump + battery - pv : metered;
  return { load, pv, vehicle, heatPump, battery, grid };
}
