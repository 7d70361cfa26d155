/**
 * Compares plans of heat pumps, by hand, with what a solver finds: `node tools/plans/main.ts 50 60` takes 50 pump-days and gives
 * the solver 60 s for each. A third number leaves out so many of them, so that an interrupted run goes on. A percentage of a day
 * that costs some cents says little: all is told in EUR, too.
 */
import { DAY_MS } from '../../src/domain/api/durations.ts';
import { choosePumpDays, createSolver, solveDay } from './solve.ts';

const [days = 10, seconds = 10, skipped = 0] = process.argv.slice(2).map(Number);
const solver = await createSolver();
const percent = (part: number, whole: number): string => ((100 * part) / whole).toFixed(2);
/** EUR of EUR/MWh times mWh. */
const eur = (cost: number): string => (cost / 1e9).toFixed(4);
/** How far a plan may lie above the bound of a solver that proved it, and of one that did not, as a part of its cost. */
const GOALS = { proved: 0.01, 'not proved': 0.03 } as const;

interface Sum {
  days: number;
  power: number;
  above: number;
  /** Of the parts of single days. */
  parts: number;
}
const sums = new Map<string, Sum>();

for (const { market, hasPv, localDay, day } of [...choosePumpDays(days)].slice(skipped)) {
  const { planned, unsteered } = day;
  const cost = planned.power + planned.coldness;
  const relaxed = solveDay(solver, day, 'relaxed', seconds);
  const exact = solveDay(solver, day, 'exact', seconds);
  const bound = Math.max(exact.bound, relaxed.bound);
  const row = {
    market,
    date: new Date(localDay * DAY_MS).toISOString().slice(0, 10),
    pv: hasPv,
    costEur: eur(planned.power),
    aboveBoundEur: eur(cost - bound),
    savedPercent: percent(unsteered.power - planned.power, unsteered.power),
    aboveRelaxedPercent: percent(cost - relaxed.bound, planned.power),
    aboveBoundPercent: percent(cost - bound, planned.power),
    aboveFoundPercent: percent(cost - exact.found, planned.power),
    isProved: exact.isProved,
  };
  process.stdout.write(`${JSON.stringify(row)}\n`);
  const proof = exact.isProved ? 'proved' : 'not proved';
  add(proof, planned.power, cost - bound);
  if ((cost - bound) / planned.power > GOALS[proof])
    add(`${proof}, beyond the goal`, planned.power, cost - bound);
  add(hasPv ? 'with PV' : 'without PV', planned.power, cost - bound);
}

function add(name: string, power: number, above: number): void {
  const sum = sums.get(name) ?? { days: 0, power: 0, above: 0, parts: 0 };
  sum.days += 1;
  sum.power += power;
  sum.above += above;
  sum.parts += above / power;
  sums.set(name, sum);
}

for (const [name, sum] of sums)
  process.stdout.write(
    `${name}: ${sum.days} days of ${eur(sum.power)} EUR, ${eur(sum.above)} EUR above the bound: ${percent(sum.above, sum.power)} %; mean of the days ${percent(sum.parts, sum.days)} %\n`,
  );
