/** What the driver of a car is used to, drawn once (docs/simulation.md#electric-vehicle): users differ far more than days do. */
import type { ElectricVehicle } from '../household/equipment.ts';
import type { Household } from '../household/household.ts';
import { ARCHETYPES, findArchetype } from '../household/profiles.ts';
import { drawLeaning, drawTraits } from '../household/traits.ts';
import { NOISE_CHANNEL, WORD_VALUES, hashInStream, hashStream, splitSeed } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { normalOfHash } from '../kernel/normal-table.ts';

/** Times are hours of the local day, distances km there and back before they are scaled to the energy asked for. */
export interface DriverHabits {
  /** Whether the car is driven to work on a weekday, Monday first. */
  readonly commutes: readonly boolean[];
  readonly leavesAt: number;
  readonly comesHomeAt: number;
  readonly commuteKm: number;
  /** Works early and late by turns, a week each. */
  readonly shifts: boolean;
  /** Probability of going out again in the evening of a working day, and of a second outing on others. */
  readonly evening: number;
  readonly secondOuting: number;
  /** By how much outings are farther than those of others. */
  readonly outingFactor: number;
  /** How readily the car is plugged in: probability before what the stay and the trip have to say. */
  readonly plugsIn: number;
  /** Plugs in late in the evening, whenever the car came home. */
  readonly atBedtime: boolean;
  /** Part of the usable battery after which the car is plugged in at the latest. */
  readonly patience: number;
  /** Hours by which the whole household is early or late. */
  readonly shiftHours: number;
}

/** Probability that the car of a household is driven to work (assumption: 60 % of the mix). */
const COMMUTERS: Readonly<Record<string, number>> = {
  single_working: 0.95,
  couple_working: 0.95,
  family_one_child: 0.95,
  family_two_children: 0.95,
  large_family: 0.95,
  home_office: 0.5,
  shift_worker: 1,
  shared_flat: 0.6,
};

/** Spread of the logarithms of yearly home charging and of sessions a week, and their correlation (measured: .69, .83, .63). */
const ENERGY_SPREAD = 0.6;
const SESSION_SPREAD = 1.25;
const SESSION_ENERGY_CORRELATION = 0.62;
/** Home charging of the median car, kWh a year. */
const MEDIAN_KWH = 2200;

/** Draws the habits of the driver of a household's vehicle. */
export function drawDriverHabits(household: Household): DriverHabits {
  const { index, profile } = household;
  const seed = splitSeed(household.seed);
  const archetype = findArchetype(profile) ?? ARCHETYPES[0];
  if (!archetype) throw new RangeError('there are no archetypes');
  const traits = drawTraits(seed, index, archetype);
  const stream = hashStream(seed, index, NOISE_CHANNEL.drivingHabit);
  const uniform = (draw: number): number => hashInStream(stream, draw) / WORD_VALUES;
  const normal = (draw: number): number => normalOfHash(hashInStream(stream, draw));
  const distance = drawLeaning(seed, index, NOISE_CHANNEL.commuteDistance, traits, 0.2);
  return {
    commutes: drawCommutes(seed, index, profile),
    leavesAt: 7.3 + 0.7 * normal(0),
    comesHomeAt: 15.9 + normal(1),
    commuteKm: Math.min(140, 28 * Math.exp(0.65 * distance)),
    shifts: profile === 'shift_worker',
    evening: 0.25 + 0.35 * uniform(2),
    secondOuting: Math.min(0.85, 0.35 + 0.35 * uniform(3) + 0.03 * (traits.persons - 2)),
    outingFactor: 0.8 * Math.exp(0.25 * normal(4)),
    plugsIn: 0.22 * Math.exp(SESSION_SPREAD * sessionDeviate(household.ev_annual_kwh, normal(5))),
    atBedtime: uniform(6) < 0.13,
    patience: 0.38 + 0.32 * uniform(7),
    shiftHours: household.time_shift_minutes / 60,
  };
}

/** Who drives more plugs in more often. */
function sessionDeviate(annualKwh: number, own: number): number {
  const energy = Math.log(Math.max(1, annualKwh) / MEDIAN_KWH) / ENERGY_SPREAD;
  const part = SESSION_ENERGY_CORRELATION;
  return part * Math.min(2, Math.max(-2, energy)) + Math.sqrt(1 - part * part) * own;
}

/** Three to five fixed days of a week; at most two for who works at home. */
function drawCommutes(seed: Seed, index: number, profile: string): boolean[] {
  const stream = hashStream(seed, index, NOISE_CHANNEL.drivingHabit);
  const commutes = new Array<boolean>(7).fill(false);
  if (hashInStream(stream, 20) / WORD_VALUES >= (COMMUTERS[profile] ?? 0)) return commutes;
  const choices = hashInStream(stream, 21) % 3;
  const days = profile === 'home_office' ? 1 + (choices % 2) : 3 + choices;
  const start = hashInStream(stream, 22) % 5;
  // Days off lie together: from some weekday on, round the working week.
  for (let k = 0; k < days; k++) commutes[(start + k) % 5] = true;
  return commutes;
}

/** Energy for a km at 20 °C, kWh: larger batteries sit in larger cars. */
export const kwhPerKmOf = (vehicle: ElectricVehicle): number => 0.155 + 0.0007 * (vehicle.battery_kwh - 40);
