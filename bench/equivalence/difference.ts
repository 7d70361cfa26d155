// What differs between two answers, and where.
import type { Answer } from './exchange.ts';
import type { Renaming } from './renaming.ts';
import type { RandomRequest } from './requests.ts';

export interface FoundDifference {
  /** The same for differences of one kind: `status 200 to 404`, `header link`, `body items[].name`. */
  readonly kind: string;
  /** The texts that differ, around the first character that does. */
  readonly texts: readonly [one: string, other: string];
}

export interface Difference extends FoundDifference {
  /** The number of the request, from 1. */
  readonly at: number;
  readonly request: RandomRequest;
  readonly answers: readonly [one: Answer, other: Answer];
}

const CONTEXT = 60;

/** When a delivery is due is said by the database's clock, which no request sets: that it is due is compared, not when. */
const DUE_INSTANT = /(?<="due_at":)"[^"]+"/g;

/** `prepared`: the answer tells only of what both databases held before they were copied, where nothing is drawn. */
export type Origin = 'prepared' | 'drawn';

/** All differences of two answers beside names that the renaming allows: the status alone, or headers and body. */
export function describeDifferences(
  first: Answer,
  second: Answer,
  renaming: Renaming,
  origin: Origin,
): FoundDifference[] {
  const [one, other] = [withoutDueInstants(first), withoutDueInstants(second)];
  if (one.status !== other.status)
    return [{ kind: `status ${one.status} to ${other.status}`, texts: [one.body, other.body] }];
  const differences: FoundDifference[] = [];
  for (const name of new Set([...Object.keys(one.headers), ...Object.keys(other.headers)].sort())) {
    const [value, otherValue] = [one.headers[name], other.headers[name]];
    if (value === undefined || otherValue === undefined || !renaming.isSame(value, otherValue))
      differences.push({ kind: `header ${name}`, texts: [value ?? '(none)', otherValue ?? '(none)'] });
  }
  if (origin === 'prepared' && one.body === other.body) renaming.keep(one.body);
  else if (origin === 'prepared' || !renaming.isSame(one.body, other.body)) {
    const aligned = renaming.translate(one.body);
    differences.push({ kind: `body ${findPath(aligned, other.body)}`, texts: around(aligned, other.body) });
  }
  return differences;
}

function withoutDueInstants(answer: Answer): Answer {
  return { ...answer, body: answer.body.replaceAll(DUE_INSTANT, '"due"') };
}

/** Where two JSON texts first differ, `(bytes)` where they are no JSON or mean the same. */
function findPath(one: string, other: string): string {
  try {
    return findDifferentPath(JSON.parse(one), JSON.parse(other), '') ?? '(bytes)';
  } catch {
    return '(bytes)';
  }
}

function findDifferentPath(one: unknown, other: unknown, path: string): string | undefined {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other ? undefined : path === '' ? '(whole)' : path;
  if (Array.isArray(one) !== Array.isArray(other)) return path;
  if (Array.isArray(one) && Array.isArray(other) && one.length !== other.length) return `${path}.length`;
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const step = Array.isArray(one) ? `${path}[]` : path === '' ? name : `${path}.${name}`;
    const [value, otherValue] = [one, other].map((each) => (each as Record<string, unknown>)[name]);
    const found = findDifferentPath(value, otherValue, step);
    if (found !== undefined) return found;
  }
  return undefined;
}

function around(one: string, other: string): [string, string] {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const cut = (text: string): string => text.slice(Math.max(0, at - CONTEXT), at + CONTEXT);
  return [cut(one), cut(other)];
}
