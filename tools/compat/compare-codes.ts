import { readVocabulary } from './annotations.ts';
import { mapBelow, pairUp, schemaOf } from './contract.ts';
import type { Located, OperationPlace } from './contract.ts';
import { mediaTypesOf } from './compare-bodies.ts';
import { childPlace, findNode, followReference, isRecord, readKeyword, readList } from './schemas/place.ts';
import type { Place } from './schemas/place.ts';
import type { Task } from './task.ts';

const PROBLEM_TYPE = 'application/problem+json';

/** The codes of an answer: of the problem itself, and of the entries of its `errors`. */
interface Codes {
  readonly problems: readonly string[];
  readonly fields: readonly string[];
}

/**
 * Compares the codes of problems, by which clients decide. What an operation does not answer any more may fail less; but a code
 * that no operation has, or one in whose place another one comes, was removed or renamed.
 */
export function compareCodes(
  old: OperationPlace,
  next: OperationPlace,
  ofNext: ReadonlySet<string>,
  { findings, origin }: Task,
): void {
  const [before, now] = [codesByStatus(old), codesByStatus(next)];
  const gone = new Set(
    [...before.values()].flatMap(({ problems, fields }) =>
      [...problems, ...fields].filter((code) => !ofNext.has(code)),
    ),
  );
  const { kept } = pairUp(before, now);
  const replaced = kept.flatMap(([, from, to]) => [
    ...listReplaced(from.problems, to.problems),
    ...listReplaced(from.fields, to.fields),
  ]);
  const place = `${next.pointer}/responses`;
  const rule = 'problem-code';
  for (const code of new Set([...gone, ...replaced]))
    findings.add(origin, { rule, isBreaking: true, place, name: code, old: code, new: undefined });
}

/** The codes in whose place another one comes, or any: where none is named any more. */
function listReplaced(old: readonly string[], next: readonly string[]): readonly string[] {
  const isOnlyLess = next.length > 0 && next.every((code) => old.includes(code));
  return isOnlyLess ? [] : old.filter((code) => !next.includes(code));
}

/** Every code that some operation can answer. */
export function listCodes(operations: readonly OperationPlace[]): ReadonlySet<string> {
  return new Set(
    operations.flatMap((operation) =>
      [...codesByStatus(operation).values()].flatMap(({ problems, fields }) => [...problems, ...fields]),
    ),
  );
}

function codesByStatus(operation: OperationPlace): ReadonlyMap<string, Codes> {
  return new Map(
    [...mapBelow(operation, 'responses')].flatMap(([status, response]) => {
      const media = mediaTypesOf(response).get(PROBLEM_TYPE);
      return media === undefined ? [] : [[status, codesOf(media)] as const];
    }),
  );
}

function codesOf(media: Located): Codes {
  const problem = partsOf(schemaOf(media));
  const entries = childrenOf(childrenOf(problem, 'properties', 'errors'), 'items');
  return {
    problems: childrenOf(problem, 'properties', 'code').flatMap(valuesOf),
    fields: childrenOf(entries, 'properties', 'code').flatMap(valuesOf),
  };
}

/** The schemas that all hold where one does: itself, what it refers to and what stands in its `allOf`. */
function partsOf(place: Place): readonly Place[] {
  const reference = readKeyword(place.schema, '$ref');
  const target = typeof reference === 'string' ? partsOf(followReference(place.root, reference)) : [];
  const parts = readList(place.schema, 'allOf').flatMap((_, index) =>
    partsOf(childPlace(place, 'allOf', index)),
  );
  return [place, ...target, ...parts];
}

function childrenOf(places: readonly Place[], ...names: readonly string[]): readonly Place[] {
  const pointer = names.map((name) => `/${name}`).join('');
  return places
    .filter(({ root, pointer: above }) => isRecord(findNode(root, above + pointer)))
    .flatMap((place) => partsOf(childPlace(place, ...names)));
}

function valuesOf(place: Place): readonly string[] {
  return readVocabulary(place) ?? (readList(place.schema, 'enum') as string[]);
}
