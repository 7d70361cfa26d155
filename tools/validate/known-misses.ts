/** Rows that are known to miss, each with the reason: any other miss fails the validation, and so does a reason too many. */
import type { Row } from './row.ts';

/** By the id of the row. */
export const KNOWN_MISSES: Readonly<Record<string, string>> = {
  '4a': 'One of the 258 sites and weathers falls short by more than 3 K: whether ten years hold a frost as rare as that of its typical year is chance.',
  '4b': 'One of the 258 sites and weathers falls short by more than 3 K: whether ten years hold a heat as rare as that of its typical year is chance.',
};

/** A row with the reason why it misses, where one is known. */
export interface ExplainedRow extends Row {
  readonly reason?: string;
}

/** The rows with their reasons. */
export const explainRows = (
  rows: readonly Row[],
  reasons: Readonly<Record<string, string>> = KNOWN_MISSES,
): ExplainedRow[] =>
  rows.map((row) => {
    const reason = row.verdict === 'missed' ? reasons[row.id] : undefined;
    return reason === undefined ? row : { ...row, reason };
  });

/**
 * What is not as KNOWN_MISSES says, a sentence each: new misses, reasons of rows that are met and, when all rows were
 * measured, of rows that there are not.
 */
export function findSurprises(
  rows: readonly Row[],
  isWhole: boolean,
  reasons: Readonly<Record<string, string>> = KNOWN_MISSES,
): string[] {
  const ids = new Set(rows.map(({ id }) => id));
  const isKnown = ({ id }: Row): boolean => Object.hasOwn(reasons, id);
  const isMissed = ({ verdict }: Row): boolean => verdict === 'missed';
  const gone = isWhole ? Object.keys(reasons).filter((id) => !ids.has(id)) : [];
  return [
    ...rows
      .filter((row) => isMissed(row) && !isKnown(row))
      .map(({ id, figure, measured, accept }) => `${id} misses: ${figure}: ${measured}, accepted ${accept}.`),
    ...rows
      .filter((row) => !isMissed(row) && isKnown(row))
      .map(({ id }) => `${id} is met: take its reason out of KNOWN_MISSES.`),
    ...gone.map((id) => `There is no row ${id}: take its reason out of KNOWN_MISSES.`),
  ];
}
