/** Power of a tilted plant under a sky: Haurwitz, Erbs, isotropic plane, temperature (simulation.md B2). Light in W/m². */
import type { PvPlant } from '../household/equipment.ts';
import type { SunVector } from '../environment/sun.ts';

/** Losses of a whole roof-top system but heat (fit to the yields of six countries, make validate). */
const PERFORMANCE_RATIO = 0.825;
const SOLAR_CONSTANT = 1361;
/** Share of light that the ground throws back. */
const ALBEDO = 0.2;

/** Diffuse fraction of global radiation by clearness index (Erbs et al. 1982). */
function diffuseFraction(kt: number): number {
  if (kt <= 0.22) return 1 - 0.09 * kt;
  if (kt > 0.8) return 0.165;
  return 0.9511 + kt * (-0.1604 + kt * (4.388 + kt * (-16.638 + kt * 12.336)));
}

/** Global light under a sun at the cosine of the zenith angle `up` > 0 and a clear-sky index. */
export function globalLight(up: number, clearness: number): number {
  return clearness * 1098 * up * Math.exp(-0.059 / up);
}

/** What of it comes from the whole sky. */
export function diffuseLight(global: number, up: number): number {
  return global * diffuseFraction(global / (SOLAR_CONSTANT * up));
}

/** The rest, on a plane that faces the sun. */
export function beamLight(global: number, diffuse: number, up: number): number {
  return Math.min(1100, (global - diffuse) / up);
}

/** What of each part of the light falls on a square metre of a plant. */
export interface Roof {
  readonly ratingW: number;
  readonly ratingKw: number;
  readonly global: number;
  readonly diffuse: number;
  readonly east: number;
  readonly north: number;
  readonly up: number;
}

export function roofOf(plant: PvPlant): Roof {
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
export function plantPowerW({ ratingW, ratingKw }: Roof, plane: number, airC: number): number {
  const cellC = airC + 0.03 * plane;
  const power = ratingKw * plane * PERFORMANCE_RATIO * (1 - 0.004 * (cellC - 25));
  return Math.min(ratingW, Math.max(0, power));
}

/** AC power in W, 0 with the sun below the horizon; `clearness` is the clear-sky index. */
export function pvPowerW(plant: PvPlant, sun: SunVector, clearness: number, airC: number): number {
  if (sun.up <= 0 || plant.rating_kw === 0) return 0;
  const roof = roofOf(plant);
  const global = globalLight(sun.up, clearness);
  const diffuse = diffuseLight(global, sun.up);
  const beam = beamLight(global, diffuse, sun.up);
  const incidence = roof.east * sun.east + roof.north * sun.north + roof.up * sun.up;
  const plane = diffuse * roof.diffuse + global * roof.global + beam * Math.max(0, incidence);
  return plantPowerW(roof, plane, airC);
}
