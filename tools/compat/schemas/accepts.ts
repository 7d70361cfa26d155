import { isDeepStrictEqual } from 'node:util';
import { childPlace, followReference, isRecord, readKeyword, readList, readMap } from './place.ts';
import type { Place } from './place.ts';

/**
 * Whether a schema takes a value. Formats are not looked at: whoever needs to be certain of one asks for the same format on
 * both sides.
 */
export function accepts(place: Place, value: unknown): boolean {
  const { schema } = place;
  if (typeof schema === 'boolean') return schema;
  return Object.keys(schema).every((keyword) => acceptsKeyword(place, keyword, value));
}

type Check = (value: unknown, limit: never, place: Place) => boolean;

/** What a keyword asks of a value; a keyword that does not concern the value's type asks nothing. */
const CHECKS: Readonly<Record<string, Check>> = {
  $ref: (value, limit: string, { root }) => accepts(followReference(root, limit), value),
  type: (value, limit: string | readonly string[]) =>
    [limit].flat().some((type) => atomsOfType(type).includes(atomOf(value))),
  const: (value, limit: unknown) => isDeepStrictEqual(value, limit),
  enum: (value, limit: readonly unknown[]) => limit.some((each) => isDeepStrictEqual(value, each)),
  minimum: (value, limit: number) => typeof value !== 'number' || value >= limit,
  maximum: (value, limit: number) => typeof value !== 'number' || value <= limit,
  exclusiveMinimum: (value, limit: number) => typeof value !== 'number' || value > limit,
  exclusiveMaximum: (value, limit: number) => typeof value !== 'number' || value < limit,
  multipleOf: (value, limit: number) => typeof value !== 'number' || Number.isInteger(value / limit),
  minLength: (value, limit: number) => typeof value !== 'string' || countCharacters(value) >= limit,
  maxLength: (value, limit: number) => typeof value !== 'string' || countCharacters(value) <= limit,
  pattern: (value, limit: string) => typeof value !== 'string' || new RegExp(limit, 'u').test(value),
  minItems: (value, limit: number) => !Array.isArray(value) || value.length >= limit,
  maxItems: (value, limit: number) => !Array.isArray(value) || value.length <= limit,
  uniqueItems: (value, limit: boolean) => !limit || !Array.isArray(value) || areUnique(value),
  minProperties: (value, limit: number) => !isRecord(value) || Object.keys(value).length >= limit,
  maxProperties: (value, limit: number) => !isRecord(value) || Object.keys(value).length <= limit,
  required: (value, limit: readonly string[]) =>
    !isRecord(value) || limit.every((name) => Object.hasOwn(value, name)),
  allOf: (value, limit: readonly unknown[], place) =>
    limit.every((_, index) => accepts(childPlace(place, 'allOf', index), value)),
  anyOf: (value, limit: readonly unknown[], place) =>
    limit.some((_, index) => accepts(childPlace(place, 'anyOf', index), value)),
  oneOf: (value, limit: readonly unknown[], place) =>
    limit.filter((_, index) => accepts(childPlace(place, 'oneOf', index), value)).length === 1,
  not: (value, _limit: unknown, place) => !accepts(childPlace(place, 'not'), value),
  if: (value, _limit: unknown, place) => acceptsCondition(place, value),
  properties: (value, _limit: unknown, place) => acceptsMembers(place, value),
  additionalProperties: (value, _limit: unknown, place) => acceptsMembers(place, value),
  items: (value, _limit: unknown, place) => acceptsItems(place, value),
  prefixItems: (value, _limit: unknown, place) => acceptsItems(place, value),
};

/** Whether `acceptsKeyword` looks at the keyword at all. */
export function isChecked(keyword: string): boolean {
  return Object.hasOwn(CHECKS, keyword);
}

/** Whether what one keyword of a schema says, together with those that belong to it, takes a value. */
export function acceptsKeyword(place: Place, keyword: string, value: unknown): boolean {
  const check = CHECKS[keyword];
  return check === undefined || check(value, readKeyword(place.schema, keyword) as never, place);
}

/** Types so fine that each value has one: numbers are `integer` or `fraction`. */
export type Atom = 'null' | 'boolean' | 'integer' | 'fraction' | 'string' | 'array' | 'object';
export const ATOMS: readonly Atom[] = ['null', 'boolean', 'integer', 'fraction', 'string', 'array', 'object'];

export function atomsOfType(type: string): readonly Atom[] {
  return type === 'number' ? ['integer', 'fraction'] : ATOMS.filter((atom) => atom === type);
}

export function atomOf(value: unknown): Atom {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  return typeof value as Atom;
}

/** JSON Schema counts characters, not UTF-16 units. */
export function countCharacters(text: string): number {
  return Array.from(text).length;
}

function areUnique(values: readonly unknown[]): boolean {
  return values.every((value, index) =>
    values.slice(index + 1).every((other) => !isDeepStrictEqual(value, other)),
  );
}

function acceptsCondition(place: Place, value: unknown): boolean {
  const branch = accepts(childPlace(place, 'if'), value) ? 'then' : 'else';
  return readKeyword(place.schema, branch) === undefined || accepts(childPlace(place, branch), value);
}

function acceptsMembers(place: Place, value: unknown): boolean {
  if (!isRecord(value)) return true;
  const declared = readMap(place.schema, 'properties');
  const patterns = Object.keys(readMap(place.schema, 'patternProperties'));
  return Object.entries(value).every(([name, member]) => {
    if (Object.hasOwn(declared, name)) return accepts(childPlace(place, 'properties', name), member);
    if (patterns.some((pattern) => new RegExp(pattern, 'u').test(name))) return true;
    const others = readKeyword(place.schema, 'additionalProperties');
    return others === undefined || accepts(childPlace(place, 'additionalProperties'), member);
  });
}

function acceptsItems(place: Place, value: unknown): boolean {
  if (!Array.isArray(value)) return true;
  const first = readList(place.schema, 'prefixItems').length;
  const rest = readKeyword(place.schema, 'items');
  return value.every((item, index) => {
    if (index < first) return accepts(childPlace(place, 'prefixItems', index), item);
    return rest === undefined || accepts(childPlace(place, 'items'), item);
  });
}
