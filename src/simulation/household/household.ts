/** What a household is: everything drawn from (seed, group, index), as plain JSON (docs/simulation.md#households). */
import type { DeviceType } from '../../domain/fleets/devices.ts';
import { drawEquipment } from './equipment.ts';
import { drawHabits } from './habits.ts';
import type { Habits } from './habits.ts';
import { drawLeaning, drawTraits } from './traits.ts';
import type { Battery, ElectricVehicle, PvPlant } from './equipment.ts';
import type { HeatPump } from './heat-pump.ts';
import type { EffectiveDefinition, EffectiveGroup } from '../definition/fleet-definition.ts';
import { assignHouseholdsToGroups } from '../definition/group-membership.ts';
import type { GroupMembership } from '../definition/group-membership.ts';
import { NOISE_CHANNEL, hashCounter, pickIndexByShares, splitSeed, drawUniform } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { createHouseholdLocationLookup } from '../definition/household-location.ts';
import type { LocationSource } from '../definition/household-location.ts';
import type { Density } from '../definition/density.ts';
import { ARCHETYPES } from './profiles.ts';
import type { Archetype } from './profiles.ts';
import { drawVehicleEnergyKwh } from './vehicle-energy.ts';

/**
 * Version of the equations. Those of a released version never change: tests/simulation/model/golden.test.ts holds the
 * hashes of what it computes. (0 and 1 were drafts, 2 is one until the first release.)
 */
export const MODEL_VERSION = 2;

/** Complete in itself: with it and an instant the state of every device follows. Safe to store as JSON. */
export interface Household {
  readonly model_version: number;
  readonly seed: number;
  readonly index: number;
  readonly group: string;
  /** Zero-based index in its group. */
  readonly member: number;
  /** Archetype. */
  readonly profile: string;
  /** Start of the history, milliseconds since 1970, on a quarter hour: counters start and batteries hold the initial charge. */
  readonly anchor_ms: number;
  readonly latitude: number;
  readonly longitude: number;
  readonly country: string | null;
  readonly time_zone: string;
  readonly location_source: LocationSource;
  /** Own consumption in kWh a year, vehicle and heat pump left out. */
  readonly load_annual_kwh: number;
  /** Home charging in kWh a year; 0 without a vehicle. */
  readonly ev_annual_kwh: number;
  readonly time_shift_minutes: number;
  /** Days differ by a factor uniform in 1 ± this. */
  readonly day_variation: number;
  readonly habits: Habits;
  readonly pv: PvPlant;
  readonly battery: Battery;
  readonly electric_vehicle: ElectricVehicle | null;
  readonly heat_pump: HeatPump | null;
}

/** The devices of a household, in the order of DEVICE_TYPES. */
export function listDeviceTypes(household: Household): DeviceType[] {
  const types: DeviceType[] = [];
  if (household.electric_vehicle) types.push('electric_vehicle');
  if (household.heat_pump) types.push('heat_pump');
  types.push('inverter');
  if (household.electric_vehicle) types.push('wallbox');
  return types;
}

/**
 * All households of a fleet. `density` is what resolveDefinition returned, `anchor` the start of the history
 * (computeHistoryWindow), `expansions` the counts of the expand calls; `from` skips those that exist already.
 */
export function buildHouseholds(
  definition: EffectiveDefinition,
  density: Density | null,
  anchor: Date,
  expansions: readonly number[] = [],
  from = 0,
): Household[] {
  const locationOf = createHouseholdLocationLookup(definition, density, splitSeed(definition.seed));
  const members = assignHouseholdsToGroups(definition.groups, expansions).slice(from);
  return members.map((membership) => buildHousehold(definition, membership, locationOf, anchor));
}

function buildHousehold(
  definition: EffectiveDefinition,
  membership: GroupMembership,
  locationOf: ReturnType<typeof createHouseholdLocationLookup>,
  anchor: Date,
): Household {
  const group = definition.groups[membership.groupIndex];
  if (!group) throw new RangeError(`no group ${membership.groupIndex}`);
  const seed = splitSeed(definition.seed);
  const { index, member } = membership;
  const archetype = drawArchetype(group, seed, index);
  const ownsVehicle = ownsElectricVehicle(
    definition.ev_ownership_fraction,
    seed,
    membership.groupIndex,
    member,
  );
  const where = locationOf(index);
  const plainKwh =
    group.annual_consumption_kwh ??
    definition.annual_consumption_kwh ??
    drawAnnualConsumption(archetype, seed, index);
  const withEv = group.annual_consumption_with_ev_kwh ?? definition.annual_consumption_with_ev_kwh;
  const traits = drawTraits(seed, index, archetype);
  const totalKwh = withEv ?? plainKwh + drawVehicleEnergyKwh(seed, index, archetype, traits);
  const loadKwh = ownsVehicle ? Math.min(plainKwh, totalKwh) : plainKwh;
  const factor = drawConsumptionFactor(group.variation_fraction, seed, membership.groupIndex, member);
  const shift = (2 * drawUniform(seed, index, NOISE_CHANNEL.timeShift) - 1) * group.max_time_shift_minutes;
  return {
    model_version: MODEL_VERSION,
    seed: definition.seed,
    index,
    group: group.name,
    member,
    profile: archetype.name,
    anchor_ms: anchor.getTime(),
    latitude: where.latitude,
    longitude: where.longitude,
    country: where.country,
    time_zone: where.time_zone,
    location_source: where.source,
    load_annual_kwh: round(loadKwh * factor, 3),
    ev_annual_kwh: ownsVehicle ? round((totalKwh - loadKwh) * factor, 3) : 0,
    time_shift_minutes: round(shift, 2),
    day_variation: group.variation_fraction / 2,
    habits: drawHabits(seed, index, archetype.name),
    ...drawEquipment(definition, seed, index, where, traits, ownsVehicle),
  };
}

const round = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits;

/** Of the logarithm of the consumption of households of one size (assumption), and its correlation with affluence. */
const CONSUMPTION_DEVIATION = 0.3;
const CONSUMPTION_LOADING = 0.6;

/** Consumption in kWh a year where nobody says how much: lognormal, its mean that of the archetype. */
function drawAnnualConsumption(archetype: Archetype, seed: Seed, index: number): number {
  const traits = drawTraits(seed, index, archetype);
  const z = drawLeaning(seed, index, NOISE_CHANNEL.annualConsumption, traits, CONSUMPTION_LOADING);
  return archetype.annualKwh * Math.exp(CONSUMPTION_DEVIATION * z - CONSUMPTION_DEVIATION ** 2 / 2);
}

function drawArchetype(group: EffectiveGroup, seed: Seed, index: number): Archetype {
  const named = ARCHETYPES.findIndex((archetype) => archetype.name === group.profile);
  const chosen =
    named >= 0
      ? named
      : pickIndexByShares(
          archetypeShares(group.weights),
          hashCounter(seed, index, NOISE_CHANNEL.archetype, 0),
        );
  const archetype = ARCHETYPES[chosen];
  if (!archetype) throw new RangeError(`no archetype ${chosen}`);
  return archetype;
}

/** Frequencies as integers of a billionth, so that the choice does not depend on rounding. */
function archetypeShares(weights: readonly number[] | null): number[] {
  if (!weights) return ARCHETYPES.map((archetype) => archetype.sharePercent);
  const largest = weights.reduce((a, b) => Math.max(a, b), 0);
  return weights.map((weight) => Math.round((weight / largest) * 1e9));
}

/** Antithetic pairs in a group: members 2k and 2k+1 have 1 + x and 1 - x, so every even prefix means exactly 1. */
function drawConsumptionFactor(fraction: number, seed: Seed, groupIndex: number, member: number): number {
  const x = (2 * drawUniform(seed, groupIndex, NOISE_CHANNEL.variation, member >> 1) - 1) * fraction;
  return member % 2 === 0 ? 1 + x : 1 - x;
}

/**
 * Systematic sampling (docs/simulation.md#households): member j owns a vehicle when floor((j+1)f+u) > floor(jf+u); f and u are integers of
 * 2^-20, and each prefix of a group has its share to within one.
 */
export function ownsElectricVehicle(
  fraction: number,
  seed: Seed,
  groupIndex: number,
  member: number,
): boolean {
  const one = 1 << 20;
  const step = Math.round(fraction * one);
  const offset = hashCounter(seed, groupIndex, NOISE_CHANNEL.evOwnership, 0) % one;
  return Math.floor(((member + 1) * step + offset) / one) > Math.floor((member * step + offset) / one);
}
