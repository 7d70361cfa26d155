// `make validate`: measures the simulator against its targets, prints a table and writes it and the charts for the reference.
// Exits 1 when a target is missed; with `--check` it writes nothing and also fails when one of them is stale.
import { writeOrCheckFiles } from '../generate/files.ts';
import { reportTable, validate } from './report.ts';

const { checks, charts } = validate();
const missed = checks.filter(({ met }) => !met).length;
console.log(`${reportTable(checks)}\n\n${checks.length - missed} of ${checks.length} targets met.`);
const files = { ...charts, 'report.json': `${JSON.stringify(checks, null, 2)}\n` };
writeOrCheckFiles(
  new Map(Object.entries(files).map(([name, text]) => [`generated/validation/${name}`, text])),
  process.argv.includes('--check'),
);
if (missed > 0) process.exitCode = 1;
