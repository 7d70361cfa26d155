/**
 * Writes the tables of docs/scale.md and prints them: `node bench/scale/main.ts`. With results of the bench as arguments
 * (`bench/results/*.json`, of one machine) it takes docs/scale-figures.json from them first, and measures the bytes of rows anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Results } from '../results.ts';
import { replaceBetween } from '../../tools/rooms/block.ts';
import { takeFigures } from './figures.ts';
import type { ScaleFigures } from './figures.ts';
import { SCALE_MARKERS } from './markers.ts';
import { measureRowSizes } from './row-sizes.ts';
import { printTables } from './table.ts';

const docs = join(import.meta.dirname, '../../docs');
const [figuresFile, page] = [join(docs, 'scale-figures.json'), join(docs, 'scale.md')];

const paths = process.argv.slice(2);
if (paths.length > 0) {
  const results = paths.map((path) => JSON.parse(readFileSync(path, 'utf8')) as Results);
  const figures: ScaleFigures = { ...takeFigures(results), bytesOfRow: await measureRowSizes() };
  writeFileSync(figuresFile, `${JSON.stringify(figures, null, 2)}\n`);
}
const tables = printTables(JSON.parse(readFileSync(figuresFile, 'utf8')) as ScaleFigures);
writeFileSync(page, replaceBetween(readFileSync(page, 'utf8'), SCALE_MARKERS, tables));
console.log(tables);
