import { UNCONTROLLED } from '../simulation/control/household-control.ts';
import { UNSTEERED } from '../simulation/control/steering.ts';
import type { Steering } from '../simulation/control/steering.ts';
import type { Household } from '../simulation/household/household.ts';
import { SharedCache } from '../domain/caches/shared-cache.ts';
import { createModelledHousehold } from '../simulation/model/device-state.ts';
import type { ModelledHousehold } from '../simulation/model/device-state.ts';
import { parseStoredHousehold } from '../simulation/model/model-versions.ts';
import { BYTES_OF_HOUSEHOLD, bytesOfModel } from './model-bytes.ts';

interface CachedHousehold {
  readonly household: Household;
  /** Its model by what steers it: it goes with that, and with the prices that it was planned with. */
  readonly models: WeakMap<Steering, ModelledHousehold>;
}

/** Bytes of the households asked for last, with the model of each, which remembers the days that it has computed. */
const REMEMBERED_BYTES = 64 * 1_048_576;
type HouseholdCache = SharedCache<CachedHousehold>;
export const createHouseholdCache = (): HouseholdCache => new SharedCache(REMEMBERED_BYTES);
const remembered = createHouseholdCache();

/** A row of a household or of one of its devices. */
interface HouseholdRow {
  /** The simulation organization. */
  readonly org_id: string;
  /** What was drawn for the household, as it is stored; null for a device that is not simulated. */
  readonly attributes: unknown;
}

/**
 * The household of a row, validated; undefined for a device that is not simulated. The same household gives the same
 * object again for as long as it is cached, among those of its organization's partner. Throws a RangeError when it is stored in
 * a wrong shape.
 */
export function findStoredHousehold(row: HouseholdRow, partnerId: string): Household | undefined {
  return findCached(row, partnerId, remembered)?.household;
}

/** Whether anything steers a household: the prices that its heat pump follows, or what was asked of it. */
export function isSteered(
  { control_version: version }: { readonly control_version: number | null },
  household: Household,
): boolean {
  return household.heat_pump !== null || (version ?? 0) > 0;
}

/**
 * The household of a row with its model under what steers it; undefined for a device that is not simulated. Give the same
 * object for as long as it means the same: for another one the model is created again, and the one before is forgotten.
 */
export function findModelledHousehold(
  row: HouseholdRow,
  partnerId: string,
  steeringOf?: (household: Household) => Steering,
  cache = remembered,
): ModelledHousehold | undefined {
  const cached = findCached(row, partnerId, cache);
  if (cached === undefined) return undefined;
  const { household } = cached;
  const asked = steeringOf?.(household) ?? UNSTEERED;
  // Without a heat pump nothing follows prices unless it is told to.
  const steering = household.heat_pump || asked.control !== UNCONTROLLED ? asked : UNSTEERED;
  const known = cached.models.get(steering);
  if (known !== undefined) return known;
  const modelled = createModelledHousehold(household, steering);
  const models = new WeakMap([[steering, modelled]]);
  cache.set(keyOf(row), { household, models }, partnerId, bytesOfModel(household, steering));
  return modelled;
}

function findCached(
  row: HouseholdRow,
  partnerId: string,
  cache: HouseholdCache,
): CachedHousehold | undefined {
  if (row.attributes === null) return undefined;
  const read = (): CachedHousehold => ({
    household: parseStoredHousehold(row.attributes),
    models: new WeakMap(),
  });
  return cache.getOrCompute(keyOf(row), partnerId, read, BYTES_OF_HOUSEHOLD);
}

const keyOf = ({ org_id, attributes }: HouseholdRow): string => `${org_id} ${identityOf(attributes)}`;

/**
 * What distinguishes the households of an organization. Its fleet has one definition, from which all of a household follows
 * once its group and its number in it are known: a later expansion may give an index to another group.
 */
function identityOf(attributes: unknown): string {
  const { model_version, seed, anchor_ms, index, group, member, profile } = (attributes ??
    {}) as Partial<Household>;
  return [model_version, seed, anchor_ms, index, member, profile, group].join(' ');
}
