import { BoundedCache } from '../simulation/kernel/bounded-cache.ts';
import { alwaysMid } from '../simulation/devices/schedule-states.ts';
import type { ScheduleState } from '../simulation/devices/schedule-states.ts';
import type { Household } from '../simulation/household/household.ts';
import { createModelledHousehold } from '../simulation/model/device-state.ts';
import type { ModelledHousehold } from '../simulation/model/device-state.ts';
import { parseStoredHousehold } from '../simulation/model/model-versions.ts';

interface CachedHousehold {
  readonly household: Household;
  /** Its models by their schedules: one goes with its schedule, and with that the prices that it was planned with. */
  readonly models: WeakMap<(at: Date) => ScheduleState, ModelledHousehold>;
}

/** The households asked for last, with their models, which remember the days they have computed. */
const cache = new BoundedCache<string, CachedHousehold>(1000);

/** A row of a household or of one of its devices. */
interface HouseholdRow {
  /** The simulation organization. */
  readonly org_id: string;
  /** What was drawn for the household, as it is stored; null for a device that is not simulated. */
  readonly attributes: unknown;
}

/**
 * The household of a row, validated; undefined for a device that is not simulated. The same household gives the same
 * object again for as long as it is cached. Throws a RangeError when it is stored in a wrong shape.
 */
export function findStoredHousehold(row: HouseholdRow): Household | undefined {
  return findCached(row)?.household;
}

/**
 * The household of a row with its model under a schedule of its heat pump; undefined for a device that is not simulated.
 * Give the same function object for as long as it means the same: the model is created again for another one.
 */
export function findModelledHousehold(
  row: HouseholdRow,
  scheduleOf?: (household: Household) => (at: Date) => ScheduleState,
): ModelledHousehold | undefined {
  const cached = findCached(row);
  if (cached === undefined) return undefined;
  const { household } = cached;
  // Without a heat pump the schedule changes nothing.
  const scheduleState = (household.heat_pump && scheduleOf?.(household)) ?? alwaysMid;
  const known = cached.models.get(scheduleState);
  if (known !== undefined) return known;
  const modelled = createModelledHousehold(household, scheduleState);
  cached.models.set(scheduleState, modelled);
  return modelled;
}

function findCached({ org_id, attributes }: HouseholdRow): CachedHousehold | undefined {
  if (attributes === null) return undefined;
  return cache.getOrCompute(`${org_id} ${identityOf(attributes)}`, () => ({
    household: parseStoredHousehold(attributes),
    models: new WeakMap(),
  }));
}

/**
 * What distinguishes the households of an organization. Its fleet has one definition, from which all of a household follows
 * once its group and its number in it are known: a later expansion may give an index to another group.
 */
function identityOf(attributes: unknown): string {
  const { model_version, seed, anchor_ms, index, group, member, profile } = (attributes ??
    {}) as Partial<Household>;
  return [model_version, seed, anchor_ms, index, member, profile, group].join(' ');
}
