/**
 * Solar irradiance (W/m²) under a sky of a given clearness: the clear sky by Haurwitz, its diffuse part by Erbs.
 * `sunHeight` is the cosine of the zenith angle, above 0. Described in docs/simulation.md.
 */

/** Mean irradiance at the top of the atmosphere, W/m². */
const SOLAR_CONSTANT = 1361;
/** Upper limit of the direct irradiance: near the horizon the division by the height of the sun would exceed it. */
const MAX_BEAM_IRRADIANCE = 1100;

/** Diffuse fraction of the global irradiance by the clearness index kt, both 0..1 (Erbs, Klein and Duffie 1982). */
function diffuseFraction(kt: number): number {
  if (kt <= 0.22) return 1 - 0.09 * kt;
  if (kt > 0.8) return 0.165;
  return 0.9511 + kt * (-0.1604 + kt * (4.388 + kt * (-16.638 + kt * 12.336)));
}

/**
 * Global irradiance on a horizontal plane, W/m²: the clear sky of Haurwitz (1945) times the clear-sky index
 * (0.12..1.05).
 */
export function globalIrradiance(sunHeight: number, clearSkyIndex: number): number {
  return clearSkyIndex * 1098 * sunHeight * Math.exp(-0.059 / sunHeight);
}

/** The diffuse part of a global irradiance, both on a horizontal plane in W/m² (Erbs). */
export function diffuseIrradiance(global: number, sunHeight: number): number {
  return global * diffuseFraction(global / (SOLAR_CONSTANT * sunHeight));
}

/** Direct irradiance on a plane that faces the sun, W/m²; `global` and `diffuse` are those of a horizontal plane. */
export function beamIrradiance(global: number, diffuse: number, sunHeight: number): number {
  return Math.min(MAX_BEAM_IRRADIANCE, (global - diffuse) / sunHeight);
}
