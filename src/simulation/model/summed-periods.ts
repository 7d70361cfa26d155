/** Sums of households as the entries that fleets and households show of periods. */
import { QUARTER_HOUR_MS } from '../../domain/api/durations.ts';
import type { QuarterSpan } from '../control/revisions.ts';
import { countPeriods, readSum } from './period-sums.ts';
import type { PeriodSums, Summed } from './period-sums.ts';

/** 250 mWh are a watt for a quarter hour. */
const MILLI_WH_PER_W = 250;
const MILLI_WH_PER_KWH = 1_000_000;

/** Powers are means in W, energies kWh to the milliwatt hour, temperatures means in degrees Celsius with one decimal. */
export interface SummedPeriod {
  /** Start of the period or of its covered part, ISO 8601 in UTC. */
  readonly time: string;
  readonly load_power_w: number;
  readonly pv_power_w: number;
  readonly vehicle_power_w: number;
  readonly heat_pump_power_w: number;
  /** Positive while charging. */
  readonly battery_power_w: number;
  /** Positive from the grid. */
  readonly grid_power_w: number;
  readonly load_energy_kwh: number;
  readonly pv_energy_kwh: number;
  readonly vehicle_energy_kwh: number;
  readonly heat_pump_energy_kwh: number;
  readonly heat_energy_kwh: number;
  readonly battery_charge_kwh: number;
  readonly battery_discharge_kwh: number;
  readonly grid_import_kwh: number;
  readonly grid_export_kwh: number;
  /** At the end of the period. */
  readonly battery_stored_kwh: number;
  readonly vehicle_stored_kwh: number;
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
  const watts = (name: Summed): number => toWatts(sum(name), length);
  const kwh = (name: Summed): number => sum(name) / MILLI_WH_PER_KWH;
  const meanC = (name: Summed, quarters: Summed): number | null =>
    sum(quarters) === 0 ? null : Math.round(sum(name) / sum(quarters) / 100) / 10 + 0;
  const battery = watts('charge') - watts('discharge');
  return {
    time: new Date(from * QUARTER_HOUR_MS).toISOString(),
    load_power_w: watts('load'),
    pv_power_w: watts('pv'),
    vehicle_power_w: watts('ev'),
    heat_pump_power_w: watts('hp'),
    battery_power_w: battery,
    // From the rounded parts, as devices show it, so that the numbers shown add up.
    grid_power_w: watts('load') + watts('ev') + watts('hp') + battery - watts('pv'),
    load_energy_kwh: kwh('load'),
    pv_energy_kwh: kwh('pv'),
    vehicle_energy_kwh: kwh('ev'),
    heat_pump_energy_kwh: kwh('hp'),
    heat_energy_kwh: kwh('heat'),
    battery_charge_kwh: kwh('charge'),
    battery_discharge_kwh: kwh('discharge'),
    grid_import_kwh: kwh('gridImport'),
    grid_export_kwh: kwh('gridExport'),
    battery_stored_kwh: kwh('stored'),
    vehicle_stored_kwh: kwh('vehicleStored'),
    outdoor_temperature_c: meanC('outdoor', 'outdoorQuarters'),
    indoor_temperature_c: meanC('indoor', 'indoorQuarters'),
    hot_water_temperature_c: meanC('hotWater', 'indoorQuarters'),
    devices_reporting: sum('devices'),
  };
}
