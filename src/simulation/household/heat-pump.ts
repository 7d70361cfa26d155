/** A heat pump with its tank, as drawn for a house: sized for the coldest day (docs/simulation.md#heat-pump). */
import { climateAt } from '../environment/climate.ts';
import { NOISE_CHANNEL, drawNormal, drawUniform, hashCounter } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { drawBuilding } from './building.ts';
import type { Building } from './building.ts';
import type { Traits } from './traits.ts';

export interface HotWaterTank {
  readonly volume_l: number;
  /** Temperature to which it is heated, C. */
  readonly target_c: number;
  /** Heat lost while it is 30 K warmer than the room, W. */
  readonly standing_loss_w: number;
}

export interface HeatPump {
  /** Highest electric power, backup heater included, W. */
  readonly rated_power_w: number;
  /** Electric heater that helps when the compressor cannot hold the house, W. */
  readonly backup_power_w: number;
  /** Heat that the compressor gives at most at 7 C outdoors, W. */
  readonly heat_output_w: number;
  /** Part of its most heat below which it cannot modulate, but cycles. */
  readonly min_output_fraction: number;
  /** Factor on the coefficient of performance of a mean unit. */
  readonly efficiency: number;
  readonly source: 'air' | 'ground';
  readonly emitter: 'floor' | 'radiator';
  /** Coldest daily mean that it is sized for, C, and the flow temperature that the house needs then. */
  readonly design_temperature_c: number;
  readonly design_flow_c: number;
  readonly building: Building;
  readonly tank: HotWaterTank;
}

/** Output over the loss at design temperature: measured median 1.3, sizes of a catalogue make it uneven. */
const MEAN_OVERSIZING = 1.25;
/** Inner and solar gains lift a house by so much on a cold day, K. */
const GAINS_LIFT_K = 4;
/** Change of the heat output by the K outdoors, as a part of that at 7 C. */
export const OUTPUT_PER_K = 0.02;
/** Lowest heat over electricity that a unit of efficiency 1 is sized for. */
const LOWEST_SIZED_COP = 2.8;
const BACKUP_W = { small: 3000, large: 6000 } as const;
const LARGE_OUTPUT_W = 9000;

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value));
const toHundreds = (value: number): number => Math.round(value / 100) * 100;

export interface HeatPumpSite {
  readonly latitude: number;
  readonly longitude: number;
  readonly country: string | null;
}

/** The heat pump of household `index` with its building and tank; 85 % take heat from the air (assumption). */
export function drawHeatPump(seed: Seed, index: number, traits: Traits, site: HeatPumpSite): HeatPump {
  const designC = climateAt(site.latitude, site.longitude).designC;
  const { building, emitter } = drawBuilding(seed, index, traits, site.country, designC);
  const normal = (channel: number): number => drawNormal(seed, index, channel, 0);
  const uniform = (channel: number): number => drawUniform(seed, index, channel);
  const source = hashCounter(seed, index, NOISE_CHANNEL.heatSource, 0) % 100 < 85 ? 'air' : 'ground';
  const lift = Math.max(5, building.comfort_c - GAINS_LIFT_K - designC);
  const oversizing = MEAN_OVERSIZING * Math.exp(0.15 * normal(NOISE_CHANNEL.heatPumpSize));
  const coldShare = source === 'air' ? clamp(1 + OUTPUT_PER_K * (designC - 7), 0.3, 1) : 1;
  const needed = (oversizing * building.heat_loss_w_per_k * lift) / coldShare;
  const output = clamp(toHundreds(needed), 3000, 30_000);
  const efficiency = clamp(0.92 + 0.08 * normal(NOISE_CHANNEL.heatPumpEfficiency), 0.72, 1.06);
  const backup = output > LARGE_OUTPUT_W ? BACKUP_W.large : BACKUP_W.small;
  const flow = emitter === 'floor' ? 35.5 : 41;
  return {
    rated_power_w: toHundreds(output / (LOWEST_SIZED_COP * efficiency) + 50) + backup,
    backup_power_w: backup,
    heat_output_w: output,
    min_output_fraction: Math.round(100 * (0.25 + 0.15 * uniform(NOISE_CHANNEL.heatPumpMinimum))) / 100,
    efficiency: Math.round(efficiency * 1000) / 1000,
    source,
    emitter,
    design_temperature_c: Math.round(designC * 10) / 10,
    design_flow_c: Math.round(clamp(flow + 3 * normal(NOISE_CHANNEL.heatPumpFlow), 32, 50) * 10) / 10,
    building,
    tank: drawTank(seed, index, traits.persons),
  };
}

function drawTank(seed: Seed, index: number, persons: number): HotWaterTank {
  const uniform = (channel: number): number => drawUniform(seed, index, channel);
  const volume = 140 + 30 * persons + 60 * uniform(NOISE_CHANNEL.tankVolume);
  return {
    volume_l: clamp(Math.round(volume / 10) * 10, 150, 300),
    target_c: 46 + Math.floor(9 * uniform(NOISE_CHANNEL.tankTarget)),
    standing_loss_w: 50 + Math.floor(31 * uniform(NOISE_CHANNEL.tankLoss)),
  };
}
