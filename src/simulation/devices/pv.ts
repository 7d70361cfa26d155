/** Power of photovoltaic panels: isotropic irradiance on their plane, and temperature (docs/simulation.md#sun-and-panels). */
import { beamIrradiance, clearSkyIrradiance, diffuseIrradiance } from '../environment/light.ts';
import type { PvPlant } from '../household/equipment.ts';
import type { SunDirection } from '../environment/sun.ts';

/** Part of the power that a roof-top system delivers, heat apart (fit to the yields of six countries, make validate). */
const PERFORMANCE_RATIO = 0.87;
/** Share of the light that the ground reflects. */
const GROUND_ALBEDO = 0.2;

/** Panels in a plane: by how much each part of the irradiance (DayIrradiance) counts on it. */
export interface PanelPlane {
  /** At which the inverter clips. */
  readonly inverterW: number;
  /** Peak power. */
  readonly ratingKw: number;
  /** Of the global irradiance, what the ground reflects. */
  readonly global: number;
  readonly diffuse: number;
  /** Unit vector that the panels face, for the direct beam. */
  readonly east: number;
  readonly north: number;
  readonly up: number;
}

/** The plane of panels with tilt and azimuth (from north, clockwise) in degrees and ratings in kW. */
export function panelPlaneOf(plant: PvPlant): PanelPlane {
  const tilt = (plant.tilt_deg * Math.PI) / 180;
  const azimuth = (plant.azimuth_deg * Math.PI) / 180;
  return {
    inverterW: plant.inverter_rating_kw * 1000,
    ratingKw: plant.rating_kw,
    global: (GROUND_ALBEDO * (1 - Math.cos(tilt))) / 2,
    diffuse: (1 + Math.cos(tilt)) / 2,
    east: Math.sin(tilt) * Math.sin(azimuth),
    north: Math.sin(tilt) * Math.cos(azimuth),
    up: Math.cos(tilt),
  };
}

/**
 * AC power in W of panels with `irradiance` W/m² on their plane in air of `airC` degrees Celsius; at most the rating of the inverter. Cells are
 * 0.03 K warmer for each W/m² and lose 0.4 % a kelvin above 25 C.
 */
export function pvPowerOnPlaneW(
  { inverterW, ratingKw }: PanelPlane,
  irradiance: number,
  airC: number,
): number {
  const cellC = airC + 0.03 * irradiance;
  const power = ratingKw * irradiance * PERFORMANCE_RATIO * (1 - 0.004 * (cellC - 25));
  return Math.min(inverterW, Math.max(0, power));
}

/**
 * AC power in W of panels under the sun at a clear-sky index in air of `airC` degrees Celsius; 0 with the sun below
 * the horizon.
 */
export function pvPowerUnderSkyW(
  plant: PvPlant,
  sun: SunDirection,
  clearSkyIndex: number,
  airC: number,
): number {
  if (sun.up <= 0 || plant.rating_kw === 0) return 0;
  const plane = panelPlaneOf(plant);
  const global = clearSkyIndex * clearSkyIrradiance(sun.up);
  const diffuse = diffuseIrradiance(global, sun.up);
  const beam = beamIrradiance(global, diffuse, sun.up);
  const incidence = plane.east * sun.east + plane.north * sun.north + plane.up * sun.up;
  const irradiance = diffuse * plane.diffuse + global * plane.global + beam * Math.max(0, incidence);
  return pvPowerOnPlaneW(plane, irradiance, airC);
}
