import { childPlace, followReference, readKeyword, readMap } from './schemas/place.ts';
import type { Place } from './schemas/place.ts';

/**
 * The properties that all values of the old schema could have and that the new one does not name any more, in none of its parts and
 * alternatives, each where it stood.
 */
export function listGoneProperties(old: Place, next: Place): ReadonlyMap<string, Place> {
  const kept = listProperties(next, [...COMMON_PARTS, ...OTHER_PARTS]);
  return new Map([...listProperties(old, COMMON_PARTS)].filter(([name]) => !kept.has(name)));
}

/** Whether a schema names properties that all its values may have. */
export function hasProperties(place: Place): boolean {
  return listProperties(place, COMMON_PARTS).size > 0;
}

/** Keywords below which schemas stand that hold for each value. */
const COMMON_PARTS = ['$ref', 'allOf'];
/** And those below which schemas stand that hold for some values. */
const OTHER_PARTS = ['anyOf', 'oneOf', 'then', 'else', 'dependentSchemas'];

/** The properties in a schema and its parts. What is only refused (`false`) is none. */
function listProperties(schema: Place, parts: readonly string[]): ReadonlyMap<string, Place> {
  const found = new Map<string, Place>();
  const seen = new Set<unknown>();
  const visit = (place: Place): void => {
    if (seen.has(place.schema)) return;
    seen.add(place.schema);
    for (const [name, value] of Object.entries(readMap(place.schema, 'properties')))
      if (value !== false && !found.has(name)) found.set(name, childPlace(place, 'properties', name));
    for (const keyword of parts) listBelow(place, keyword).forEach(visit);
  };
  visit(schema);
  return found;
}

/** The schemas below a keyword, whether it has one, a list or a map of them. */
function listBelow(place: Place, keyword: string): readonly Place[] {
  const value = readKeyword(place.schema, keyword);
  if (value === undefined) return [];
  if (typeof value === 'string') return [followReference(place.root, value)];
  if (Array.isArray(value)) return value.map((_, index) => childPlace(place, keyword, index));
  return keyword === 'dependentSchemas'
    ? Object.keys(value as object).map((name) => childPlace(place, keyword, name))
    : [childPlace(place, keyword)];
}
