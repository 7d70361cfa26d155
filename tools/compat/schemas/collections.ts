import { canonicalText } from './canonical.ts';
import { itemOf, least, otherProperties, propertyOf, requiredNames, declaredNames } from './conjuncts.ts';
import type { Conjuncts } from './conjuncts.ts';
import { gapAt } from './gap.ts';
import type { Comparison, Gap, Subject } from './gap.ts';
import { childPlace, isRecord, readKeyword, readList, readMap, readNumber } from './place.ts';
import type { Place } from './place.ts';
import { proveGreatestCount, proveLeastCount } from './scalars.ts';
import type { KeywordCheck } from './scalars.ts';

/** A schema below the outer one; of `false` the gap is the keyword's own. */
function proveBelow(
  { prove, isEmpty }: Comparison,
  inner: Conjuncts,
  outer: Place,
  refused: () => Gap,
): readonly Gap[] {
  if (outer.schema !== false) return prove(inner, outer);
  return isEmpty(inner) ? [] : [refused()];
}

const proveItems: KeywordCheck = (comparison) => {
  const { inner, outer } = comparison;
  const most = least(inner, 'maxItems');
  const first = readList(outer.schema, 'prefixItems').length;
  const innerFirst = Math.max(0, ...inner.map(({ schema }) => readList(schema, 'prefixItems').length));
  const place = childPlace(outer, 'items');
  const refused = (): Gap => gapAt(comparison, 'items', { inner: 'more items', outer: false });
  const gaps: Gap[] = [];
  for (let index = first; index <= Math.max(first, innerFirst) && index < most; index += 1)
    gaps.push(...proveBelow(comparison, itemOf(inner, index), place, refused));
  return gaps;
};

const provePrefixItems: KeywordCheck = (comparison) => {
  const { inner, outer } = comparison;
  const most = least(inner, 'maxItems');
  return readList(outer.schema, 'prefixItems').flatMap((value, index) => {
    if (index >= most) return [];
    const gaps = comparison.prove(itemOf(inner, index), childPlace(outer, 'prefixItems', index));
    return gaps.length === 0
      ? []
      : [
          gapAt(
            comparison,
            'prefixItems',
            { inner: itemOf(inner, index)[0]?.schema, outer: value },
            String(index),
          ),
        ];
  });
};

const proveUniqueItems: KeywordCheck = (comparison) => {
  const { inner, outer } = comparison;
  if (readKeyword(outer.schema, 'uniqueItems') !== true || least(inner, 'maxItems') <= 1) return [];
  if (inner.some(({ schema }) => readKeyword(schema, 'uniqueItems') === true)) return [];
  return [gapAt(comparison, 'uniqueItems', { inner: undefined, outer: true })];
};

/** Proved only beside the same `contains`, with bounds that are as narrow. */
const proveContains: KeywordCheck = (comparison) => {
  const { inner, outer } = comparison;
  const wanted = canonicalText(childPlace(outer, 'contains'));
  const isProved = inner.some((place) => {
    if (readKeyword(place.schema, 'contains') === undefined) return false;
    const [fewest, most] = countsOfContains(place);
    const [fewestWanted, mostWanted] = countsOfContains(outer);
    const text = canonicalText(childPlace(place, 'contains'));
    return text !== undefined && text === wanted && fewest >= fewestWanted && most <= mostWanted;
  });
  const given = inner.map(({ schema }) => readKeyword(schema, 'contains')).find((each) => each !== undefined);
  return isProved
    ? []
    : [gapAt(comparison, 'contains', { inner: given, outer: readKeyword(outer.schema, 'contains') })];
};

function countsOfContains({ schema }: Place): readonly [fewest: number, most: number] {
  return [readNumber(schema, 'minContains') ?? 1, readNumber(schema, 'maxContains') ?? Infinity];
}

const proveRequired: KeywordCheck = (comparison) => {
  const { inner, outer } = comparison;
  const given = requiredNames(inner);
  return (readList(outer.schema, 'required') as string[])
    .filter((name) => !given.has(name))
    .map((name) => gapAt(comparison, 'required', { inner: false, outer: true }, name));
};

const proveProperties: KeywordCheck = (comparison) => {
  const { inner, outer } = comparison;
  const names = declaredNames(inner);
  return Object.keys(readMap(outer.schema, 'properties')).flatMap((name) => {
    const place = childPlace(outer, 'properties', name);
    const given = propertyOf(inner, name);
    if (comparison.isEmpty(given)) return [];
    const gaps = comparison.prove(given, place);
    // A property that the inner schemas do not know is one gap, whatever is asked of it.
    if (gaps.length === 0 || names.has(name)) return gaps;
    return [gapAt(comparison, 'property', { inner: undefined, outer: place.schema }, name)];
  });
};

/** What the outer schema says of properties that it does not name, for each that an inner one names and for all others. */
const proveOtherProperties: KeywordCheck = (comparison) => {
  const { inner, outer } = comparison;
  const place = childPlace(outer, 'additionalProperties');
  const patterns = Object.keys(readMap(outer.schema, 'patternProperties'));
  const isOther = (name: string): boolean =>
    !Object.hasOwn(readMap(outer.schema, 'properties'), name) &&
    !patterns.some((pattern) => new RegExp(pattern, 'u').test(name));
  const named = [...declaredNames(inner)].filter(isOther).flatMap((name) => {
    const given = propertyOf(inner, name);
    const refused = (): Gap =>
      gapAt(comparison, 'property', { inner: given[0]?.schema, outer: undefined }, name);
    const gaps = proveBelow(comparison, given, place, refused);
    return gaps.length === 0 ? [] : [refused()];
  });
  const others = otherProperties(inner);
  const values = { inner: others[0]?.schema ?? true, outer: place.schema };
  const refused = (): Gap => gapAt(comparison, 'additionalProperties', values);
  const rest = proveBelow(comparison, others, place, refused);
  const innerPatterns = patternsOf(inner).filter(([pattern]) => !patterns.includes(pattern));
  const matched = innerPatterns.flatMap(([, schema]) => proveBelow(comparison, [schema], place, refused));
  return [...named, ...(rest.length + matched.length > 0 ? [refused()] : [])];
};

function patternsOf(inner: Conjuncts): readonly (readonly [pattern: string, place: Place])[] {
  return inner.flatMap((place) =>
    Object.keys(readMap(place.schema, 'patternProperties')).map(
      (pattern) => [pattern, childPlace(place, 'patternProperties', pattern)] as const,
    ),
  );
}

/** Names of the inner schemas may fit each pattern: all that may be there has to be valid. */
const provePatternProperties: KeywordCheck = (comparison) => {
  const { inner, outer } = comparison;
  return Object.keys(readMap(outer.schema, 'patternProperties')).flatMap((pattern) => {
    const place = childPlace(outer, 'patternProperties', pattern);
    const same = patternsOf(inner).filter(([each]) => each === pattern);
    const named = [...declaredNames(inner)].filter((name) => new RegExp(pattern, 'u').test(name));
    const candidates = [
      ...named.map((name) => propertyOf(inner, name)),
      ...patternsOf(inner).map(([, each]) => [each]),
      ...(same.length > 0 ? [] : [otherProperties(inner)]),
    ];
    const isProved = candidates.every(
      (each) => comparison.isEmpty(each) || comparison.prove(each, place).length === 0,
    );
    const values = { inner: same[0]?.[1].schema, outer: place.schema };
    return isProved ? [] : [gapAt(comparison, 'patternProperties', values, pattern)];
  });
};

const provePropertyNames: KeywordCheck = (comparison) => {
  const { inner, outer } = comparison;
  const given = inner.flatMap((place) =>
    readKeyword(place.schema, 'propertyNames') === undefined ? [] : [childPlace(place, 'propertyNames')],
  );
  const names = comparison.isEmpty(otherProperties(inner)) && patternsOf(inner).length === 0;
  const text: Place = { root: outer.root, pointer: outer.pointer, schema: { type: 'string' } };
  const known: Place = { ...text, schema: { enum: [...declaredNames(inner)] } };
  const gaps = comparison.prove([names ? known : text, ...given], childPlace(outer, 'propertyNames'));
  const values = { inner: given[0]?.schema, outer: readKeyword(outer.schema, 'propertyNames') };
  return gaps.length === 0 ? [] : [gapAt(comparison, 'propertyNames', values)];
};

function proveDependencies(
  subject: Subject,
  prove: (each: Comparison, name: string) => boolean,
): KeywordCheck {
  return (comparison) => {
    const { inner, outer } = comparison;
    const keyword = subject as 'dependentRequired' | 'dependentSchemas';
    return Object.entries(readMap(outer.schema, keyword)).flatMap(([name, value]) => {
      if (comparison.isEmpty(propertyOf(inner, name)) || prove(comparison, name)) return [];
      const given = inner
        .map(({ schema }) => readMap(schema, keyword)[name])
        .find((each) => each !== undefined);
      return [gapAt(comparison, subject, { inner: given, outer: value }, name)];
    });
  };
}

const proveDependentRequired = proveDependencies('dependentRequired', ({ inner, outer }, name) => {
  const wanted = readMap(outer.schema, 'dependentRequired')[name] as string[];
  const given = inner.flatMap(({ schema }) => (readMap(schema, 'dependentRequired')[name] ?? []) as string[]);
  const all = new Set([...requiredNames(inner), ...given]);
  return wanted.every((each) => each === name || all.has(each));
});

const proveDependentSchemas = proveDependencies('dependentSchemas', ({ inner, outer, prove }, name) => {
  const given = inner.flatMap((place) =>
    isRecord(readKeyword(place.schema, 'dependentSchemas')) &&
    name in readMap(place.schema, 'dependentSchemas')
      ? [childPlace(place, 'dependentSchemas', name)]
      : [],
  );
  return prove([...inner, ...given], childPlace(outer, 'dependentSchemas', name)).length === 0;
});

/** Keywords of arrays. */
export const ARRAY_CHECKS: Readonly<Record<string, KeywordCheck>> = {
  minItems: proveLeastCount('minItems'),
  maxItems: proveGreatestCount('maxItems'),
  uniqueItems: proveUniqueItems,
  items: proveItems,
  prefixItems: provePrefixItems,
  contains: proveContains,
};

/** Keywords of objects. */
export const OBJECT_CHECKS: Readonly<Record<string, KeywordCheck>> = {
  minProperties: proveLeastCount('minProperties', ({ inner }) => requiredNames(inner).size),
  maxProperties: proveGreatestCount('maxProperties', ({ inner, isEmpty }) =>
    isEmpty(otherProperties(inner)) && patternsOf(inner).length === 0 ? declaredNames(inner).size : Infinity,
  ),
  required: proveRequired,
  properties: proveProperties,
  additionalProperties: proveOtherProperties,
  patternProperties: provePatternProperties,
  propertyNames: provePropertyNames,
  dependentRequired: proveDependentRequired,
  dependentSchemas: proveDependentSchemas,
};
