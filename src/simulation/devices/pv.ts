/** Power of a tilted plant under a sky: Haurwitz, Erbs, isotropic plane, temperature (docs/simulation.md#sun-and-panels). Light in W/m². */
import { beamIrradiance, diffuseIrradiance, globalIrradiance } from '../environment/light.ts';
import type { PvPlant } from '../household/equipment.ts';
import type { SunDirection } from '../environment/sun.ts';

/** Losses of a whole roof-top system but heat (fit to the yields of six countries, make validate). */
const PERFORMANCE_RATIO = 0.825;
/** Share of light that the ground throws back. */
const ALBEDO = 0.2;

/** What of each part of the light falls on a square metre of a plant. */
export interface PanelPlane {
  readonly ratingW: number;
  readonly ratingKw: number;
  readonly global: number;
  readonly diffuse: number;
  readonly east: number;
  readonly north: number;
  readonly up: number;
}

export function panelPlaneOf(plant: PvPlant): PanelPlane {
  const tilt = (plant.tilt_deg * Math.PI) / 180;
  const azimuth = (plant.azimuth_deg * Math.PI) / 180;
  const ratingW = plant.rating_kw * 1000;
  return {
    ratingW,
    ratingKw: ratingW / 1000,
    global: (ALBEDO * (1 - Math.cos(tilt))) / 2,
    diffuse: (1 + Math.cos(tilt)) / 2,
    east: Math.sin(tilt) * Math.sin(azimuth),
    north: Math.sin(tilt) * Math.cos(azimuth),
    up: Math.cos(tilt),
  };
}

/** AC power in W of a plant with `plane` W/m² on it in air of `airC`; at most the rating. */
export function pvPowerOnPlaneW({ ratingW, ratingKw }: PanelPlane, plane: number, airC: number): number {
  const cellC = airC + 0.03 * plane;
  const power = ratingKw * plane * PERFORMANCE_RATIO * (1 - 0.004 * (cellC - 25));
  return Math.min(ratingW, Math.max(0, power));
}

/** AC power in W, 0 with the sun below the horizon; `clearness` is the clear-sky index. */
export function pvPowerUnderSkyW(plant: PvPlant, sun: SunDirection, clearness: number, airC: number): number {
  if (sun.up <= 0 || plant.rating_kw === 0) return 0;
  const roof = panelPlaneOf(plant);
  const global = globalIrradiance(sun.up, clearness);
  const diffuse = diffuseIrradiance(global, sun.up);
  const beam = beamIrradiance(global, diffuse, sun.up);
  const incidence = roof.east * sun.east + roof.north * sun.north + roof.up * sun.up;
  const plane = diffuse * roof.diffuse + global * roof.global + beam * Math.max(0, incidence);
  return pvPowerOnPlaneW(roof, plane, airC);
}
