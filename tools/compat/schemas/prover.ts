import { acceptsKeyword, isChecked } from './accepts.ts';
import { canonicalText, isAssertion, writeValue } from './canonical.ts';
import { ARRAY_CHECKS, OBJECT_CHECKS } from './collections.ts';
import { COMBINATION_CHECKS, splitAlternatives } from './combinations.ts';
import {
  atomsOf,
  greatest,
  least,
  listValues,
  lowerBound,
  propertyOf,
  requiredNames,
  toConjuncts,
  upperBound,
} from './conjuncts.ts';
import type { Conjuncts } from './conjuncts.ts';
import { gapAt, SUBJECTS } from './gap.ts';
import type { Comparison, Gap, Subject } from './gap.ts';
import { childPlace, readKeyword } from './place.ts';
import type { Place } from './place.ts';
import { SCALAR_CHECKS } from './scalars.ts';

/** Keywords that are looked at together with another one. */
const COMPANIONS: ReadonlySet<string> = new Set(['then', 'else', 'minContains', 'maxContains']);

/** How deep emptiness is looked for: beyond, a schema counts as one that has instances, which is the careful answer. */
const DEEPEST_EMPTINESS = 4;

/**
 * Proves that all instances of one schema are valid for another. What it cannot prove is a gap, so that no gap is missed;
 * a gap may be there although the schemas fit, where the proof would need more than the keywords side by side (two
 * patterns, for example). Schemas that contain themselves are proved by assuming what is being proved.
 */
export class Prover {
  readonly #proved = new Map<string, readonly Gap[]>();
  readonly #underWay: string[] = [];
  readonly #numbers = new WeakMap<object, number>();
  #count = 0;
  /** The outermost proof that the present one has assumed. */
  #assumed = Infinity;
  /** Whether emptiness is being proved, for which nothing may be assumed. */
  #isCareful = false;

  /** Why not all instances of `inner` are valid for `outer`; empty when all are. */
  prove(inner: Conjuncts, outer: Place): readonly Gap[] {
    if (outer.schema === true) return [];
    const wanted = canonicalText(outer);
    if (wanted !== undefined && inner.some((place) => canonicalText(place) === wanted)) return [];
    const key = [...inner.map((place) => this.#number(place)).toSorted(), this.#number(outer)].join(' ');
    const known = this.#proved.get(key);
    if (known !== undefined) return known;
    const depth = this.#underWay.indexOf(key);
    if (depth !== -1) {
      if (this.#isCareful) return [gapAt({ inner, outer }, 'other', { inner: undefined, outer: undefined })];
      this.#assumed = Math.min(this.#assumed, depth);
      return [];
    }
    return this.#proveAnew(key, inner, outer);
  }

  #proveAnew(key: string, inner: Conjuncts, outer: Place): readonly Gap[] {
    const outside = this.#assumed;
    this.#assumed = Infinity;
    this.#underWay.push(key);
    const given = inner.flatMap(toConjuncts);
    const gaps = toConjuncts(outer).flatMap((part) => this.#provePart(given, part));
    this.#underWay.pop();
    // Kept only when it rests on no proof that is still under way.
    if (this.#assumed >= this.#underWay.length && !this.#isCareful) this.#proved.set(key, gaps);
    this.#assumed = Math.min(this.#assumed, outside);
    return gaps;
  }

  #number(place: Place): string {
    const { schema } = place;
    if (typeof schema === 'boolean') return String(schema);
    let number = this.#numbers.get(schema);
    if (number === undefined) {
      number = this.#count += 1;
      this.#numbers.set(schema, number);
    }
    return String(number);
  }

  #provePart(inner: Conjuncts, outer: Place): readonly Gap[] {
    const wanted = canonicalText(outer);
    const isWhole = !seesNeighbours(outer);
    if (isWhole && wanted !== undefined && inner.some((place) => canonicalText(place) === wanted)) return [];
    if (this.isEmpty(inner)) return [];
    const comparison: Comparison = {
      inner,
      outer,
      prove: (each, place) => this.prove(each, place),
      isEmpty: (each) => this.isEmpty(each),
    };
    if (outer.schema === false) return [gapAt(comparison, 'other', { inner: true, outer: false })];
    const values = listValues(inner);
    const direct = values === undefined ? proveKeywords(comparison) : proveEach(comparison, values);
    if (direct.length === 0) return [];
    const alternatives = splitAlternatives(inner);
    return alternatives === undefined
      ? direct
      : withoutRepetitions(alternatives.flatMap((each) => this.#provePart(each.flatMap(toConjuncts), outer)));
  }

  /** Whether it is certain that no instance is valid for all of these. */
  isEmpty(conjuncts: Conjuncts, depth = 0): boolean {
    if (conjuncts.some(({ schema }) => schema === false)) return true;
    if (depth > DEEPEST_EMPTINESS || conjuncts.length === 0) return false;
    const parts = conjuncts.flatMap(toConjuncts);
    const atoms = atomsOf(parts);
    if (atoms.size === 0 || listValues(parts)?.length === 0) return true;
    if (parts.length < 2) return false;
    if ([...atoms].every((atom) => isAtomEmpty(atom, parts))) return true;
    if (atoms.size === 1 && atoms.has('object') && this.#isSomePropertyEmpty(parts, depth)) return true;
    if (parts.some((place, index) => this.#excludes(place, parts.toSpliced(index, 1)))) return true;
    const alternatives = splitAlternatives(parts);
    return alternatives?.every((each) => this.isEmpty(each, depth + 1)) ?? false;
  }

  #isSomePropertyEmpty(parts: Conjuncts, depth: number): boolean {
    return [...requiredNames(parts)].some((name) => this.isEmpty(propertyOf(parts, name), depth + 1));
  }

  /** Whether a `not` excludes all that the others take. */
  #excludes(place: Place, others: Conjuncts): boolean {
    if (readKeyword(place.schema, 'not') === undefined) return false;
    const simple = others.filter(({ schema }) => readKeyword(schema, 'not') === undefined);
    if (simple.length === 0) return false;
    const wasCareful = this.#isCareful;
    this.#isCareful = true;
    try {
      return this.prove(simple, childPlace(place, 'not')).length === 0;
    } finally {
      this.#isCareful = wasCareful;
    }
  }
}

/** Whether a keyword looks at what stands beside its schema, so that parts cannot be compared one by one. */
function seesNeighbours({ schema }: Place): boolean {
  return (
    readKeyword(schema, 'unevaluatedProperties') !== undefined ||
    readKeyword(schema, 'unevaluatedItems') !== undefined
  );
}

function isAtomEmpty(atom: string, parts: Conjuncts): boolean {
  if (atom === 'integer' || atom === 'fraction') {
    const [lower, upper] = [lowerBound(parts), upperBound(parts)];
    return (
      lower.value > upper.value || (lower.value === upper.value && (lower.isExclusive || upper.isExclusive))
    );
  }
  if (atom === 'string') return greatest(parts, 'minLength') > least(parts, 'maxLength');
  if (atom === 'array') return greatest(parts, 'minItems') > least(parts, 'maxItems');
  return false;
}

function proveKeywords(comparison: Comparison): readonly Gap[] {
  const { inner, outer } = comparison;
  const atoms = atomsOf(inner);
  return Object.keys(outer.schema as object).flatMap((keyword) => {
    if (!isAssertion(keyword) || COMPANIONS.has(keyword)) return [];
    const scalar = SCALAR_CHECKS[keyword];
    if (scalar !== undefined)
      return scalar.atoms.some((atom) => atoms.has(atom)) ? scalar.check(comparison) : [];
    const ofArrays = ARRAY_CHECKS[keyword];
    if (ofArrays !== undefined) return atoms.has('array') ? ofArrays(comparison) : [];
    const ofObjects = OBJECT_CHECKS[keyword];
    if (ofObjects !== undefined) return atoms.has('object') ? ofObjects(comparison) : [];
    return COMBINATION_CHECKS[keyword]?.(comparison) ?? proveUnknown(comparison, keyword);
  });
}

/** A keyword that nothing is known of: only the same one is as narrow. */
function proveUnknown(comparison: Comparison, keyword: string): readonly Gap[] {
  const { inner, outer } = comparison;
  const wanted = readKeyword(outer.schema, keyword);
  const given = inner.map(({ schema }) => readKeyword(schema, keyword));
  const isSame = given.some((each) => each !== undefined && writeValue(each) === writeValue(wanted));
  if (isSame && !seesNeighbours(outer)) return [];
  return [gapAt(comparison, 'other', { inner: given[0], outer: wanted }, keyword)];
}

/** Of a few values each is tried; a gap names those that a keyword refuses. */
function proveEach(comparison: Comparison, values: readonly unknown[]): readonly Gap[] {
  const { inner, outer } = comparison;
  return Object.keys(outer.schema as object).flatMap((keyword) => {
    if (!isAssertion(keyword) || COMPANIONS.has(keyword)) return [];
    if (keyword === 'format')
      return values.some(isText) ? (SCALAR_CHECKS['format']?.check(comparison) ?? []) : [];
    if (!isChecked(keyword)) return proveUnknown(comparison, keyword);
    const refused = values.filter((value) => !acceptsKeyword(outer, keyword, value));
    if (refused.length === 0) return [];
    const isNull = keyword === 'type' && refused.every((value) => value === null);
    const named = SUBJECTS.find((each) => each === keyword) ?? 'other';
    const subject: Subject = isNull ? 'null' : named;
    return [gapAt({ inner, outer }, subject, { inner: refused, outer: readKeyword(outer.schema, keyword) })];
  });
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

function withoutRepetitions(gaps: readonly Gap[]): readonly Gap[] {
  const seen = new Map(gaps.map((gap) => [`${gap.subject} ${gap.outerPointer} ${gap.name ?? ''}`, gap]));
  return [...seen.values()];
}
