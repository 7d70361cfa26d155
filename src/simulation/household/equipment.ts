/** The devices of a household as drawn: panels, battery, vehicle, heat pump (docs/simulation.md). */
import { DEFINITION_DEFAULTS, DRAWN_FIELD_BOUNDS } from '../definition/fleet-definition.ts';
import type { DrawnField, EffectiveDefinition } from '../definition/fleet-definition.ts';
import {
  NOISE_CHANNEL,
  hashCounter,
  pickIndexByShares,
  drawUniform,
  drawUniformInteger,
} from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { drawLeaning } from './traits.ts';
import { drawHeatPump } from './heat-pump.ts';
import type { HeatPump, HeatPumpSite } from './heat-pump.ts';
import type { Traits } from './traits.ts';

export interface PvPlant {
  /** Peak power of the panels in kW. */
  readonly rating_kw: number;
  /** Rating of the inverter in kW of alternating current, at which it clips what the panels give. */
  readonly inverter_rating_kw: number;
  /** Degrees from the horizontal. */
  readonly tilt_deg: number;
  /** Degrees from north, clockwise. */
  readonly azimuth_deg: number;
}

export interface Battery {
  readonly capacity_kwh: number;
  readonly max_charge_power_w: number;
  readonly max_discharge_power_w: number;
  readonly initial_soc_percent: number;
  /** One way; the round trip is its square. */
  readonly efficiency: number;
}

export interface ElectricVehicle {
  readonly battery_kwh: number;
  /** The lower of wallbox and on-board charger, W at the socket. */
  readonly charger_power_w: number;
  readonly target_soc_percent: number;
  readonly initial_soc_percent: number;
}

export interface Equipment {
  readonly pv: PvPlant;
  readonly battery: Battery;
  readonly electric_vehicle: ElectricVehicle | null;
  readonly heat_pump: HeatPump | null;
}

/** Draws all devices of household `index`; selections use integers only. */
export function drawEquipment(
  definition: EffectiveDefinition,
  seed: Seed,
  index: number,
  site: HeatPumpSite,
  traits: Traits,
  ownsVehicle: boolean,
): Equipment {
  return {
    pv: drawPv(definition, seed, index, site.latitude),
    battery: drawBattery(definition, seed, index),
    electric_vehicle: ownsVehicle ? drawVehicle(seed, index, traits) : null,
    heat_pump: ownsHeatPump(seed, index) ? drawHeatPump(seed, index, traits, site) : null,
  };
}

function ownsHeatPump(seed: Seed, index: number): boolean {
  const percent = DEFINITION_DEFAULTS.heat_pump_fraction * 100;
  return hashCounter(seed, index, NOISE_CHANNEL.heatPump, 0) % 100 < percent;
}

/** The range wins over the scalar; draws are clamped to the scalar's bounds; without both, the default (docs/simulation.md#ranges-and-scalars). */
function drawField(
  definition: EffectiveDefinition,
  name: DrawnField,
  seed: Seed,
  index: number,
  channel: number,
): number | null {
  const range = definition[`${name}_range`];
  if (!range) return definition[name];
  const bounds = DRAWN_FIELD_BOUNDS[name];
  const value = drawUniformInteger(
    seed,
    index,
    channel,
    clampToSafeInteger(range.min),
    clampToSafeInteger(range.max),
  );
  return Math.min(bounds.max, Math.max(bounds.min, value));
}

/** Beyond these an end of a range leaves no room for the width of it. */
function clampToSafeInteger(end: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(Number.MIN_SAFE_INTEGER, end));
}

/** Peak power of the panels over the rating of their inverter (assumption: usual on roofs). */
const LEAST_DC_TO_AC = 1;
const MOST_DC_TO_AC = 1.25;

/** Tilt 20 to 45 degrees, towards the equator ± 45; 15 % of the roofs look east or west (docs/simulation.md#sun-and-panels). */
function drawPv(definition: EffectiveDefinition, seed: Seed, index: number, latitude: number): PvPlant {
  const { min, max } = DEFINITION_DEFAULTS.pv_rating_kw_range;
  const rating =
    drawField(definition, 'pv_rating_kw', seed, index, NOISE_CHANNEL.pvRating) ??
    drawUniformInteger(seed, index, NOISE_CHANNEL.pvRating, min, max);
  const side = hashCounter(seed, index, NOISE_CHANNEL.azimuthSide, 0) % 200;
  const sideways = side < 15 ? 90 : side < 30 ? 270 : null;
  const spread = drawUniformInteger(seed, index, NOISE_CHANNEL.azimuth, -45, 45);
  const dcToAc =
    LEAST_DC_TO_AC +
    (MOST_DC_TO_AC - LEAST_DC_TO_AC) * drawUniform(seed, index, NOISE_CHANNEL.inverterRating);
  return {
    rating_kw: rating,
    inverter_rating_kw: Math.round((10 * rating) / dcToAc) / 10,
    tilt_deg: drawUniformInteger(seed, index, NOISE_CHANNEL.tilt, 20, 45),
    azimuth_deg: sideways ?? (latitude >= 0 ? 180 + spread : (360 + spread) % 360),
  };
}

/** Efficiency: round trip .85 to .92 by household (docs/simulation.md#stationary-battery). */
function drawBattery(definition: EffectiveDefinition, seed: Seed, index: number): Battery {
  const { min, max } = DEFINITION_DEFAULTS.battery_capacity_kwh_range;
  const capacity =
    drawField(definition, 'battery_capacity_kwh', seed, index, NOISE_CHANNEL.batteryCapacity) ??
    drawUniformInteger(seed, index, NOISE_CHANNEL.batteryCapacity, min, max);
  const power = Math.min(100_000, Math.max(1, Math.round(capacity * DEFINITION_DEFAULTS.power_w_per_kwh)));
  return {
    capacity_kwh: capacity,
    max_charge_power_w:
      drawField(definition, 'max_charge_power_w', seed, index, NOISE_CHANNEL.chargePower) ?? power,
    max_discharge_power_w:
      drawField(definition, 'max_discharge_power_w', seed, index, NOISE_CHANNEL.dischargePower) ?? power,
    initial_soc_percent:
      drawField(definition, 'initial_soc_percent', seed, index, NOISE_CHANNEL.soc) ??
      DEFINITION_DEFAULTS.initial_soc_percent,
    efficiency:
      Math.round(Math.sqrt(0.85 + 0.07 * drawUniform(seed, index, NOISE_CHANNEL.efficiency)) * 1e4) / 1e4,
  };
}

/** Battery sizes in kWh, equally frequent, and how much they lean on affluence (assumptions). */
const BATTERIES_KWH = [40, 52, 58, 64, 77, 82] as const;
const BATTERY_LOADING = 0.35;
/** Ends of the sixths of the standard normal distribution. */
const SIXTHS = [-0.9674, -0.4307, 0, 0.4307, 0.9674] as const;
/** Charger powers in W with their shares in percent (assumption). */
const CHARGERS = [
  { powerW: 11_000, share: 70 },
  { powerW: 7_400, share: 15 },
  { powerW: 3_700, share: 10 },
  { powerW: 22_000, share: 5 },
] as const;

function drawVehicle(seed: Seed, index: number, traits: Traits): ElectricVehicle {
  const size = drawLeaning(seed, index, NOISE_CHANNEL.vehicleSize, traits, BATTERY_LOADING);
  const shares = CHARGERS.map((charger) => charger.share);
  const charger =
    CHARGERS[pickIndexByShares(shares, hashCounter(seed, index, NOISE_CHANNEL.evCharger, 0))] ?? CHARGERS[0];
  return {
    battery_kwh: BATTERIES_KWH[SIXTHS.filter((end) => size > end).length] ?? BATTERIES_KWH[0],
    charger_power_w: charger.powerW,
    target_soc_percent: 80 + 5 * (hashCounter(seed, index, NOISE_CHANNEL.evTarget, 0) % 3),
    initial_soc_percent: drawUniformInteger(seed, index, NOISE_CHANNEL.evSoc, 40, 80),
  };
}
