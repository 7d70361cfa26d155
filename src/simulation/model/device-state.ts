/** What a device shows at an instant: the state objects of the document, interpolated inside the quarter hour. */
import type { DeviceType } from '../../domain/fleets/devices.ts';
import type { Counters } from './counter-accumulator.ts';
import { alwaysMid } from '../devices/heat.ts';
import type { HeatMode, ScheduleState } from '../devices/heat.ts';
import type { Household } from '../household/household.ts';
import { BoundedCache } from '../kernel/bounded-cache.ts';
import { createHouseholdModel } from './model.ts';
import type { HouseholdModel, Quarter } from './model.ts';
import { splitSeed } from '../kernel/noise.ts';
import { siteWeather } from '../environment/weather.ts';
import { QUARTER_HOUR_MS } from '../../domain/api/durations.ts';

export interface ElectricVehicleState {
  readonly soc_percent: number;
  readonly target_soc_percent: number;
  readonly plugged_in: boolean;
  readonly charging: boolean;
  readonly charge_power_w: number;
  readonly energy_charged_kwh: number;
}
export interface HeatPumpState {
  readonly mode: HeatMode;
  readonly schedule_state: ScheduleState;
  readonly power_w: number;
  readonly heat_w: number;
  readonly outdoor_temperature_c: number;
  readonly energy_kwh: number;
}
export interface InverterState {
  readonly pv_power_w: number;
  /** The household's own load, without vehicle and heat pump. */
  readonly load_power_w: number;
  /** Positive while charging. */
  readonly battery_power_w: number;
  /** Positive from the grid; load + vehicle + heat pump + battery - pv. */
  readonly grid_power_w: number;
  readonly soc_percent: number;
  readonly pv_energy_kwh: number;
  readonly grid_import_kwh: number;
  readonly grid_export_kwh: number;
}
export interface WallboxState {
  readonly plugged_in: boolean;
  readonly charging: boolean;
  readonly power_w: number;
  readonly energy_kwh: number;
}
export interface DeviceStates {
  electric_vehicle: ElectricVehicleState;
  heat_pump: HeatPumpState;
  inverter: InverterState;
  wallbox: WallboxState;
}
export type DeviceState = DeviceStates[DeviceType];

export interface StateInputs {
  /** Schedule of the heat pump; pure. Keep one function object for as long as it means the same. */
  readonly scheduleState?: (at: Date) => ScheduleState;
}

interface Kept {
  readonly scheduleState: (at: Date) => ScheduleState;
  readonly model: HouseholdModel;
}
/** Models of the households asked for last; keyed by their whole content, so equal households share one. */
const models = new BoundedCache<string, { kept: Kept }>(1000);
/** The same by object, which spares writing the key. */
const byObject = new WeakMap<Household, Kept>();

export function getCachedModel(household: Household, inputs: StateInputs = {}): HouseholdModel {
  // Without a heat pump the schedule changes nothing.
  const scheduleState = household.heat_pump ? (inputs.scheduleState ?? alwaysMid) : alwaysMid;
  const near = byObject.get(household);
  if (near?.scheduleState === scheduleState) return near.model;
  const create = (): Kept => ({ scheduleState, model: createHouseholdModel(household, scheduleState) });
  const slot = models.getOrCompute(JSON.stringify(household), () => ({ kept: create() }));
  if (slot.kept.scheduleState !== scheduleState) slot.kept = create();
  byObject.set(household, slot.kept);
  return slot.kept.model;
}

interface QuarterMoment {
  readonly at: Date;
  readonly quarter: Quarter;
  /** Part of the quarter that has passed, 0..1. */
  readonly part: number;
  readonly counters: Counters;
}

/** State of one device at an instant. Throws a RangeError when the household has no such device. */
export function computeDeviceState<Type extends DeviceType>(
  household: Household,
  type: Type,
  at: Date,
  inputs: StateInputs = {},
): DeviceStates[Type] {
  const model = getCachedModel(household, inputs);
  const index = Math.floor(at.getTime() / QUARTER_HOUR_MS);
  const moment: QuarterMoment = {
    at,
    quarter: model.quarter(index),
    part: at.getTime() / QUARTER_HOUR_MS - index,
    counters: model.countersBefore(index),
  };
  return stateFunctions[type](household, moment, inputs);
}

const stateFunctions: {
  [Type in DeviceType]: (
    household: Household,
    moment: QuarterMoment,
    inputs: StateInputs,
  ) => DeviceStates[Type];
} = {
  electric_vehicle: (household, moment) => {
    const vehicle = household.electric_vehicle;
    if (!vehicle) throw new RangeError('household has no electric vehicle');
    return {
      soc_percent: soc(moment.quarter.vehicleStored, moment.part, vehicle.battery_kwh),
      target_soc_percent: vehicle.target_soc_percent,
      plugged_in: moment.quarter.pluggedIn,
      charging: moment.quarter.ev > 0,
      charge_power_w: watts(moment.quarter.ev),
      energy_charged_kwh: kwh(moment.counters.ev + moment.part * moment.quarter.ev),
    };
  },
  wallbox: (household, { quarter: now, part, counters }) => {
    if (!household.electric_vehicle) throw new RangeError('household has no wallbox');
    return {
      plugged_in: now.pluggedIn,
      charging: now.ev > 0,
      power_w: watts(now.ev),
      energy_kwh: kwh(counters.ev + part * now.ev),
    };
  },
  heat_pump: (household, { at, quarter: now, part, counters }, inputs) => {
    if (!household.heat_pump) throw new RangeError('household has no heat pump');
    const { latitude, longitude } = household;
    const quarterStart = new Date(Math.floor(at.getTime() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS);
    const outdoorC = siteWeather(splitSeed(household.seed), latitude, longitude).airTemperatureAt(
      at.getTime(),
    );
    return {
      mode: now.heatMode,
      schedule_state: (inputs.scheduleState ?? alwaysMid)(quarterStart),
      power_w: watts(now.hp),
      heat_w: watts(now.heat),
      outdoor_temperature_c: Math.round(outdoorC * 10) / 10 + 0,
      energy_kwh: kwh(counters.hp + part * now.hp),
    };
  },
  inverter: (household, { quarter: now, part, counters }) => {
    const consumed = watts(now.ev) + watts(now.hp);
    const [pv, load, battery] = [watts(now.pv), watts(now.load), watts(now.charge - now.discharge)];
    return {
      pv_power_w: pv,
      load_power_w: load,
      battery_power_w: battery,
      // From the rounded parts, so that the numbers shown add up.
      grid_power_w: load + consumed + battery - pv,
      soc_percent: soc(now.stored, part, household.battery.capacity_kwh),
      pv_energy_kwh: kwh(counters.pv + part * now.pv),
      grid_import_kwh: kwh(counters.gridImport + part * Math.max(0, now.grid)),
      grid_export_kwh: kwh(counters.gridExport + part * Math.max(0, -now.grid)),
    };
  },
};

/** Mean power in W of a quarter's mWh; adding 0 turns -0 into 0. */
const watts = (milliWh: number): number => Math.round(milliWh / 250) + 0;
/** mWh to kWh with three decimals. */
const kwh = (milliWh: number): number => Math.round(milliWh / 1000) / 1000;
/** Percent with one decimal, between the charges at the start and the end of a quarter. */
const soc = ([from, to]: readonly [number, number], part: number, capacityKwh: number): number =>
  Math.round((from + (to - from) * part) / capacityKwh / 1000) / 10;
