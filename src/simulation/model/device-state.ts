/** What a device shows at an instant: the state objects of the document, interpolated inside the quarter hour. */
import type { DeviceType } from '../../domain/fleets/devices.ts';
import type { Counters } from './counter-accumulator.ts';
import type { HeatMode } from '../house/heat-pump-rows.ts';
import type { ScheduleState } from '../control/schedule-states.ts';
import { heatPumpControlAt, inverterControlAt, vehicleControlAt } from '../control/control-state.ts';
import type { ControlState } from '../control/control-state.ts';
import { DEFAULT_VEHICLE_PREFERENCES } from '../control/preferences.ts';
import { valueInForce } from '../control/revisions.ts';
import { UNSTEERED } from '../control/steering.ts';
import type { Steering } from '../control/steering.ts';
import type { Household } from '../household/household.ts';
import { createModelOfVersion } from './model-versions.ts';
import type { HouseholdModel } from './model.ts';
import type { Quarter } from './day-rows.ts';
import { splitSeed } from '../kernel/noise.ts';
import { siteWeather } from '../environment/weather.ts';
import { QUARTER_HOUR_MS } from '../../domain/api/durations.ts';
import { MILLI_WH_PER_W } from '../kernel/energy.ts';

export interface ElectricVehicleState {
  readonly soc_percent: number;
  readonly target_soc_percent: number;
  readonly plugged_in: boolean;
  readonly charging: boolean;
  readonly charge_power_w: number;
  readonly energy_charged_kwh: number;
  readonly control: ControlState;
}
export interface HeatPumpState {
  readonly mode: HeatMode;
  readonly schedule_state: ScheduleState;
  readonly power_w: number;
  readonly heat_w: number;
  /** Heat over electricity; null while it gives no heat. */
  readonly cop: number | null;
  readonly outdoor_temperature_c: number;
  /** Null where nothing measures it. */
  readonly indoor_temperature_c: number | null;
  readonly hot_water_temperature_c: number | null;
  readonly energy_kwh: number;
  readonly control: ControlState;
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
  readonly control: ControlState;
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

/** A household, what steers it, and the model of both. */
export interface ModelledHousehold {
  readonly household: Household;
  readonly steering: Steering;
  readonly model: HouseholdModel;
}

/**
 * A household with its model, by the version that drew it. Throws a RangeError when the version is unknown.
 */
export function createModelledHousehold(
  household: Household,
  steering: Steering = UNSTEERED,
): ModelledHousehold {
  return { household, steering, model: createModelOfVersion(household, steering) };
}

interface QuarterMoment {
  readonly at: Date;
  /** Since 1970. */
  readonly index: number;
  readonly steering: Steering;
  readonly quarter: Quarter;
  /** Part of the quarter that has passed, 0..1. */
  readonly part: number;
  readonly counters: Counters;
  readonly model: HouseholdModel;
}

/** State of one device at an instant. Throws a RangeError when the household has no such device. */
export function computeDeviceState<Type extends DeviceType>(
  { household, steering, model }: ModelledHousehold,
  type: Type,
  at: Date,
): DeviceStates[Type] {
  const index = Math.floor(at.getTime() / QUARTER_HOUR_MS);
  const moment: QuarterMoment = {
    at,
    index,
    steering,
    quarter: model.quarter(index),
    part: at.getTime() / QUARTER_HOUR_MS - index,
    counters: model.countersBefore(index),
    model,
  };
  return stateFunctions[type](household, moment);
}

const stateFunctions: {
  [Type in DeviceType]: (household: Household, moment: QuarterMoment) => DeviceStates[Type];
} = {
  electric_vehicle: (household, moment) => {
    const vehicle = household.electric_vehicle;
    if (!vehicle) throw new RangeError('household has no electric vehicle');
    const { preferences } = moment.steering.control.electricVehicle;
    const asked = valueInForce(preferences, moment.index, DEFAULT_VEHICLE_PREFERENCES);
    const target = asked.target_soc_percent ?? vehicle.target_soc_percent;
    const storedPercent = moment.quarter.vehicleStored[0] / vehicle.battery_kwh / 1e4;
    const isBelowMinimum = storedPercent < Math.min(target, asked.minimum_soc_percent);
    const stay = moment.model.chargeOutlookAt(moment.index)?.stay;
    return {
      soc_percent: soc(moment.quarter.vehicleStored, moment.part, vehicle.battery_kwh),
      target_soc_percent: target,
      plugged_in: moment.quarter.pluggedIn,
      charging: moment.quarter.ev > 0,
      charge_power_w: watts(moment.quarter.ev),
      energy_charged_kwh: kwh(moment.counters.ev + moment.part * moment.quarter.ev),
      control: vehicleControlAt(
        moment.steering,
        moment.index,
        stay ? { ...stay, isBelowMinimum } : undefined,
      ),
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
  heat_pump: (household, { at, index, steering, quarter: now, part, counters }) => {
    if (!household.heat_pump) throw new RangeError('household has no heat pump');
    const { latitude, longitude } = valueInForce(steering.control.places, index, household);
    const outdoorC = siteWeather(splitSeed(household.seed), latitude, longitude).airTemperatureAt(
      at.getTime(),
    );
    return {
      mode: now.heatMode,
      schedule_state: now.scheduleState,
      power_w: watts(now.hp),
      heat_w: watts(now.heat),
      cop: copOf(now.heat, now.hp),
      outdoor_temperature_c: Math.round(outdoorC * 10) / 10 + 0,
      indoor_temperature_c: celsius(now.indoor, part),
      hot_water_temperature_c: celsius(now.hotWater, part),
      energy_kwh: kwh(counters.hp + part * now.hp),
      control: heatPumpControlOf(heatPumpControlAt(steering, index), now),
    };
  },
  inverter: (household, { index, steering, quarter: now, part, counters }) => {
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
      control: inverterControlAt(steering, index),
    };
  },
};

/** A house that was asked for something else is planned again once it is home, with the next run of its compressor. */
function heatPumpControlOf(control: ControlState, { heatPumpControl }: Quarter): ControlState {
  if (control.mode !== 'schedule' || heatPumpControl === 'schedule') return control;
  return { mode: 'automatic', reason: 'next_plan' };
}

/** Mean power in W of a quarter's mWh; adding 0 turns -0 into 0. */
const watts = (milliWh: number): number => Math.round(milliWh / MILLI_WH_PER_W) + 0;
/** Heat over electricity with two decimals, null without heat. */
export const copOf = (heat: number, electricity: number): number | null =>
  heat > 0 ? Math.round((100 * heat) / electricity) / 100 : null;
/** Degrees Celsius with one decimal, between those in mK at the start and the end of a quarter. */
const celsius = ([from, to]: readonly [number, number], part: number): number =>
  Math.round((from + (to - from) * part) / 100) / 10;
/** mWh to kWh with three decimals. */
const kwh = (milliWh: number): number => Math.round(milliWh / 1000) / 1000;
/** Percent with one decimal, between the charges at the start and the end of a quarter. */
const soc = ([from, to]: readonly [number, number], part: number, capacityKwh: number): number =>
  Math.round((from + (to - from) * part) / capacityKwh / 1000) / 10;
