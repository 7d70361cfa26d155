/** A house that a heat pump heats: size, insulation, mass and habits by people, age and country (docs/simulation.md#house). */
import { NOISE_CHANNEL, drawNormal, drawUniform, hashCounter, pickIndexByShares } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { drawLeaning } from './traits.ts';
import type { Traits } from './traits.ts';

export interface Building {
  /** Who lives there. */
  readonly persons: number;
  readonly floor_area_m2: number;
  /** Heat lost by walls and air, W for each K that it is warmer inside. */
  readonly heat_loss_w_per_k: number;
  /** Heat that warms walls, floors and air by a K, Wh. */
  readonly heat_capacity_wh_per_k: number;
  /** Indoor temperature that the people want, C. */
  readonly comfort_c: number;
  /** By how much less they want at night, K; 0 in most houses. */
  readonly night_setback_k: number;
}

/**
 * Loss of houses with a heat pump by the age of the building, W/(m2 K): medians of 191 measured British homes, which are a
 * third of what TABULA gives for houses as they were built; the last class is of today. Shares in percent are assumed.
 */
const AGE_CLASSES = [
  { until: 1945, lossPerM2: 1.72, share: 18, floorHeating: 15 },
  { until: 1980, lossPerM2: 1.71, share: 32, floorHeating: 20 },
  { until: 1995, lossPerM2: 1.5, share: 17, floorHeating: 40 },
  { until: 2010, lossPerM2: 1.36, share: 18, floorHeating: 65 },
  { until: null, lossPerM2: 1.16, share: 15, floorHeating: 85 },
] as const;

/**
 * Loss of single-family and terraced houses by country over the median of all countries at the same age: TABULA's stock as
 * built, geometric mean over five classes of age.
 */
const RELATIVE_LOSS_AS_BUILT: Readonly<Record<string, number>> = {
  AT: 0.91, BE: 1.12, BG: 0.99, CY: 2.25, CZ: 0.96, DE: 0.72, DK: 0.57, ES: 1.16, FR: 0.91, GB: 1.07, GR: 1.73,
  HU: 1.03, IE: 1.14, IT: 1.11, NL: 1.06, NO: 0.6, PL: 0.9, RS: 1.16, SE: 0.67, SI: 0.81,
}; // prettier-ignore
/** Where the losses above were measured. */
const MEASURED_COUNTRY = 1.07;

/** Elsewhere houses are built for their winters. */
function relativeLossAsBuilt(country: string | null, designC: number): number {
  const known = RELATIVE_LOSS_AS_BUILT[country ?? ''];
  return known ?? Math.min(1.5, Math.max(0.6, 0.99 + 0.0175 * designC));
}

/** Heat capacities of a light, a medium and a heavy building, Wh/(m2 K): 110, 165 and 260 kJ (ISO 13790). */
const CAPACITIES = [110 / 3.6, 165 / 3.6, 260 / 3.6] as const;
/** Their shares in percent where timber is usual and elsewhere (assumption). */
const TIMBER_SHARES = [65, 30, 5] as const;
const MASONRY_SHARES = [25, 50, 25] as const;
const TIMBER_COUNTRIES = new Set(['CA', 'EE', 'FI', 'IS', 'JP', 'NO', 'NZ', 'SE', 'US']);

/** Indoor temperature of homes with heat pumps over the year and its standard deviation between them, C (measured). */
const MEAN_COMFORT_C = 20.6;
const COMFORT_SPREAD_K = 1.3;
const LOWEST_COMFORT_C = 17.5;
const HIGHEST_COMFORT_C = 23.5;
/** Share of the homes that set back at night, in percent (assumption; common in Britain, rare north of it). */
const SETBACK_PERCENT = 25;

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value));
const round = (value: number, step: number): number => Number((Math.round(value / step) * step).toFixed(1));

/** A building, and whether its floors give the heat (else radiators do). */
interface DrawnBuilding {
  readonly building: Building;
  readonly emitter: 'floor' | 'radiator';
}

/**
 * The house of household `index` in a country (ISO 3166-1 alpha-2, null at sea) whose coldest day has `designC` degrees
 * Celsius. Larger and richer households have larger houses.
 */
export function drawBuilding(
  seed: Seed,
  index: number,
  traits: Traits,
  country: string | null,
  designC: number,
): DrawnBuilding {
  const { persons } = traits;
  const hashed = (channel: number): number => hashCounter(seed, index, channel, 0);
  const ages = AGE_CLASSES.map(({ share }) => share);
  const age = AGE_CLASSES[pickIndexByShares(ages, hashed(NOISE_CHANNEL.buildingAge))] ?? AGE_CLASSES[1];
  const larger = drawLeaning(seed, index, NOISE_CHANNEL.floorArea, traits, 0.5);
  const area = clamp(Math.round((95 + 22 * persons) * Math.exp(0.25 * larger)), 50, 400);
  // Renovation has taken away half of what made a country's houses differ.
  const relative = Math.sqrt(relativeLossAsBuilt(country, designC) / MEASURED_COUNTRY);
  const worse = drawNormal(seed, index, NOISE_CHANNEL.heatLoss, 0);
  const lossPerM2 = clamp(age.lossPerM2 * relative * Math.exp(0.24 * worse), 0.5, 3.5);
  const shares = TIMBER_COUNTRIES.has(country ?? '') ? TIMBER_SHARES : MASONRY_SHARES;
  const capacity = CAPACITIES[pickIndexByShares(shares, hashed(NOISE_CHANNEL.heatCapacity))] ?? CAPACITIES[1];
  const warmer = drawNormal(seed, index, NOISE_CHANNEL.comfort, 0);
  const setsBack = hashed(NOISE_CHANNEL.nightSetback) % 100 < SETBACK_PERCENT;
  const setback = 0.5 + drawUniform(seed, index, NOISE_CHANNEL.nightSetback, 1);
  return {
    building: {
      persons,
      floor_area_m2: area,
      heat_loss_w_per_k: Math.round(area * lossPerM2),
      heat_capacity_wh_per_k: Math.round(area * capacity),
      comfort_c: round(
        clamp(MEAN_COMFORT_C + COMFORT_SPREAD_K * warmer, LOWEST_COMFORT_C, HIGHEST_COMFORT_C),
        0.1,
      ),
      night_setback_k: setsBack ? round(setback, 0.1) : 0,
    },
    emitter: hashed(NOISE_CHANNEL.heatEmitter) % 100 < age.floorHeating ? 'floor' : 'radiator',
  };
}
