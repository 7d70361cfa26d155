import { listChangedRules } from './field-rules.ts';
import type { Findings, Origin } from './finding.ts';
import { hasProperties, listGoneProperties } from './gone-properties.ts';
import type { Direction, RuleId } from './rules.ts';
import { canonicalText, writeValue } from './schemas/canonical.ts';
import { childPlace, followReference, isRecord, readKeyword, readList, readMap } from './schemas/place.ts';
import type { Place } from './schemas/place.ts';
import { unwrap } from './unwrap.ts';

interface Pair {
  readonly old: Place;
  readonly next: Place;
  /** Properties of the old one may have moved to what stands beside the new one. */
  readonly isPart?: boolean;
}

type Report = (
  rule: RuleId,
  isBreaking: boolean,
  old: unknown,
  next: unknown,
  name?: string,
  place?: string,
) => void;

/** Pairs of schemas, by direction and pointers, below which nothing was found: most are in many operations. */
export type QuietPairs = Set<string>;

/**
 * Compares what schemas say beside which values are valid: defaults, known values of open vocabularies, discriminators,
 * deprecation, names of properties that values without them pass, and the like, of each pair of schemas that stand at the same place.
 */
export function compareAnnotations(
  findings: Findings,
  origin: Origin,
  direction: Direction,
  old: Place,
  next: Place,
  quiet: QuietPairs,
): void {
  const seen = new Set<string>();
  let found = 0;
  const isNew = (pair: Pair): boolean => {
    const key = [direction, pair.isPart === true, pair.old.pointer, pair.next.pointer].join('\n');
    if (seen.has(key) || quiet.has(key)) return false;
    seen.add(key);
    return true;
  };
  const visit = (wrapped: Pair): void => {
    if (!isNew(wrapped)) return;
    const pair = { ...wrapped, old: unwrap(wrapped.old), next: unwrap(wrapped.next) };
    const isAt = pair.old.pointer === wrapped.old.pointer && pair.next.pointer === wrapped.next.pointer;
    if (!isAt && !isNew(pair)) return;
    const report: Report = (rule, isBreaking, before, now, name, place = pair.next.pointer) => {
      found += 1;
      findings.add(origin, { rule, isBreaking, place, name, old: before, new: now });
    };
    compareDefault(pair, direction, report);
    compareVocabulary(pair, direction, report);
    compareDiscriminator(pair, direction, report);
    compareMarks(pair, direction, report);
    if (pair.isPart !== true) reportGone(pair, direction, report);
    listPairs(pair).forEach(visit);
  };
  visit({ old, next });
  if (found === 0) for (const key of seen) quiet.add(key);
}

/** Of a property that is gone, what was sent in it means nothing any more, even where it is still taken. */
function reportGone({ old, next }: Pair, direction: Direction, report: Report): void {
  for (const [name, { schema, pointer }] of listGoneProperties(old, next))
    report(`${direction}-property`, true, schema, undefined, name, pointer);
}

function compareDefault({ old, next }: Pair, direction: Direction, report: Report): void {
  // What the service puts in for a value that is missing concerns requests alone.
  if (direction === 'response') return;
  const [before, now] = [readKeyword(old.schema, 'default'), readKeyword(next.schema, 'default')];
  if (writeValue(before) === writeValue(now)) return;
  report('request-default', before !== undefined, before, now);
}

/** The known values of a string that takes every value: `x-known-values`, or an `enum` beside `type: string` in `anyOf`. */
export function readVocabulary({ root, schema }: Place): readonly string[] | undefined {
  const known = readKeyword(schema, 'x-known-values');
  if (Array.isArray(known)) return known as string[];
  const branches = readList(schema, 'anyOf').map((each) =>
    isRecord(each) && typeof each['$ref'] === 'string' ? followReference(root, each['$ref']).schema : each,
  );
  const isOpen = branches.some((each) => isRecord(each) && each['type'] === 'string' && isUnbounded(each));
  const values = branches.flatMap((each) => (isRecord(each) ? readList(each, 'enum') : []));
  return isOpen && values.length > 0 ? (values as string[]) : undefined;
}

function isUnbounded(schema: Readonly<Record<string, unknown>>): boolean {
  return !['enum', 'const', 'pattern', 'format'].some((keyword) => keyword in schema);
}

function compareVocabulary({ old, next }: Pair, direction: Direction, report: Report): void {
  const [before, now] = [readVocabulary(old), readVocabulary(next)];
  if (before === undefined || now === undefined) return;
  const removed = before.filter((value) => !now.includes(value));
  const added = now.filter((value) => !before.includes(value));
  for (const value of removed)
    report(`${direction}-vocabulary`, direction === 'request', value, undefined, value);
  for (const value of added) report(`${direction}-vocabulary`, false, undefined, value, value);
}

function compareDiscriminator({ old, next }: Pair, direction: Direction, report: Report): void {
  const rule = `${direction}-discriminator` as const;
  const [before, now] = [old, next].map(({ schema }) => readKeyword(schema, 'discriminator'));
  if (!isRecord(before) || !isRecord(now)) {
    if (before !== now) report(rule, isRecord(before), before, now);
    return;
  }
  if (before['propertyName'] !== now['propertyName'])
    report(rule, true, before['propertyName'], now['propertyName'], 'propertyName');
  const [oldMapping, newMapping] = [readMap(before, 'mapping'), readMap(now, 'mapping')];
  for (const value of new Set([...Object.keys(oldMapping), ...Object.keys(newMapping)])) {
    const [from, to] = [oldMapping[value], newMapping[value]];
    if (from !== to) report(rule, from !== undefined, from, to, value);
  }
}

function compareMarks({ old, next }: Pair, direction: Direction, report: Report): void {
  const isMarked = (place: Place, keyword: string): boolean => readKeyword(place.schema, keyword) === true;
  const keyword = direction === 'request' ? 'readOnly' : 'writeOnly';
  const rule = direction === 'request' ? 'request-read-only' : 'response-write-only';
  const [wasHidden, isHidden] = [isMarked(old, keyword), isMarked(next, keyword)];
  if (wasHidden !== isHidden) report(rule, isHidden, wasHidden, isHidden);
  const [wasDeprecated, isDeprecated] = [isMarked(old, 'deprecated'), isMarked(next, 'deprecated')];
  if (wasDeprecated !== isDeprecated) report(`${direction}-deprecation`, false, wasDeprecated, isDeprecated);
  if (direction === 'request') compareRestrictions({ old, next }, report);
  for (const encoding of ['contentEncoding', 'contentMediaType']) {
    const [before, now] = [readKeyword(old.schema, encoding), readKeyword(next.schema, encoding)];
    if (before !== now) report(`${direction}-content-encoding`, before !== undefined, before, now, encoding);
  }
}

/** What no keyword says and yet is refused. The rules of a property that is new stand at that property. */
function compareRestrictions({ old, next }: Pair, report: Report): void {
  const [wasFixed, isFixed] = [old, next].map(({ schema }) => readKeyword(schema, 'x-immutable') === true);
  if (wasFixed !== isFixed) report('request-immutable', isFixed === true, wasFixed, isFixed);
  for (const { text, isNew } of listChangedRules(old.schema, next.schema))
    report('request-rule', isNew, isNew ? undefined : text, isNew ? text : undefined, text);
}

/** The schemas below that stand at the same place on both sides. */
function listPairs({ old, next, isPart = false }: Pair): readonly Pair[] {
  const [oldReference, newReference] = [old, next].map(({ schema }) => readKeyword(schema, '$ref'));
  if (typeof oldReference === 'string' || typeof newReference === 'string')
    return [{ old: followBare(old), next: followBare(next), isPart }, ...listStructure({ old, next })];
  return listStructure({ old, next });
}

function followBare(place: Place): Place {
  const reference = readKeyword(place.schema, '$ref');
  return typeof reference === 'string' ? followReference(place.root, reference) : place;
}

function listStructure({ old, next }: Pair): readonly Pair[] {
  const pairs: Pair[] = [];
  for (const keyword of ['properties', 'patternProperties', 'dependentSchemas'])
    for (const name of Object.keys(readMap(old.schema, keyword)))
      if (Object.hasOwn(readMap(next.schema, keyword), name))
        pairs.push({ old: childPlace(old, keyword, name), next: childPlace(next, keyword, name) });
  for (const keyword of ['items', 'additionalProperties', 'contains'])
    if (isRecord(readKeyword(old.schema, keyword)) && isRecord(readKeyword(next.schema, keyword)))
      pairs.push({ old: childPlace(old, keyword), next: childPlace(next, keyword) });
  for (const keyword of ['allOf', 'anyOf', 'oneOf', 'prefixItems'])
    pairs.push(...pairBranches({ old, next }, keyword));
  return pairs;
}

/**
 * Branches belong together when they are the same component, mean the same, or stand at the same index of as many. Which of
 * several objects one has become is not certain then.
 */
function pairBranches({ old, next }: Pair, keyword: string): readonly Pair[] {
  const toPlaces = (place: Place): Place[] =>
    readList(place.schema, keyword).map((_, index) => childPlace(place, keyword, index));
  const [before, now] = [toPlaces(old), toPlaces(next)];
  const areSeveral = before.filter(hasProperties).length > 1;
  return before.flatMap((branch, index) => {
    const reference = readKeyword(branch.schema, '$ref');
    const text = canonicalText(branch);
    const same =
      now.find((each) => reference !== undefined && readKeyword(each.schema, '$ref') === reference) ??
      now.find((each) => text !== undefined && canonicalText(each) === text);
    const found = same ?? (before.length === now.length ? now[index] : undefined);
    const isPart = keyword === 'allOf' || (same === undefined && areSeveral);
    return found === undefined ? [] : [{ old: branch, next: found, isPart }];
  });
}
