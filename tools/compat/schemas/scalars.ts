import { atomsOf, greatest, least, listValues, lowerBound, upperBound } from './conjuncts.ts';
import { atomsOfType, countCharacters } from './accepts.ts';
import type { Atom } from './accepts.ts';
import { gapAt } from './gap.ts';
import type { Comparison, Gap, Subject } from './gap.ts';
import { readKeyword, readNumber } from './place.ts';

/** Proves one keyword of the outer schema. */
export type KeywordCheck = (comparison: Comparison) => readonly Gap[];

/** Formats whose values all are values of another one, too. */
const WIDER_FORMATS: Readonly<Record<string, readonly string[]>> = {
  int32: ['int64', 'float', 'double'],
  int64: ['double'],
  float: ['double'],
  'date-time': ['instant'],
  uri: ['uri-reference', 'iri', 'iri-reference'],
  email: ['idn-email'],
  hostname: ['idn-hostname'],
};

const WHOLE_NUMBERS: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-2147483648, 2147483647],
  int64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
};

const proveType: KeywordCheck = (comparison) => {
  const { inner, outer } = comparison;
  const type = readKeyword(outer.schema, 'type') as string | readonly string[];
  const allowed: ReadonlySet<Atom> = new Set([type].flat().flatMap(atomsOfType));
  const missing = [...atomsOf(inner)].filter((atom) => !allowed.has(atom));
  const gaps: Gap[] = [];
  const values = { inner: describeTypes(inner), outer: type };
  if (missing.includes('null')) gaps.push(gapAt(comparison, 'null', values));
  if (missing.some((atom) => atom !== 'null')) gaps.push(gapAt(comparison, 'type', values));
  return gaps;
};

function describeTypes(inner: Comparison['inner']): unknown {
  const named = inner.map(({ schema }) => readKeyword(schema, 'type')).find((type) => type !== undefined);
  return named ?? [...atomsOf(inner)];
}

function proveValues(subject: Subject, keyword: string): KeywordCheck {
  return (comparison) => {
    const { inner, outer } = comparison;
    const given = inner.map(({ schema }) => readKeyword(schema, keyword)).find((each) => each !== undefined);
    return [gapAt(comparison, subject, { inner: given, outer: readKeyword(outer.schema, keyword) })];
  };
}

/** A bound of numbers: `isMet` tells whether the inner bound implies the outer one. */
function proveBound(keyword: 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum'): KeywordCheck {
  const isLower = keyword.endsWith('inimum');
  const isExclusive = keyword.startsWith('exclusive');
  return (comparison) => {
    const { inner, outer } = comparison;
    const limit = readNumber(outer.schema, keyword) ?? 0;
    const bound = isLower ? lowerBound(inner) : upperBound(inner);
    // Whole numbers beyond an exclusive bound begin with the next one.
    const isWhole = !atomsOf(inner).has('fraction') && Number.isInteger(bound.value);
    const step = isWhole && bound.isExclusive ? 1 : 0;
    const value = isLower ? bound.value + step : bound.value - step;
    const isBeyond = isLower ? value > limit : value < limit;
    if (isBeyond || (value === limit && (!isExclusive || (bound.isExclusive && step === 0)))) return [];
    const given = Number.isFinite(bound.value) ? bound.value : undefined;
    return [gapAt(comparison, keyword, { inner: given, outer: limit })];
  };
}

const proveMultiple: KeywordCheck = (comparison) => {
  const { inner, outer } = comparison;
  const divisor = readNumber(outer.schema, 'multipleOf') ?? 1;
  const given = inner.flatMap(({ schema }) => readNumber(schema, 'multipleOf') ?? []);
  const isWhole = !atomsOf(inner).has('fraction') && divisor === 1;
  if (isWhole || given.some((each) => Number.isInteger(each / divisor))) return [];
  return [gapAt(comparison, 'multipleOf', { inner: given[0], outer: divisor })];
};

/** `minLength`, `minItems` and the like: the inner keyword must be as great. */
export function proveLeastCount(
  keyword: 'minLength' | 'minItems' | 'minProperties',
  implied: (comparison: Comparison) => number = () => 0,
): KeywordCheck {
  return (comparison) => {
    const limit = readNumber(comparison.outer.schema, keyword) ?? 0;
    const given = greatest(comparison.inner, keyword, implied(comparison));
    return given >= limit ? [] : [gapAt(comparison, keyword, { inner: given, outer: limit })];
  };
}

/** `maxLength`, `maxItems` and the like: the inner keyword must be as small. */
export function proveGreatestCount(
  keyword: 'maxLength' | 'maxItems' | 'maxProperties',
  implied: (comparison: Comparison) => number = () => Infinity,
): KeywordCheck {
  return (comparison) => {
    const limit = readNumber(comparison.outer.schema, keyword) ?? Infinity;
    const given = Math.min(least(comparison.inner, keyword), implied(comparison));
    const value = Number.isFinite(given) ? given : undefined;
    return given <= limit ? [] : [gapAt(comparison, keyword, { inner: value, outer: limit })];
  };
}

const provePattern: KeywordCheck = (comparison) => {
  const { inner, outer } = comparison;
  const pattern = readKeyword(outer.schema, 'pattern');
  const given = inner.map(({ schema }) => readKeyword(schema, 'pattern'));
  if (given.includes(pattern)) return [];
  const first = given.find((each) => each !== undefined);
  return [gapAt(comparison, 'pattern', { inner: first, outer: pattern })];
};

const proveFormat: KeywordCheck = (comparison) => {
  const { inner, outer } = comparison;
  const format = readKeyword(outer.schema, 'format') as string;
  const given = inner.flatMap(({ schema }) => (readKeyword(schema, 'format') as string | undefined) ?? []);
  if (given.some((each) => each === format || (WIDER_FORMATS[each] ?? []).includes(format))) return [];
  const whole = WHOLE_NUMBERS[format];
  if (whole !== undefined && lowerBound(inner).value >= whole[0] && upperBound(inner).value <= whole[1])
    return [];
  return [gapAt(comparison, 'format', { inner: given[0], outer: format })];
};

/** Formats that say how long a text is. */
const LENGTHS: Readonly<Record<string, number>> = { uuid: 36, date: 10 };

/** The lengths that texts can have, where they are few. */
function lengthsOf({ inner }: Comparison): readonly number[] | undefined {
  const formats = inner.map(({ schema }) => String(readKeyword(schema, 'format')));
  const length = formats.map((format) => LENGTHS[format]).find((each) => each !== undefined);
  return length !== undefined
    ? [length]
    : listValues(inner)?.flatMap((value) => (typeof value === 'string' ? countCharacters(value) : []));
}

interface ScalarCheck {
  /** The types that the keyword concerns; it is looked at only when an instance may have one of them. */
  readonly atoms: readonly Atom[];
  readonly check: KeywordCheck;
}

const EVERY: readonly Atom[] = ['null', 'boolean', 'integer', 'fraction', 'string', 'array', 'object'];
const NUMBERS: readonly Atom[] = ['integer', 'fraction'];

/** Keywords of all values, numbers and strings. */
export const SCALAR_CHECKS: Readonly<Record<string, ScalarCheck>> = {
  type: { atoms: EVERY, check: proveType },
  const: { atoms: EVERY, check: proveValues('const', 'const') },
  enum: { atoms: EVERY, check: proveValues('enum', 'enum') },
  minimum: { atoms: NUMBERS, check: proveBound('minimum') },
  maximum: { atoms: NUMBERS, check: proveBound('maximum') },
  exclusiveMinimum: { atoms: NUMBERS, check: proveBound('exclusiveMinimum') },
  exclusiveMaximum: { atoms: NUMBERS, check: proveBound('exclusiveMaximum') },
  multipleOf: { atoms: NUMBERS, check: proveMultiple },
  minLength: {
    atoms: ['string'],
    check: proveLeastCount('minLength', (each) => Math.min(...(lengthsOf(each) ?? [0]))),
  },
  maxLength: {
    atoms: ['string'],
    check: proveGreatestCount('maxLength', (each) => Math.max(...(lengthsOf(each) ?? [Infinity]))),
  },
  pattern: { atoms: ['string'], check: provePattern },
  format: { atoms: ['string', 'integer', 'fraction'], check: proveFormat },
};
