/**
 * Solar irradiance (W/m²) under a sky of a given clearness: the clear sky by Haurwitz, its diffuse part by Erbs.
 * `sunHeight` is the cosine of the zenith angle, above 0. Described in docs/simulation.md.
 */

/** Mean irradiance at the top of the atmosphere, W/m². */
const SOLAR_CONSTANT = 1361;
/** Irradiance at the top of the atmosphere on a plane that faces the sun, W/m², by the day of the year. */
const TOP_IRRADIANCE = Float64Array.from(
  { length: 367 },
  (_, day) => SOLAR_CONSTANT * (1 + 0.033 * Math.cos((2 * Math.PI * (day - 3)) / 365)),
);
/** Upper limit of the direct irradiance: near the horizon the division by the height of the sun would exceed it. */
const MAX_BEAM_IRRADIANCE = 1100;

/** Diffuse fraction of the global irradiance by the clearness index kt, both 0..1 (Erbs, Klein and Duffie 1982). */
function diffuseFraction(kt: number): number {
  if (kt <= 0.22) return 1 - 0.09 * kt;
  if (kt > 0.8) return 0.165;
  return 0.9511 + kt * (-0.1604 + kt * (4.388 + kt * (-16.638 + kt * 12.336)));
}

/** Irradiance of a cloudless sky on a horizontal plane, W/m² (Haurwitz 1945). */
export function clearSkyIrradiance(sunHeight: number): number {
  return 1098 * sunHeight * Math.exp(-0.059 / sunHeight);
}

/** Straight lines between so many values of the sun's height stand for the clear sky: within 0.003 W/m². */
const CLEAR_SKY_STEPS = 1024;
const CLEAR_SKY = Float64Array.from({ length: CLEAR_SKY_STEPS + 2 }, (_, i) =>
  i === 0 ? 0 : clearSkyIrradiance(i / CLEAR_SKY_STEPS),
);

/** clearSkyIrradiance by a table, for weather: a power of e for each quarter hour took a fifth of its time. */
export function tabledClearSkyIrradiance(sunHeight: number): number {
  const at = sunHeight * CLEAR_SKY_STEPS;
  const step = at | 0;
  const from = CLEAR_SKY[step] ?? 0;
  return from + ((CLEAR_SKY[step + 1] ?? 0) - from) * (at - step);
}

/** The diffuse part of a global irradiance, both on a horizontal plane in W/m² (Erbs). */
export function diffuseIrradiance(global: number, sunHeight: number): number {
  return global * diffuseFraction(global / (SOLAR_CONSTANT * sunHeight));
}

/** Direct irradiance on a plane that faces the sun, W/m²; `global` and `diffuse` are those of a horizontal plane. */
export function beamIrradiance(global: number, diffuse: number, sunHeight: number): number {
  return Math.min(MAX_BEAM_IRRADIANCE, (global - diffuse) / sunHeight);
}

/** Irradiance at the top of the atmosphere on a plane that faces the sun, W/m², on a day of the year, 1..366. */
export function topIrradiance(dayInYear: number): number {
  return TOP_IRRADIANCE[dayInYear] ?? SOLAR_CONSTANT;
}
