import { SCHEMAS, STAGES } from './trial.ts';
import type { Trial } from './trial.ts';

const HEAD = ['generator', 'version', ...STAGES, 'loosened', 'schemas', 'any or unknown in'];

/** A table of all trials, then what the failed ones printed. */
export function printTrials(trials: readonly Trial[]): void {
  const rows = [HEAD, ...trials.map(toRow)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  for (const { generator, failure } of trials)
    if (failure !== undefined) console.log(`\n${generator.name}, ${failure.stage}:\n${failure.output}`);
}

function toRow({ generator, version, types, failure }: Trial): string[] {
  const failed = failure === undefined ? STAGES.length : STAGES.indexOf(failure.stage);
  return [
    generator.name,
    version,
    ...STAGES.map((_, index) => (index < failed ? 'yes' : index === failed ? 'NO' : '')),
    Object.keys(generator.loosened).join(', ') || 'nothing',
    types === undefined ? '' : `${types.found.size} of ${SCHEMAS.size}`,
    types === undefined ? '' : [...types.loose].join(', ') || 'none',
  ];
}
