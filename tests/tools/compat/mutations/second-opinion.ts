// What a library says of the fixtures. It compares edits, not what is valid, so that they disagree; the rules of which they do are
// named with the reason, so that a new one is noticed.
import { apiCompare } from 'api-smart-diff';
import { listCases } from '../fixtures.ts';
import { DISAGREEMENTS } from './disagreements.ts';

/** How often both say the same, and the rules of which only one of them or only the table says that they do not. */
export interface SecondOpinion {
  readonly agreed: number;
  readonly asked: number;
  readonly surprises: readonly string[];
}

/** Asks `api-smart-diff` about every fixture. */
export function askSecondOpinion(): SecondOpinion {
  const cases = listCases();
  const disagreed = cases.filter(
    ({ old, next, isBreaking }) =>
      apiCompare(old, next).diffs.some(({ type }) => type === 'breaking') !== isBreaking,
  );
  const found = new Set<string>(disagreed.map(({ rule }) => rule));
  const known = new Set(Object.keys(DISAGREEMENTS));
  return {
    agreed: cases.length - disagreed.length,
    asked: cases.length,
    surprises: [
      ...[...found]
        .filter((rule) => !known.has(rule))
        .map((rule) => `${rule}: a disagreement without a reason`),
      ...[...known].filter((rule) => !found.has(rule)).map((rule) => `${rule}: agreed upon by now`),
    ],
  };
}
