/** Power of a tilted plant under a sky: Haurwitz, Erbs, isotropic plane, temperature (simulation.md B2). */
import type { PvPlant } from './equipment.ts';
import type { SunVector } from './sun.ts';

/** Bound once: under a test runner's context each use of a global is a slow lookup. */
const { PI, cos, exp, max, min, sin } = Math;

/** Losses of a whole roof-top system (performance ratio). */
const PERFORMANCE_RATIO = 0.8;
const SOLAR_CONSTANT = 1361;

/** Diffuse fraction of global radiation by clearness index (Erbs et al. 1982). */
function diffuseFraction(kt: number): number {
  if (kt <= 0.22) return 1 - 0.09 * kt;
  if (kt > 0.8) return 0.165;
  return 0.9511 + kt * (-0.1604 + kt * (4.388 + kt * (-16.638 + kt * 12.336)));
}

/**
 * AC power in W, 0 with the sun below the horizon, at most the rating.
 * `clearness` is the clear-sky index, `airC` the air temperature.
 */
export function pvPowerW(plant: PvPlant, sun: SunVector, clearness: number, airC: number): number {
  const cosZenith = sun.up;
  if (cosZenith <= 0 || plant.rating_kw === 0) return 0;
  const global = clearness * 1098 * cosZenith * exp(-0.059 / cosZenith);
  const diffuse = global * diffuseFraction(global / (SOLAR_CONSTANT * cosZenith));
  const beamNormal = min(1100, (global - diffuse) / cosZenith);
  const tilt = (plant.tilt_deg * PI) / 180;
  const azimuth = (plant.azimuth_deg * PI) / 180;
  const sineTilt = sin(tilt);
  const cosTilt = cos(tilt);
  const incidence = sineTilt * (sun.east * sin(azimuth) + sun.north * cos(azimuth)) + cosTilt * sun.up;
  const plane =
    (diffuse * (1 + cosTilt)) / 2 + (0.2 * global * (1 - cosTilt)) / 2 + beamNormal * max(0, incidence);
  const cellC = airC + 0.03 * plane;
  const power = plant.rating_kw * plane * PERFORMANCE_RATIO * (1 - 0.004 * (cellC - 25));
  return min(plant.rating_kw * 1000, max(0, power));
}
