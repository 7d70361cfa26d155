import { accepts, atomOf, ATOMS, atomsOfType } from './accepts.ts';
import type { Atom } from './accepts.ts';
import { childPlace, followReference, isRecord, readKeyword, readList, readNumber } from './place.ts';
import type { Place, Schema } from './place.ts';
import { isAssertion } from './canonical.ts';

/**
 * Schemas that hold together, none with `$ref` or `allOf` at its top. An instance is valid for them when it is for each.
 */
export type Conjuncts = readonly Place[];

const bare = new WeakMap<object, Schema>();

/** A schema as conjuncts: references followed and `allOf` taken apart. The schema `true` has none. */
export function toConjuncts(place: Place): Conjuncts {
  const { schema, root } = place;
  if (typeof schema === 'boolean') return schema ? [] : [place];
  const parts: Place[] = [];
  if (typeof schema['$ref'] === 'string') parts.push(...toConjuncts(followReference(root, schema['$ref'])));
  readList(schema, 'allOf').forEach((_, index) => {
    parts.push(...toConjuncts(childPlace(place, 'allOf', index)));
  });
  const rest = withoutParts(schema);
  return Object.keys(rest).some(isAssertion) ? [...parts, { ...place, schema: rest }] : parts;
}

/** The same object each time, so that what is known of it is found again. */
function withoutParts(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!('$ref' in schema) && !('allOf' in schema)) return schema;
  let rest = bare.get(schema);
  if (rest === undefined) {
    rest = Object.fromEntries(Object.entries(schema).filter(([each]) => each !== '$ref' && each !== 'allOf'));
    bare.set(schema, rest);
  }
  return rest as Readonly<Record<string, unknown>>;
}

/** The types that an instance may have. */
export function atomsOf(conjuncts: Conjuncts): ReadonlySet<Atom> {
  let atoms = new Set(ATOMS);
  for (const { schema } of conjuncts) {
    if (schema === false) return new Set();
    const type = readKeyword(schema, 'type') as string | readonly string[] | undefined;
    if (type !== undefined) atoms = keep(atoms, [type].flat().flatMap(atomsOfType));
    const excluded = excludedType(schema);
    if (excluded !== undefined)
      atoms = keep(
        atoms,
        ATOMS.filter((atom) => !atomsOfType(excluded).includes(atom)),
      );
    const values = listOwnValues(schema);
    if (values !== undefined) atoms = keep(atoms, values.map(atomOf));
  }
  return atoms;
}

/** The type of `not: { type: … }`, which says exactly that values have another one. */
function excludedType(schema: Schema): string | undefined {
  const excluded = readKeyword(schema, 'not');
  if (!isRecord(excluded) || Object.keys(excluded).length !== 1) return undefined;
  return typeof excluded['type'] === 'string' ? excluded['type'] : undefined;
}

function keep(atoms: ReadonlySet<Atom>, allowed: readonly Atom[]): Set<Atom> {
  return new Set(allowed.filter((atom) => atoms.has(atom)));
}

function listOwnValues(schema: Schema): readonly unknown[] | undefined {
  const constant = readKeyword(schema, 'const');
  if (constant !== undefined) return [constant];
  const values = readKeyword(schema, 'enum');
  return Array.isArray(values) ? (values as unknown[]) : undefined;
}

/** All instances, where there are few: those of `enum`, `const`, null and booleans. Undefined where there are many. */
export function listValues(conjuncts: Conjuncts): readonly unknown[] | undefined {
  const lists = conjuncts.flatMap(({ schema }) => {
    const values = listOwnValues(schema);
    return values === undefined ? [] : [values];
  });
  const atoms = atomsOf(conjuncts);
  let candidates = lists[0];
  if (candidates === undefined && [...atoms].every((atom) => atom === 'null' || atom === 'boolean'))
    candidates = [...(atoms.has('null') ? [null] : []), ...(atoms.has('boolean') ? [true, false] : [])];
  return candidates?.filter((value) => conjuncts.every((place) => accepts(place, value)));
}

/** A bound of the numbers or lengths that conjuncts take; exclusive when the bound itself is not taken. */
export interface Bound {
  readonly value: number;
  readonly isExclusive: boolean;
}

/** The greatest lower bound that holds; -Infinity where there is none. */
export function lowerBound(conjuncts: Conjuncts): Bound {
  return strictest(conjuncts, 'minimum', 'exclusiveMinimum', -Infinity, (a, b) => a > b);
}

/** The least upper bound that holds; Infinity where there is none. */
export function upperBound(conjuncts: Conjuncts): Bound {
  return strictest(conjuncts, 'maximum', 'exclusiveMaximum', Infinity, (a, b) => a < b);
}

function strictest(
  conjuncts: Conjuncts,
  inclusive: string,
  exclusive: string,
  none: number,
  isStricter: (a: number, b: number) => boolean,
): Bound {
  let bound: Bound = { value: none, isExclusive: false };
  for (const { schema } of conjuncts)
    for (const [keyword, isExclusive] of [
      [inclusive, false],
      [exclusive, true],
    ] as const) {
      const value = readNumber(schema, keyword);
      if (value === undefined) continue;
      if (isStricter(value, bound.value) || (value === bound.value && isExclusive))
        bound = { value, isExclusive };
    }
  return bound;
}

/** The greatest of a keyword's values, such as `minLength`. */
export function greatest(conjuncts: Conjuncts, keyword: string, least = 0): number {
  return Math.max(least, ...conjuncts.map(({ schema }) => readNumber(schema, keyword) ?? least));
}

/** The least of a keyword's values, such as `maxLength`. */
export function least(conjuncts: Conjuncts, keyword: string): number {
  return Math.min(Infinity, ...conjuncts.map(({ schema }) => readNumber(schema, keyword) ?? Infinity));
}

/** The names that every object has. */
export function requiredNames(conjuncts: Conjuncts): ReadonlySet<string> {
  return new Set(conjuncts.flatMap(({ schema }) => readList(schema, 'required') as string[]));
}

/** What an object that is always empty says of its properties: no value fits. */
function withoutValues(conjuncts: Conjuncts): Conjuncts {
  return conjuncts.map((place) => ({ ...place, schema: false }));
}

/** What conjuncts say of a property: one schema for each that says something. */
export function propertyOf(conjuncts: Conjuncts, name: string): Conjuncts {
  if (least(conjuncts, 'maxProperties') < 1) return withoutValues(conjuncts);
  return conjuncts.flatMap((place) => {
    const found: Place[] = [];
    const properties = readKeyword(place.schema, 'properties') as object | undefined;
    const isDeclared = properties !== undefined && Object.hasOwn(properties, name);
    if (isDeclared) found.push(childPlace(place, 'properties', name));
    const patterns = Object.keys(readKeyword(place.schema, 'patternProperties') ?? {});
    const fitting = patterns.filter((pattern) => new RegExp(pattern, 'u').test(name));
    found.push(...fitting.map((pattern) => childPlace(place, 'patternProperties', pattern)));
    const others = readKeyword(place.schema, 'additionalProperties');
    if (found.length === 0 && others !== undefined) found.push(childPlace(place, 'additionalProperties'));
    return found;
  });
}

/** What conjuncts say of properties that none of them names. */
export function otherProperties(conjuncts: Conjuncts): Conjuncts {
  if (least(conjuncts, 'maxProperties') < 1) return withoutValues(conjuncts);
  return conjuncts.flatMap((place) =>
    readKeyword(place.schema, 'additionalProperties') === undefined
      ? []
      : [childPlace(place, 'additionalProperties')],
  );
}

/** The names that `properties` of any conjunct has. */
export function declaredNames(conjuncts: Conjuncts): ReadonlySet<string> {
  return new Set(conjuncts.flatMap(({ schema }) => Object.keys(readKeyword(schema, 'properties') ?? {})));
}

/** What conjuncts say of the item at an index. */
export function itemOf(conjuncts: Conjuncts, index: number): Conjuncts {
  return conjuncts.flatMap((place) => {
    if (index < readList(place.schema, 'prefixItems').length)
      return [childPlace(place, 'prefixItems', index)];
    return readKeyword(place.schema, 'items') === undefined ? [] : [childPlace(place, 'items')];
  });
}
