/** The versions of the model, and the one way from a stored household to its version. */
import type { Steering } from '../control/steering.ts';
import type { Household } from '../household/household.ts';
import { parseHouseholdOfVersion2 } from '../household/stored-household.ts';
import { createHouseholdModel } from './model.ts';
import type { HouseholdModel } from './model.ts';

/** What a released version of the model does; none of it ever changes. */
export interface ModelVersion {
  /** Reads a stored household. Throws a RangeError that names the field that is wrong. */
  readonly parseHousehold: (attributes: unknown) => Household;
  readonly createModel: (household: Household, steering: Steering) => HouseholdModel;
}

export type ModelVersions = ReadonlyMap<number, ModelVersion>;

/** All released versions, by their number. */
export const MODEL_VERSIONS: ModelVersions = new Map([
  [2, { parseHousehold: parseHouseholdOfVersion2, createModel: createHouseholdModel }],
]);

/**
 * A household read from the JSON in which it is stored, by the version of the model that drew it. Throws a RangeError
 * that names the version when it is unknown, or the field that is wrong.
 */
export function parseStoredHousehold(
  attributes: unknown,
  versions: ModelVersions = MODEL_VERSIONS,
): Household {
  const { model_version: version } = (attributes ?? {}) as Partial<Household>;
  return requireModelVersion(version, versions).parseHousehold(attributes);
}

/** The model of a household, by the version that drew it. Throws a RangeError when the version is unknown. */
export function createModelOfVersion(
  household: Household,
  steering: Steering,
  versions: ModelVersions = MODEL_VERSIONS,
): HouseholdModel {
  return requireModelVersion(household.model_version, versions).createModel(household, steering);
}

function requireModelVersion(version: number | undefined, versions: ModelVersions): ModelVersion {
  const found = version === undefined ? undefined : versions.get(version);
  if (found !== undefined) return found;
  const known = [...versions.keys()].join(', ');
  throw new RangeError(
    `A stored household is of model version ${version ?? '(none)'}; the versions known are ${known}.`,
  );
}
