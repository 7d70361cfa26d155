/** The measured homes of truth/load.csv and truth/load-coincidence.csv. */
import { readFileSync } from 'node:fs';
import { LOAD_COLUMNS } from './load-figures.ts';
import type { LoadColumn } from './load-figures.ts';

const read = (file: string): string[] =>
  readFileSync(new URL(`truth/${file}`, import.meta.url), 'utf8')
    .trim()
    .split('\n');

/** By column, the values of the homes measured half-hourly over about a year; a home without a value is left out there. */
export function measuredHomes(): ReadonlyMap<LoadColumn, readonly number[]> {
  const [header = '', ...lines] = read('load.csv');
  const names = header.split(',');
  // Only texts after the numbers hold commas.
  const homes = lines
    .filter((line) => line.split(',')[1] === '30' && !line.includes('partial year'))
    .map((line) => line.split(','));
  return new Map(
    LOAD_COLUMNS.map((column) => {
      const at = names.indexOf(column);
      return [column, homes.flatMap((fields) => (fields[at] ? [Number(fields[at])] : []))];
    }),
  );
}
