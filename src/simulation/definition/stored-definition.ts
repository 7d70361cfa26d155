/** The form in which a definition is kept with its fleet: plain JSON, the weights of the density beside it as bytes. */
import type { DefinitionRecord, DensityRecord } from './definition-record.ts';
import { toDefinitionRecord, toGroupRecord } from './definition-record.ts';
import { decodeDensityWeights } from './density-weights.ts';
import type { Density } from './density.ts';
import { decodeDensity } from './density.ts';
import type { EffectiveDefinition } from './fleet-definition.ts';

export interface StoredDefinition {
  readonly definition: Omit<EffectiveDefinition, 'density'> & { readonly density: DensityRecord | null };
  /** Households of each expansion, in order. With the groups they fix the place of every household. */
  readonly expansions: readonly number[];
}

/** What a new fleet keeps; `weights` is one byte for each cell, null without a density. */
export function toStoredDefinition(definition: EffectiveDefinition): {
  kept: StoredDefinition;
  weights: Uint8Array | null;
} {
  const { density } = definition;
  const weights = density && decodeDensityWeights(density.weights, density.grid.rows * density.grid.cols);
  if (weights !== null && !(weights instanceof Uint8Array)) throw new RangeError(weights.detail);
  const record = toDefinitionRecord(definition).density;
  return { kept: { definition: { ...definition, density: record }, expansions: [] }, weights };
}

/** The definition as resolveDefinition returned it, with the density made ready for drawing. */
export function restoreDefinition(
  { definition: kept }: StoredDefinition,
  weights: Uint8Array | null,
): { definition: EffectiveDefinition; density: Density | null } {
  const record = kept.density;
  if (record === null || weights === null) return { definition: { ...kept, density: null }, density: null };
  const raster = {
    country: record.country,
    dataset_version: record.dataset_version,
    boundary_version: record.boundary_version,
    grid: record.grid,
    weights: Buffer.from(weights).toString('base64'),
  };
  const read = decodeDensity(raster);
  if ('errors' in read) throw new RangeError(read.errors.map(({ detail }) => detail).join(' '));
  return { definition: { ...kept, density: raster }, density: read.density };
}

/** The definition as the fleet record shows it: without what was derived from it. */
export function storedDefinitionToRecord({ definition }: StoredDefinition): DefinitionRecord {
  return {
    ...definition,
    groups: definition.groups.filter((group) => !group.implicit).map(toGroupRecord),
  };
}
