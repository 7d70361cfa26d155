// `make bench ARGS=abuse`: attacks beside a second partner. See bench/README.md.
import { parseArgs } from 'node:util';
import type { Attack } from './attack.ts';
import { ATTACKS, CONTROL, findAttack } from './attacks/all.ts';
import { boundsOf, WITHOUT_BOUND } from './bounds/all.ts';
import { measure, medianRun, Victim } from './measure.ts';
import type { Latency, Run } from './measure.ts';
import { canPin, pinToServiceCore } from '../processes.ts';
import { GOALS, missedGoals, printHead, printRow } from './table.ts';
import type { Row } from './table.ts';
import { copyWithout } from './unbounded.ts';
import { createWorld } from './world.ts';
import type { Attacked, World } from './world.ts';

const SAME = '127.0.0.1';
const OTHER = '127.0.0.2';
/** The control is measured again before every so many rows: the machine may have become another one. */
const ROWS_PER_CONTROL = 6;

interface Plan {
  readonly attacks: readonly Attack[];
  readonly cells: readonly Cell[];
  readonly runs: number;
  readonly requests: number;
  readonly perSecond: number;
  readonly households: number;
  /** Each attack against a service without its bounds. */
  readonly unbounded: boolean;
}

interface Cell {
  readonly limits: 'off' | 'default';
  readonly from: typeof SAME | typeof OTHER;
}

/** The address matters only where limits count it: to those who are not known by a token. */
const CELLS: readonly Cell[] = [
  { limits: 'off', from: OTHER },
  { limits: 'default', from: SAME },
  { limits: 'default', from: OTHER },
];

const USAGE = `abuse [ATTACK…] [--quick] [--limits off|default] [--from same|other] [--runs N] [--requests N] [--rate N] [--unbounded] [--list]`;

/** Measures the attacks that the arguments name, or all. Resolves to the exit code: 1 when a goal was missed. */
export async function benchAbuse(args: readonly string[]): Promise<number> {
  const plan = readPlan(args);
  if (plan === undefined) {
    for (const { name, by, what } of ATTACKS) console.log(`${name.padEnd(18)} ${by.padEnd(8)} ${what}`);
    return 0;
  }
  pinToServiceCore();
  const { attacks, runs, requests, perSecond } = plan;
  console.log(
    `Attacks beside a partner that sends ${perSecond} requests a second, GET and POST by turns: ` +
      `${requests} in each run, median of ${runs}.`,
  );
  if (plan.unbounded) printBounds(attacks);
  if (!canPin) console.log('Without two cores and taskset nothing is pinned: the control means little.');
  console.log(`The calibration loop takes ${calibrate().toFixed(0)} ms.\n`);
  const startedAt = performance.now();
  const world = await createWorld(plan.households);
  const victim = new Victim(perSecond);
  const rows: Row[] = [];
  let control: Latency | undefined;
  try {
    printHead();
    for (const attack of attacks) {
      const isMeasured = !plan.unbounded || boundsOf(attack.name).length > 0;
      for (const cell of isMeasured ? cellsOf(attack, plan.cells) : []) {
        const isDue = rows.length % ROWS_PER_CONTROL === 0 || control === undefined;
        const row = await measureRow(world, victim, attack, cell, plan, isDue ? undefined : control);
        ({ control } = row);
        rows.push(row);
        printRow(row);
      }
    }
  } finally {
    victim.stop();
    await world.remove();
  }
  return conclude(rows, startedAt);
}

/** What is taken out for each attack; those that nothing could be taken out for are not made. */
function printBounds(attacks: readonly Attack[]): void {
  console.log('Each attack is made on a service without rate limits and without the bounds that hold it up:');
  for (const { name } of attacks) {
    const bounds = boundsOf(name).map((bound) => bound.name);
    console.log(`${name.padEnd(18)} ${WITHOUT_BOUND[name] ?? bounds.join('; ')}`);
  }
}

function conclude(rows: readonly Row[], startedAt: number): number {
  const missed = rows.filter((row) => missedGoals(row).length > 0);
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  console.log(
    `\n${rows.length - missed.length} of ${rows.length} rows reach every goal (p99 at most ${GOALS.ratio} times the ` +
      `control or ${GOALS.aboveMs} ms above it; a burst is over within ${GOALS.burstMs} ms; the loop is held ` +
      `${GOALS.holdMs} ms at most; ${GOALS.memoryMb} MB more memory at most; no failed request). ${minutes} minutes. ` +
      `The calibration loop takes ${calibrate().toFixed(0)} ms.`,
  );
  return missed.length > 0 ? 1 : 0;
}

async function measureRow(
  world: World,
  victim: Victim,
  attack: Attack,
  { limits, from }: Cell,
  plan: Plan,
  known: Latency | undefined,
): Promise<Row> {
  const tree = plan.unbounded ? copyWithout(boundsOf(attack.name)) : undefined;
  const attacked = await world.start({ limits, command: tree?.command, hasOwnMetrics: !attack.readsMetrics });
  try {
    await warmUp(attacked, victim, plan);
    const control = known ?? (await measure(attacked, victim, CONTROL, from, plan.requests));
    const runs: Run[] = [];
    for (let i = 0; i < plan.runs; i++)
      runs.push(await measure(attacked, victim, attack, from, plan.requests));
    return { attack, limits, from: from === SAME ? 'same' : 'other', run: medianRun(runs), control };
  } finally {
    await attacked.remove();
    tree?.remove();
  }
}

/** Two seconds, in which the service's code is compiled and its connections are opened. */
async function warmUp(attacked: Attacked, victim: Victim, { perSecond }: Plan): Promise<void> {
  await victim.send(attacked, perSecond * 2);
}

/** With limits off and for partners with a token one address is like another. */
function cellsOf({ by }: Attack, cells: readonly Cell[]): readonly Cell[] {
  return by === 'anybody' ? cells : cells.filter(({ limits, from }) => limits === 'off' || from === SAME);
}

function readPlan(args: readonly string[]): Plan | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      unbounded: { type: 'boolean', default: false },
      limits: { type: 'string' },
      from: { type: 'string' },
      runs: { type: 'string' },
      requests: { type: 'string' },
      rate: { type: 'string' },
    },
  });
  if (values.list) return undefined;
  const number = (text: string | undefined, otherwise: number): number => {
    const value = text === undefined ? otherwise : Number(text);
    if (!Number.isInteger(value) || value < 1) throw new Error(`Usage: ${USAGE}`);
    return value;
  };
  const from = values.from === undefined ? undefined : values.from === 'same' ? SAME : OTHER;
  return {
    attacks: positionals.length === 0 ? ATTACKS : positionals.map(findAttack),
    unbounded: values.unbounded,
    cells: CELLS.filter(
      (cell) =>
        (values.limits ?? (values.unbounded ? 'off' : cell.limits)) === cell.limits &&
        (from === undefined || cell.from === from),
    ),
    runs: number(values.runs, values.quick ? 1 : 3),
    requests: number(values.requests, values.quick ? 1_000 : 3_000),
    perSecond: number(values.rate, 400),
    households: values.quick ? 1_000 : 5_000,
  };
}

/** A fixed piece of work: how fast the machine is now. Milliseconds. */
function calibrate(): number {
  const start = performance.now();
  let value = 1;
  for (let i = 0; i < 200_000_000; i++) value = (Math.imul(value, 1_103_515_245) + 12_345) & 0x7fffffff;
  if (value < 0) throw new Error('The loop has to be computed.');
  return performance.now() - start;
}
