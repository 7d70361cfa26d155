// `make bench`: what the service costs beside limits, peers and other versions of itself. See bench/README.md.
import { benchAbuse } from './abuse/main.ts';
import { benchReads } from './abuse/reads-main.ts';
import { GROUPS } from './groups.ts';
import { benchMemory } from './memory/main.ts';
import { readOptions, USAGE } from './options.ts';
import type { Asked } from './options.ts';
import { run } from './run.ts';
import { formatGoals } from './table.ts';

async function main([part, ...rest]: readonly string[]): Promise<number> {
  if (part === 'abuse') return benchAbuse(rest);
  if (part === 'reads') return benchReads(rest);
  if (part === 'memory') return benchMemory(rest);
  let asked: Asked;
  try {
    asked = readOptions(part === undefined ? [] : [part, ...rest]);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return 2;
  }
  if (asked === 'help') console.log(USAGE);
  else if (asked === 'list') printRows();
  else return run(asked);
  return 0;
}

function printRows(): void {
  for (const { name, about, rows } of GROUPS) {
    console.log(`${name}: ${about}`);
    for (const row of rows) console.log(`  ${row.name.padEnd(50)} ${formatGoals(row) || '-'}`);
  }
}

process.exitCode = await main(process.argv.slice(2));
