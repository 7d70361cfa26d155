// `make bounds`: takes each bound out of a copy of the source and sees its tests fail. Exits 1 when a test survives the removal of
// its bound, fails without it, or a removal does not apply any more.
import { parseArgs } from 'node:util';
import type { Bound, Proof } from '../../bench/abuse/bounds/bound.ts';
import { copyTree, SERVICE_PARTS } from '../../bench/abuse/unbounded.ts';
import { printRows } from '../faults/report.ts';
import { startTemporaryServer } from '../support/temporary-server.ts';
import { ALL_BOUNDS } from './all.ts';
import type { RunOptions } from './run-tests.ts';
import { findUnsound, tryBound } from './trial.ts';
import type { Outcome } from './trial.ts';

const HELP = `make bounds ARGS="[--list] [--patience SECONDS] [PART…]"

Takes each bound of the service out of a copy of the source, one after the other, runs the tests that are named for it there, and
expects all of their cases to fail. Before that the same tests have to pass on the copy as it is. A row for each bound and
test tells the verdict, how many cases failed, the seconds, and what the first one said.

PART…       bounds whose name, attacks, files or tests contain one of these; all when none is given
--list      print the bounds and their tests, and end
--patience  seconds after which a test that waits for what does not come has failed; 30

Exits with 0 when every row is red.
  red     the tests fail by an assertion, or wait in vain
  green   a test passes although its bound is gone
  broken  a test fails for another reason, which proves nothing
  absent  there is no such test
  stale   the place of the bound is not found in the source
`;

const TEST_PARTS = [...SERVICE_PARTS, 'bench', 'tests', 'tools', 'tsconfig.json', 'package-lock.json'];
const MS = 1_000;

const { values, positionals } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    patience: { type: 'string', default: '30' },
  },
  allowPositionals: true,
});
const patienceMs = Number(values.patience) * MS;
const chosen = ALL_BOUNDS.filter((bound) => isMeant(bound, positionals));
if (values.help) console.log(HELP);
else if (!(patienceMs > 0) || chosen.length === 0) {
  console.error(
    chosen.length === 0 ? 'No bound is called so; --list prints all.' : 'Give --patience seconds.',
  );
  process.exitCode = 2;
} else if (values.list) list(chosen);
else process.exitCode = await tryAll(chosen);

function isMeant({ name, attacks, edits, proofs }: Bound, parts: readonly string[]): boolean {
  const texts = [name, ...attacks, ...edits.map(({ file }) => file), ...proofs.map(({ file }) => file)];
  return parts.length === 0 || parts.some((part) => texts.some((text) => text.includes(part)));
}

function list(bounds: readonly Bound[]): void {
  for (const { name, edits, proofs } of bounds) {
    console.log(`${name} (${[...new Set(edits.map(({ file }) => file))].join(', ')})`);
    for (const { file, test, only } of proofs)
      console.log(`  ${file}: ${test}${only === undefined ? '' : ` (${only})`}`);
  }
}

async function tryAll(bounds: readonly Bound[]): Promise<number> {
  const tree = copyTree(TEST_PARTS);
  // One server for all runs: starting one takes longer than most tests.
  const server = await startTemporaryServer({ fsync: 'off', max_connections: '300' });
  // The run under way ends with this process.
  const interrupt = (): void => void server.remove().finally(() => process.exit(1));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupt);
  process.once('exit', () => tree.remove());
  try {
    const { host, port, user } = server.connection;
    const query = new URLSearchParams({ host, port: String(port), user });
    const env = { TEST_DATABASE_URL: `postgresql://localhost/postgres?${query.toString()}` };
    const options = { folder: tree.folder, config: 'tests/style/vitest.config.ts', patienceMs, env };
    return await tryEach(bounds, options);
  } finally {
    await server.remove();
    tree.remove();
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupt);
  }
}

async function tryEach(bounds: readonly Bound[], options: Omit<RunOptions, 'limitMs'>): Promise<number> {
  const startedAt = performance.now();
  const proofs: readonly Proof[] = bounds.flatMap((bound) => bound.proofs);
  // A case may take its patience, and so may what comes before it.
  const limitMs = (count: number): number => (count + 4) * 4 * patienceMs;
  const unsound = await findUnsound(proofs, { ...options, limitMs: limitMs(proofs.length) });
  const faults = [...unsound].map(
    ([{ file, test }, says]) => `With its bound fails ${file}: ${test}: ${says}`,
  );
  for (const fault of new Set(faults)) console.log(fault);
  const outcomes: Outcome[] = [];
  for (const bound of bounds) {
    const found = await tryBound(bound, { ...options, limitMs: limitMs(bound.proofs.length) });
    for (const { verdict, says } of found) console.log(`${verdict.padEnd(6)} ${bound.name}: ${says}`);
    outcomes.push(...found);
  }
  printTable(bounds, outcomes);
  const survivors = outcomes.filter(({ verdict }) => verdict !== 'red');
  const minutes = ((performance.now() - startedAt) / (60 * MS)).toFixed(1);
  console.log(
    `\n${outcomes.length - survivors.length} of ${outcomes.length} tests of ${bounds.length} bounds fail without them. ${minutes} minutes.`,
  );
  return survivors.length + unsound.size > 0 ? 1 : 0;
}

function printTable(bounds: readonly Bound[], outcomes: readonly Outcome[]): void {
  const filesOf = new Map(
    bounds.map(({ name, edits }) => [name, [...new Set(edits.map(({ file }) => file))].join(' ')]),
  );
  console.log('');
  printRows([
    ['bound', 'taken out of', 'test', 'cases that fail', 'seconds', ''],
    ...outcomes.map(({ bound, proof, verdict, failed, cases, seconds }) => [
      bound,
      filesOf.get(bound) ?? '',
      `${proof.file}: ${proof.test}${proof.only === undefined ? '' : ` (${proof.only})`}`,
      `${failed} of ${cases}`,
      seconds.toFixed(0),
      verdict,
    ]),
  ]);
}
