/** How much a household charges at home in a year where the definition leaves it open (docs/simulation.md#electric-vehicle). */
import { DEFINITION_DEFAULTS } from '../definition/fleet-definition.ts';
import { NOISE_CHANNEL } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { ARCHETYPES } from './profiles.ts';
import { drawLeaning } from './traits.ts';
import type { Traits } from './traits.ts';

/** Spread of the logarithm (measured .69 with the weeks of a user in it), its loading on affluence, and where it ends. */
const SPREAD = 0.62;
const LOADING = 0.35;
const FARTHEST = 2.2;
/** Power of the number of persons: larger households drive more (assumption). */
const PERSONS_POWER = 0.2;

/** Mean of exp(SPREAD z) over a standard normal z that is held within ± FARTHEST. */
function meanSpread(): number {
  let sum = 0;
  let weights = 0;
  for (let z = -6; z <= 6; z += 0.01) {
    const weight = Math.exp((-z * z) / 2);
    sum += weight * Math.exp(SPREAD * Math.min(FARTHEST, Math.max(-FARTHEST, z)));
    weights += weight;
  }
  return sum / weights;
}

/** Mean of what the persons contribute over the default mix of archetypes. */
function meanOfPersons(): number {
  const shares = ARCHETYPES.reduce((sum, { sharePercent }) => sum + sharePercent, 0);
  const sum = (total: number, archetype: (typeof ARCHETYPES)[number]): number =>
    total + archetype.sharePercent * archetype.persons ** PERSONS_POWER;
  return ARCHETYPES.reduce(sum, 0) / shares;
}

const SCALE = DEFINITION_DEFAULTS.ev_annual_kwh / meanSpread() / meanOfPersons();

/** Home charging of household `index`, kWh a year; the mean over the default mix is the documented default. */
export function drawVehicleEnergyKwh(seed: Seed, index: number, traits: Traits): number {
  const deviate = drawLeaning(seed, index, NOISE_CHANNEL.vehicleEnergy, traits, LOADING);
  const spread = Math.exp(SPREAD * Math.min(FARTHEST, Math.max(-FARTHEST, deviate)));
  return SCALE * traits.persons ** PERSONS_POWER * spread;
}
