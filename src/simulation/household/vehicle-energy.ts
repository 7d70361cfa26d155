/** How much a household charges at home in a year where the definition leaves it open (docs/simulation.md#electric-vehicle). */
import { DEFINITION_DEFAULTS } from '../definition/fleet-definition.ts';
import { NOISE_CHANNEL } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { ARCHETYPES } from './profiles.ts';
import type { Archetype } from './profiles.ts';
import { drawLeaning } from './traits.ts';
import type { Traits } from './traits.ts';

/**
 * Spreads of the logarithm below and above the median (measured: quartiles of 22, 37 and 56 kWh a week, 5 and 95 % at 9 and 96,
 * with the weeks of a user in them), its loading on affluence, and where it ends: who drives more has a car and charger for it.
 */
const SPREAD_BELOW = 0.8;
const SPREAD_ABOVE = 0.55;
const LOADING = 0.35;
const FARTHEST = 1.75;
/** Power of the number of persons: larger households drive more (assumption). */
const PERSONS_POWER = 0.2;
/** What those who seldom have a way to work drive, beside all others (assumption). */
const DRIVEN_WITHOUT_WORK = 0.75;
const WITHOUT_WORK: readonly string[] = ['single_retired', 'couple_retired', 'home_office'];

/** By how much the households of an archetype drive more than one person who drives to work. */
function factorOfPeople({ name, persons }: Archetype): number {
  return persons ** PERSONS_POWER * (WITHOUT_WORK.includes(name) ? DRIVEN_WITHOUT_WORK : 1);
}

/** What a standard normal deviate makes of the median. */
function factorOf(deviate: number): number {
  const z = Math.min(FARTHEST, Math.max(-FARTHEST, deviate));
  return Math.exp((z < 0 ? SPREAD_BELOW : SPREAD_ABOVE) * z);
}

/** Mean of factorOf over the normal distribution. */
function meanFactor(): number {
  let sum = 0;
  let weights = 0;
  for (let z = -6; z <= 6; z += 0.01) {
    const weight = Math.exp((-z * z) / 2);
    sum += weight * factorOf(z);
    weights += weight;
  }
  return sum / weights;
}

/** Mean of factorOfPeople over the default mix of archetypes. */
function meanOfPeople(): number {
  const shares = ARCHETYPES.reduce((sum, { sharePercent }) => sum + sharePercent, 0);
  const sum = (total: number, archetype: Archetype): number =>
    total + archetype.sharePercent * factorOfPeople(archetype);
  return ARCHETYPES.reduce(sum, 0) / shares;
}

const SCALE = DEFINITION_DEFAULTS.ev_annual_kwh / meanFactor() / meanOfPeople();

/** Home charging of household `index`, kWh a year; the mean over the default mix is the documented default. */
export function drawVehicleEnergyKwh(
  seed: Seed,
  index: number,
  archetype: Archetype,
  traits: Traits,
): number {
  const deviate = drawLeaning(seed, index, NOISE_CHANNEL.vehicleEnergy, traits, LOADING);
  return SCALE * factorOfPeople(archetype) * factorOf(deviate);
}
