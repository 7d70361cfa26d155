/**
 * Writes generated/norm-profile.json: the standard load profile H25 as published, from tools/validate/truth/h25.csv.
 *
 * `node tools/generate/norm-profile.ts [--check]`. Shape: {workday, saturday, sunday}, each a list of twelve months of 96
 * quarter hours of local legal time, in Wh of 1,000 MWh a year, before dynamisation.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeOrCheckFiles } from './files.ts';

/** Of the table's columns in each month. */
const COLUMNS = { workday: 'WT', saturday: 'SA', sunday: 'FT' } as const;
const QUARTERS = 96;

/** The file as text; throws when the table has another shape than that published. */
export function normProfileJson(csv: string): string {
  const [months = [], types = [], ...rows] = csv
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(','));
  if (rows.length !== QUARTERS || months.length !== 37) throw new Error('h25.csv: not 96 rows of 36 columns');
  const names = [...new Set(months.slice(1))];
  const lines = Object.entries(COLUMNS).map(([type, column]) => {
    const ofMonths = names.map((name) => {
      const at = months.findIndex((month, i) => month === name && types[i] === column);
      return JSON.stringify(rows.map((row) => Math.round(1000 * Number(row[at]))));
    });
    return `${JSON.stringify(type)}:[\n${ofMonths.join(',\n')}]`;
  });
  return `{${lines.join(',\n')}}\n`;
}

if (import.meta.main) {
  const pathOf = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));
  const csv = readFileSync(pathOf('tools/validate/truth/h25.csv'), 'utf8');
  writeOrCheckFiles(
    new Map([[pathOf('generated/norm-profile.json'), normProfileJson(csv)]]),
    process.argv.includes('--check'),
  );
}
