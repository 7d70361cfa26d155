// `make bench ARGS=reads`: each read of the document beside a second partner, one after the other at one service. See bench/README.md.
import { parseArgs } from 'node:util';
import { pinToServiceCore } from '../processes.ts';
import { CONTROL } from './attacks/all.ts';
import { READS } from './attacks/reads.ts';
import { calibrate } from './calibration.ts';
import { measure } from './measure.ts';
import type { RunOptions } from './measure.ts';
import { concludeRuns, missedGoals, printHead, printRow } from './table.ts';
import { withWorld } from './with-world.ts';

const HOUSEHOLDS = 5_000;
const REQUESTS = 1_000;
const PER_SECOND = 200;

const USAGE = `Usage: make bench ARGS="reads [OPERATION…]"

Each operation that reads, in each of its media types, 60 at once, beside a second partner that sends ${PER_SECOND} requests a second; one
run of ${REQUESTS} each, one after the other at one service. Finds what no attack has been written for. The exit code is 1 when a goal of the attacks was missed.

Options:
  --list   the reads
  --help   this text
`;

/** Measures the reads that the arguments name, or all. Resolves to the exit code: 1 when a goal was missed, 2 for wrong arguments. */
export async function benchReads(args: readonly string[]): Promise<number> {
  let named: readonly string[];
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { list: { type: 'boolean' }, help: { type: 'boolean' } },
    });
    const unknown = positionals.find((name) => READS.every((read) => read.name.split(' ')[0] !== name));
    if (unknown !== undefined)
      throw new Error(`No operation that reads is called ${unknown}; --list prints all.`);
    if (values.help) console.log(USAGE);
    if (values.list) for (const { name, what } of READS) console.log(`${name.padEnd(45)} ${what}`);
    if (values.help || values.list) return 0;
    named = positionals;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return 2;
  }
  return measureReads(
    READS.filter(({ name }) => named.length === 0 || named.includes(name.split(' ')[0] ?? '')),
  );
}

async function measureReads(reads: typeof READS): Promise<number> {
  pinToServiceCore();
  console.log(`The calibration loop takes ${calibrate().toFixed(0)} ms.\n`);
  const code = await withWorld({ households: HOUSEHOLDS, perSecond: PER_SECOND }, async (world, victim) => {
    const attacked = await world.start({ limits: 'off', hasOwnMetrics: true, hasStatistics: true });
    try {
      await attacked.startThreads();
      await victim.warmUp(attacked);
      return await measureEach(reads, { attacked, victim, from: '127.0.0.2', requests: REQUESTS });
    } finally {
      await attacked.remove();
    }
  });
  return code ?? 1;
}

async function measureEach(
  reads: typeof READS,
  base: Omit<RunOptions, 'attack' | 'warmMb'>,
): Promise<number> {
  // Memory is what each takes beyond those before it.
  const take = (attack: RunOptions['attack']) =>
    measure({ ...base, attack, warmMb: base.attacked.memory().now });
  const control = await take(CONTROL);
  let missed = 0;
  printHead();
  for (const attack of reads) {
    const runs = [await take(attack)];
    const row = {
      attack,
      limits: 'off',
      from: 'other',
      runs,
      control,
      ...concludeRuns(runs, 1, attack, control),
    };
    printRow(row);
    missed += Math.sign(missedGoals(row).length);
  }
  console.log(
    `\n${reads.length - missed} of ${reads.length} reads reach every goal. The calibration loop takes ${calibrate().toFixed(0)} ms.`,
  );
  return missed > 0 ? 1 : 0;
}
