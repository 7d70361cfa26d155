/** Which appliances a household owns, how often it starts them and what they take: drawn from its index, never stored. */
import type { Household } from '../household/household.ts';
import { findArchetype } from '../household/profiles.ts';
import { drawTraits } from '../household/traits.ts';
import { NOISE_CHANNEL, WORD_VALUES, hashInStream, hashStream, splitSeed } from '../kernel/noise.ts';
import { bellOfHash } from '../kernel/normal-table.ts';
import { APPLIANCES, startsFactorOf } from './appliances.ts';
import { tableAnnualKwhOf } from './event-curves.ts';

/** By how many percentage points each person above two and each standard deviation of affluence makes an appliance likelier. */
const PERCENT_PER_PERSON = 8;
const PERCENT_PER_AFFLUENCE = 10;
/** What nearly all own leans on nothing. */
const LEANS_BELOW_PERCENT = 90;

/** Of the logarithm of how often an appliance is started, over the households that own it. */
const STARTS_DEVIATION = 0.35;
/** Of the power of an appliance. */
const POWER_DEVIATION = 0.1;
/**
 * Of the logarithm of the power of all of a home's appliances: those with three plates at once and the large kettle start them less
 * often, so that their energy is the same.
 */
const HOME_POWER_DEVIATION = 0.25;

const OWNED_PERCENT = Uint8Array.from(APPLIANCES, ({ ownedPercent }) => ownedPercent);

/** In the order of APPLIANCES. */
export interface OwnedAppliances {
  /** Starts over those of the archetype's table; 0 for what is not owned. */
  readonly starts: Float64Array;
  /** Power over that of the appliances' table. */
  readonly power: Float64Array;
}

/** The appliances of a household. */
export function drawOwnedAppliances(household: Household): OwnedAppliances {
  const { index, profile, load_annual_kwh: annualKwh } = household;
  const seed = splitSeed(household.seed);
  const archetype = findArchetype(profile);
  const traits = archetype ? drawTraits(seed, index, archetype) : { persons: 2, affluence: 0 };
  const often = startsFactorOf(annualKwh) / startsFactorOf(tableAnnualKwhOf(profile));
  const leaning = PERCENT_PER_PERSON * (traits.persons - 2) + PERCENT_PER_AFFLUENCE * traits.affluence;
  const stream = (channel: number): number => hashStream(seed, index, channel);
  const ownedStream = stream(NOISE_CHANNEL.applianceOwned);
  const startsStream = stream(NOISE_CHANNEL.applianceStarts);
  const powerStream = stream(NOISE_CHANNEL.appliancePower);
  const strength = Math.exp(HOME_POWER_DEVIATION * bellOfHash(hashInStream(powerStream, APPLIANCES.length)));
  const starts = new Float64Array(APPLIANCES.length);
  const power = new Float64Array(APPLIANCES.length);
  for (let appliance = 0; appliance < APPLIANCES.length; appliance++) {
    const likely = OWNED_PERCENT[appliance] ?? 0;
    const percent = likely + (likely < LEANS_BELOW_PERCENT ? leaning : 0);
    power[appliance] = strength * (1 + POWER_DEVIATION * bellOfHash(hashInStream(powerStream, appliance)));
    if (hashInStream(ownedStream, appliance) * 100 >= percent * WORD_VALUES) continue;
    const z = bellOfHash(hashInStream(startsStream, appliance));
    starts[appliance] = (often * Math.exp(STARTS_DEVIATION * z - STARTS_DEVIATION ** 2 / 2)) / strength;
  }
  return { starts, power };
}
