// `make bench ARGS=abuse`: attacks beside a second partner. See bench/README.md.
import { join } from 'node:path';
import type { Attack } from './attack.ts';
import { ATTACKS, CONTROL } from './attacks/all.ts';
import { boundsOf, WITHOUT_BOUND } from './bounds/all.ts';
import { calibrate } from './calibration.ts';
import { isStored, toStoredRow, readStoredRows, writeStoredResults } from './stored-rows.ts';
import type { StoredResults, StoredRow } from './stored-rows.ts';
import { measure } from './measure.ts';
import type { ControlLatency, Run, RunOptions, Victim } from './measure.ts';
import { describeTree } from '../other-version.ts';
import { nameAddress, readPlan, rowsOf, USAGE } from './plan.ts';
import type { Plan, PlannedRow } from './plan.ts';
import { canPin, pinToServiceCore, sharesBySession } from '../processes.ts';
import { describeMachine, nameResults } from '../results.ts';
import { GOALS, concludeRuns, isDecided, printHead, printRow } from './table.ts';
import type { Row } from './table.ts';
import { copyWithout } from './unbounded.ts';
import { ROOT } from '../version.ts';
import { withWorld } from './with-world.ts';
import type { World } from './world.ts';

/** The control is measured again when it is older: the machine may have become another one. */
const CONTROL_AGE_MS = 240_000;

/** Measures the attacks that the arguments name, or all. Resolves to the exit code: 1 when a goal was missed, 2 for wrong arguments. */
export async function benchAbuse(args: readonly string[]): Promise<number> {
  let plan: Plan | 'help' | 'list';
  try {
    plan = readPlan(args);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return 2;
  }
  if (plan === 'help') console.log(USAGE);
  else if (plan === 'list')
    for (const { name, by, what } of ATTACKS) console.log(`${name.padEnd(18)} ${by.padEnd(8)} ${what}`);
  else return measurePlan(plan);
  return 0;
}

async function measurePlan(plan: Plan): Promise<number> {
  const book = new Book(plan);
  const missing = rowsOf(plan).filter((row) => !isStored(book.rows, row));
  pinToServiceCore();
  console.log(
    `Attacks beside a partner that sends ${plan.perSecond} requests a second, GET and POST by turns: ` +
      `${plan.requests} in each run, median of ${plan.runs}. ${missing.length} rows, kept in ${book.path}`,
  );
  if (plan.unbounded) printBounds(plan.attacks);
  if (!canPin) console.log('Without two cores and taskset nothing is pinned: the control means little.');
  if (sharesBySession())
    console.log(
      'Processors are shared out by sessions of processes, and what the victim waits for says more of that than of the service: ' +
        'see bench/README.md. `sysctl kernel.sched_autogroup_enabled=0` ends it.',
    );
  console.log(`The calibration loop takes ${calibrate().toFixed(0)} ms.\n`);
  const isWhole = await measureRows(plan, missing, book);
  return conclude(book, isWhole);
}

/** The rows that are known, those of an earlier run first, and the file in which they are. */
class Book {
  readonly path: string;
  readonly startedAt = new Date();
  readonly #rows: StoredRow[] = [];
  readonly #asked: StoredResults['asked'];
  readonly #about: Pick<StoredResults, 'version' | 'machine' | 'rowsPlanned'>;

  constructor(plan: Plan) {
    const { runs, untilDecided, requests, perSecond, households, unbounded, resume } = plan;
    this.#asked = { runs, untilDecided, requests, perSecond, households, unbounded };
    this.#about = { version: describeTree(), machine: describeMachine(), rowsPlanned: rowsOf(plan).length };
    const name = nameResults(this.startedAt, this.#about.version.commit);
    this.path = resume ?? join(ROOT, 'bench/results', `abuse-${name}`);
    if (resume !== undefined) this.#rows.push(...readStoredRows(resume, this.#asked));
  }

  get rows(): readonly StoredRow[] {
    return this.#rows;
  }

  add(row: StoredRow): void {
    this.#rows.push(row);
    const times = { startedAt: this.startedAt.toISOString(), endedAt: new Date().toISOString() };
    writeStoredResults(this.path, { ...times, ...this.#about, asked: this.#asked, rows: this.#rows });
  }
}

/** Measures row by row, and keeps each at once. False when a signal ended it before all were measured. */
async function measureRows(plan: Plan, planned: readonly PlannedRow[], book: Book): Promise<boolean> {
  const isWhole = await withWorld(plan, async (world, victim) => {
    let control: Control | undefined;
    printHead();
    for (const each of planned) {
      const isFresh =
        control?.victimReads === each.attack.victimReads &&
        control !== undefined &&
        performance.now() - control.atMs < CONTROL_AGE_MS;
      const { row, control: used } = await measureRow(
        world,
        victim,
        each,
        plan,
        isFresh ? control : undefined,
      );
      control = used;
      printRow(row);
      book.add(toStoredRow(row));
    }
    return true;
  });
  return isWhole ?? false;
}

/** What is taken out for each attack; those that nothing could be taken out for are not made. */
function printBounds(attacks: readonly Attack[]): void {
  console.log('Each attack is made on a service without rate limits and without the bounds that hold it up:');
  for (const { name } of attacks) {
    const bounds = boundsOf(name).map((bound) => bound.name);
    console.log(`${name.padEnd(18)} ${WITHOUT_BOUND[name] ?? bounds.join('; ')}`);
  }
}

function conclude({ rows, path, startedAt }: Book, isWhole: boolean): number {
  const missed = rows.filter((row) => row.missed.length > 0);
  const minutes = ((Date.now() - startedAt.getTime()) / 60_000).toFixed(1);
  const resume = isWhole ? '' : ` Interrupted: go on with the same arguments and --resume ${path}`;
  console.log(
    `\n${rows.length - missed.length} of ${rows.length} rows reach every goal (p99 at most ${GOALS.ratio} times the ` +
      `control or ${GOALS.aboveMs} ms above it; a burst is over within ${GOALS.burstMs} ms; the loop is held ` +
      `${GOALS.holdMs} ms at most; ${GOALS.memoryMb} MB more memory at most; no failed request). ${minutes} minutes. ` +
      `The calibration loop takes ${calibrate().toFixed(0)} ms. All figures: ${path}${resume}`,
  );
  return missed.length > 0 || !isWhole ? 1 : 0;
}

interface Control extends ControlLatency {
  readonly atMs: number;
  readonly victimReads: Attack['victimReads'];
}

async function measureRow(
  world: World,
  victim: Victim,
  planned: PlannedRow,
  plan: Plan,
  known: Control | undefined,
): Promise<{ row: Row; control: Control }> {
  const { attack, limits, from } = planned;
  const tree = plan.unbounded ? copyWithout(boundsOf(attack.name)) : undefined;
  const attacked = await world.start({
    limits,
    command: tree?.command,
    hasOwnMetrics: !attack.readsMetrics,
    hasStatistics: !attack.hasNoStatistics,
  });
  try {
    await attacked.startThreads();
    attacked.memory();
    await victim.warmUp(attacked);
    const base = { attacked, victim, from, requests: plan.requests, warmMb: attacked.memory().peak };
    const control = known ?? (await measureControl(base, attack.victimReads));
    const runs: Run[] = [];
    while (runs.length < plan.runs) {
      runs.push(await measure({ ...base, attack }));
      if (plan.untilDecided && isDecided(runs, plan.runs, attack, control)) break;
    }
    const about = { attack, limits, from: nameAddress(planned), control };
    return { row: { ...about, runs, ...concludeRuns(runs, plan.runs, attack, control) }, control };
  } finally {
    await attacked.remove();
    tree?.remove();
  }
}

async function measureControl(
  base: Omit<RunOptions, 'attack'>,
  victimReads: Attack['victimReads'],
): Promise<Control> {
  const control = victimReads === undefined ? CONTROL : { ...CONTROL, victimReads };
  const { p50, p99, delayMs } = await measure({ ...base, attack: control });
  return { p50, p99, delayMs, atMs: performance.now(), victimReads };
}
