/** The form in which a definition is stored with its fleet: plain JSON, the weights of the density beside it as they were sent. */
import { unpackDensityWeights } from './density-weights.ts';
import { prepareDensity } from './density.ts';
import type { Density } from './density.ts';
import type { EffectiveDefinition } from './fleet-definition.ts';

export interface StoredDefinition {
  readonly definition: EffectiveDefinition;
  /** Households of each expansion, in order. With the groups they fix the group of every household. */
  readonly expansions: readonly number[];
}

/** What is stored with a new fleet, which no expansion has enlarged yet. */
export function toStoredDefinition(definition: EffectiveDefinition): StoredDefinition {
  return { definition, expansions: [] };
}

/**
 * The stored definition of a fleet, read from its JSON. Throws a RangeError that names what is missing when it is none.
 */
export function parseStoredDefinition(json: unknown): StoredDefinition {
  const stored = json as Partial<StoredDefinition> | null;
  if (typeof stored?.definition !== 'object')
    throw new RangeError('The stored definition has no definition.');
  if (!Array.isArray(stored.expansions)) throw new RangeError('The stored definition has no expansions.');
  return stored as StoredDefinition;
}

/** The definition of a fleet that grows by `count` households. */
export function withHouseholdsAdded(stored: StoredDefinition, count: number): StoredDefinition {
  return { ...stored, expansions: [...stored.expansions, count] };
}

/** The definition of a fleet whose expansion under way is dropped. */
export function withoutLastExpansion(stored: StoredDefinition): StoredDefinition {
  return { ...stored, expansions: stored.expansions.slice(0, -1) };
}

/**
 * The density of a stored definition, made ready for drawing locations; null without one. `sentWeights` are
 * its bytes, plain or compressed. Throws a RangeError when they do not fit the definition.
 */
export function restoreDensity(
  { definition: { density } }: StoredDefinition,
  sentWeights: Uint8Array | null,
): Density | null {
  if (density === null || sentWeights === null) return null;
  const weights = unpackDensityWeights(sentWeights, density.grid.rows * density.grid.cols);
  if (!(weights instanceof Uint8Array)) throw new RangeError(weights.detail);
  const prepared = prepareDensity(density.country, density.grid, weights);
  if ('errors' in prepared) throw new RangeError(prepared.errors.map(({ detail }) => detail).join(' '));
  return prepared.density;
}
