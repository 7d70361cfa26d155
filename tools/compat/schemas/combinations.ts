import { canonicalText } from './canonical.ts';
import { atomsOf, listValues } from './conjuncts.ts';
import type { Conjuncts } from './conjuncts.ts';
import type { Atom } from './accepts.ts';
import { gapAt } from './gap.ts';
import type { Comparison, Gap } from './gap.ts';
import { childPlace, readKeyword, readList } from './place.ts';
import type { Place } from './place.ts';
import type { KeywordCheck } from './scalars.ts';

/** A schema for values of one type, which stands nowhere. */
function ofAtom(place: Place, atom: Atom): Place {
  const type = atom === 'fraction' ? 'number' : atom;
  const schema = atom === 'fraction' ? { type, not: { type: 'integer' } } : { type };
  return { root: place.root, pointer: place.pointer, schema };
}

/** The alternatives of the first conjunct that has some: what holds in each. Undefined where there are none. */
export function splitAlternatives(inner: Conjuncts): readonly Conjuncts[] | undefined {
  const index = inner.findIndex(
    ({ schema }) => readKeyword(schema, 'anyOf') !== undefined || readKeyword(schema, 'oneOf') !== undefined,
  );
  const place = inner[index];
  if (place === undefined || typeof place.schema === 'boolean') return undefined;
  const keyword = 'anyOf' in place.schema ? 'anyOf' : 'oneOf';
  const others = Object.fromEntries(Object.entries(place.schema).filter(([each]) => each !== keyword));
  const rest = [...inner.slice(0, index), { ...place, schema: others }, ...inner.slice(index + 1)];
  const branches = readList(place.schema, keyword).map((_, each) => childPlace(place, keyword, each));
  return branches.map((branch) => [
    branch,
    ...rest,
    ...(keyword === 'oneOf' ? branches.filter((other) => other !== branch).map(negate) : []),
  ]);
}

/** The schema of all that another one refuses. */
export function negate(place: Place): Place {
  return { root: place.root, pointer: place.pointer, schema: { not: place.schema } };
}

/** By type, where there are several. */
function splitAtoms(inner: Conjuncts, outer: Place): readonly Conjuncts[] | undefined {
  const atoms = [...atomsOf(inner)];
  if (atoms.length < 2) return undefined;
  return atoms.map((atom) => [ofAtom(outer, atom), ...inner]);
}

/** `anyOf` and `oneOf`: all instances fit one branch, or those of each type do. */
function proveAlternatives(keyword: 'anyOf' | 'oneOf'): KeywordCheck {
  return (comparison) => {
    const { inner, outer } = comparison;
    const branches = readList(outer.schema, keyword).map((_, index) => childPlace(outer, keyword, index));
    const tries = branches.map((branch) => proveBranch(comparison, keyword, branches, branch));
    if (tries.some((gaps) => gaps.length === 0)) return [];
    const values = listValues(inner);
    const atoms = values === undefined ? splitAtoms(inner, outer) : undefined;
    if (atoms !== undefined) {
      const check = proveAlternatives(keyword);
      return atoms.flatMap((each) => (comparison.isEmpty(each) ? [] : check({ ...comparison, inner: each })));
    }
    return [...explainBest(comparison, keyword, branches, tries)];
  };
}

function proveBranch(
  { inner, prove, isEmpty, outer }: Comparison,
  keyword: 'anyOf' | 'oneOf',
  branches: readonly Place[],
  branch: Place,
): readonly Gap[] {
  const gaps = prove(inner, branch);
  if (gaps.length > 0 || keyword === 'anyOf') return gaps;
  const others = branches.filter((each) => each !== branch);
  const areOthersOut = others.every((other) => isEmpty([...inner, other]));
  const values = { inner: branch.schema, outer: others.map(({ schema }) => schema) };
  return areOthersOut ? [] : [gapAt({ inner, outer }, 'oneOf', values)];
}

/** The gaps of the branch that was meant; the gap of the alternatives themselves where none was. */
function explainBest(
  comparison: Comparison,
  keyword: 'anyOf' | 'oneOf',
  branches: readonly Place[],
  tries: readonly (readonly Gap[])[],
): readonly Gap[] {
  const { inner, outer } = comparison;
  if ([...atomsOf(inner)].join('') === 'null')
    return [gapAt(comparison, 'null', { inner: 'null', outer: undefined })];
  const meant = branches
    .map((branch, index) => ({ branch, gaps: tries[index] ?? [] }))
    .filter(({ branch, gaps }) => isMeant(comparison, branch, gaps))
    .toSorted((a, b) => a.gaps.length - b.gaps.length)[0];
  if (meant !== undefined) return meant.gaps;
  const values = { inner: inner[0]?.schema, outer: readKeyword(outer.schema, keyword) };
  return [gapAt(comparison, keyword, values)];
}

/** A branch is meant unless its type or a constant of it already excludes what there is. */
function isMeant({ inner, isEmpty }: Comparison, branch: Place, gaps: readonly Gap[]): boolean {
  return !gaps.some(({ subject }) => subject === 'oneOf') && !isEmpty([...inner, branch]);
}

const proveNot: KeywordCheck = (comparison) => {
  const { inner, outer, prove, isEmpty } = comparison;
  const excluded = childPlace(outer, 'not');
  if (isEmpty([...inner, excluded])) return [];
  const given = inner.filter(({ schema }) => readKeyword(schema, 'not') !== undefined);
  if (given.some((place) => prove([excluded], childPlace(place, 'not')).length === 0)) return [];
  const values = { inner: readKeyword(given[0]?.schema ?? true, 'not'), outer: excluded.schema };
  return [gapAt(comparison, 'not', values)];
};

/** `if`, `then`, `else`: proved beside the same `if`, or when both branches take all. */
const proveCondition: KeywordCheck = (comparison) => {
  const { inner, outer, prove } = comparison;
  const wanted = canonicalText(childPlace(outer, 'if'));
  const same = inner.find((place) => {
    if (readKeyword(place.schema, 'if') === undefined) return false;
    const text = canonicalText(childPlace(place, 'if'));
    return text !== undefined && text === wanted;
  });
  const isProved = (['then', 'else'] as const).every((keyword) => {
    if (readKeyword(outer.schema, keyword) === undefined) return true;
    const condition = childPlace(outer, 'if');
    const given =
      same === undefined || readKeyword(same.schema, keyword) === undefined
        ? []
        : [childPlace(same, keyword)];
    const known = [...inner, ...given, keyword === 'then' ? condition : negate(condition)];
    return prove(known, childPlace(outer, keyword)).length === 0;
  });
  const values = { inner: same?.schema, outer: outer.schema };
  return isProved ? [] : [gapAt(comparison, 'condition', values)];
};

/** Keywords that combine schemas. */
export const COMBINATION_CHECKS: Readonly<Record<string, KeywordCheck>> = {
  anyOf: proveAlternatives('anyOf'),
  oneOf: proveAlternatives('oneOf'),
  not: proveNot,
  if: proveCondition,
};
