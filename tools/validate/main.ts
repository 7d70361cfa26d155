// `make validate`: measures the simulator against what was measured in the world, prints every figure and writes report and
// pictures for the reference. Exits 1 when a row misses without a known reason, or is met in spite of one. With parts as
// arguments (weather, cars ...) it measures those and writes nothing; with `--check` it measures nothing and exits 1 when the
// report was made by other code.
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { computeFingerprint, isReportStale } from './fingerprint.ts';
import { findSurprises } from './known-misses.ts';
import { PARTS, isPartName } from './parts.ts';
import type { PartName } from './parts.ts';
import { createReport, formatColumns, formatRows } from './report.ts';
import type { Report } from './report.ts';
import { runParts } from './run-parts.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = fileURLToPath(new URL('../../generated/validation/', import.meta.url));
const REPORT = 'report.json';

function checkFingerprint(): void {
  if (!isReportStale(ROOT)) return;
  console.error('Stale: generated/validation. Run `make validate` (1 to 3 minutes) and commit the result.');
  process.exitCode = 1;
}

/** Writes the report and the pictures, and removes files that are no longer written. */
function writeReport(report: Report, pictures: ReadonlyMap<string, string>): void {
  mkdirSync(FOLDER, { recursive: true });
  const files = new Map([...pictures, [REPORT, `${JSON.stringify(report, null, 2)}\n`]]);
  for (const [name, text] of files) writeFileSync(`${FOLDER}${name}`, text);
  for (const name of globSync('*', { cwd: FOLDER })) if (!files.has(name)) rmSync(`${FOLDER}${name}`);
}

async function validate(chosen: readonly PartName[]): Promise<void> {
  const isWhole = chosen.length === 0;
  // Before it is measured: code that changes meanwhile makes the report stale.
  const fingerprint = computeFingerprint(ROOT);
  const results = await runParts(isWhole ? (Object.keys(PARTS) as PartName[]) : chosen, (name, seconds) =>
    console.error(`${name}: ${seconds.toFixed(0)} s`),
  );
  const report = createReport(fingerprint, results);
  const rows = report.sections.flatMap((section) => section.rows);
  for (const { columns } of report.sections)
    if (columns.length > 0) console.log(`${formatColumns(columns)}\n`);
  console.log(formatRows(rows));
  for (const { id, reason } of rows)
    if (reason !== undefined) console.log(`${id} is known to miss: ${reason}`);
  const surprises = findSurprises(rows, isWhole);
  for (const surprise of surprises) console.error(surprise);
  if (surprises.length > 0) process.exitCode = 1;
  if (!isWhole) return;
  const pictures = [...results.values()].flatMap((result) => result.pictures);
  writeReport(report, new Map(pictures.map(({ shown, svg }) => [`${shown.name}.svg`, svg])));
}

const names = process.argv.slice(2);
if (names.length === 1 && names[0] === '--check') checkFingerprint();
else if (names.every(isPartName)) await validate(names);
else {
  console.error(
    `Usage: node tools/validate/main.ts [--check | part ...]; parts: ${Object.keys(PARTS).join(', ')}`,
  );
  process.exitCode = 2;
}
