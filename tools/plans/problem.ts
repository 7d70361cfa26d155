/**
 * A pump-day as a problem for a solver, in K, Wh and EUR/MWh: the cheapest of all courses that keep the bounds of a plan and end
 * as warm as unsteered. Two of them:
 * - relaxed: any heat in any quarter hour, without what cycling costs; no plan is cheaper.
 * - exact: besides that, rooms and tank aim in each quarter hour at what a plan may aim at.
 */
import type { PumpDay, PumpQuarter, StoreStep } from './pump-day.ts';
import { feedInPriceOf } from '../../src/simulation/control/own-power.ts';
import { STANDBY_MILLI_WH } from '../../src/simulation/house/heat-pump-rows.ts';
import { COLDNESS, WARMTH } from '../../src/simulation/house/room-store.ts';

export type ProblemKind = 'relaxed' | 'exact';

const STANDBY_WH = STANDBY_MILLI_WH / 1000;

/** Whole mK are kept: what the last one may be rounded by, K. */
const ROUNDING_K = 0.0005;
/** More than any difference of temperatures, K. */
const FAR_K = 100;

class Problem {
  readonly objective: string[] = [];
  readonly rules: string[] = [];
  readonly bounds: string[] = [];
  readonly binaries: string[] = [];
  constant = 0;

  get text(): string {
    const binaries = this.binaries.length === 0 ? '' : `Binary\n ${this.binaries.join(' ')}\n`;
    return `Minimize\n obj: ${join(this.objective)}\nSubject To\n ${this.rules.join('\n ')}\nBounds\n ${this.bounds.join('\n ')}\n${binaries}End\n`;
  }

  rule(terms: readonly string[], relation: '<=' | '>=' | '=', value: number): void {
    this.rules.push(`${join(terms)} ${relation} ${value}`);
  }
}

const join = (terms: readonly string[]): string => terms.join(' + ').replaceAll('+ -', '- ');

/** The problem of a day as an LP file, and what is to be added to its objective; costs in EUR/MWh times Wh. */
export function problemOf(
  day: PumpDay,
  kind: ProblemKind,
): { readonly text: string; readonly constant: number } {
  const problem = new Problem();
  for (const [i, quarter] of day.quarters.entries()) {
    addStore(problem, day, kind, { name: 'r', i, store: quarter.room, heats: [`q${i}`, `b${i}`] });
    addStore(problem, day, kind, { name: 't', i, store: quarter.tank, heats: [`w${i}`] });
    problem.bounds.push(`0 <= b${i} <= ${quarter.backup / 1000}`);
    problem.rule([`q${i}`, `w${i}`], '<=', quarter.most / 1000);
    addCost(problem, kind, i, quarter);
    addColdness(problem, day.coldness, i, quarter.room.home / 1000);
  }
  const last = day.quarters.length - 1;
  const { room, tank } = day.quarters[last] ?? {};
  for (const [name, home] of [
    ['r', room?.home ?? 0],
    ['t', tank?.home ?? 0],
  ] as const) {
    problem.rule([`${name}${last}`], '>=', home / 1000 - ROUNDING_K);
    problem.rule([`${name}${last}`], '<=', home / 1000 + ROUNDING_K);
  }
  return { text: problem.text, constant: problem.constant };
}

/** What it is worth that rooms are warmer than at home, and more what it costs that they are colder by `c` K, which saves `saved`. */
function addColdness(problem: Problem, saved: number, i: number, home: number): void {
  problem.objective.push(`${-WARMTH * saved} r${i}`, `${(COLDNESS - WARMTH) * saved} c${i}`);
  problem.constant += WARMTH * saved * home;
  problem.bounds.push(`0 <= c${i}`);
  problem.rule([`c${i}`, `r${i}`], '>=', home);
}

interface StoreTerms {
  readonly name: 'r' | 't';
  readonly i: number;
  readonly store: StoreStep;
  readonly heats: readonly string[];
}

function addStore(problem: Problem, day: PumpDay, kind: ProblemKind, terms: StoreTerms): void {
  const { name, i, store, heats } = terms;
  const rise = name === 'r' ? day.roomRise : day.tankRise;
  const start = (name === 'r' ? day.start.room : day.start.tank) / 1000;
  // In K and Wh the rise is that of mK and mWh.
  const warmed = heats.map((heat) => `${-rise} ${heat}`);
  const before = i === 0 ? [] : [`${-store.keep} ${name}${i - 1}`];
  const rest = store.rest / 1000 + (i === 0 ? store.keep * start : 0);
  problem.rule([`${name}${i}`, ...before, ...warmed], '<=', rest);
  // Else heat could be thrown away at negative prices.
  if (!store.losesMore) problem.rule([`${name}${i}`, ...before, ...warmed], '>=', rest - 2 * ROUNDING_K);
  problem.bounds.push(`${store.low / 1000} <= ${name}${i} <= ${store.high / 1000}`);
  const heat = heats[0] ?? '';
  if (store.targets === null) problem.bounds.push(`0 <= ${heat} <= 0`);
  else if (kind === 'exact') addAims(problem, terms, store.targets, day.quarters[i]?.most ?? 0);
}

/**
 * Heat flows up to the target of an aim: whoever heats (h) is below it, and reaches it unless all is given (f). One that aims low
 * need not heat, but then goes beyond the low temperature; and the compressor may run at its least (e).
 */
function addAims(
  problem: Problem,
  { name, i, store, heats }: StoreTerms,
  targets: readonly [number, number, number],
  mostMilliWh: number,
): void {
  const [most, hysteresis] = [mostMilliWh / 1000, store.hysteresis / 1000];
  const [low, home, high, least] = ['l', 'm', 'x', 'e'].map((aim) => `${name}${aim}${i}`);
  const [heating, full] = [`${name}h${i}`, `${name}f${i}`];
  const others = store.least === null ? [] : [`${least}`];
  problem.binaries.push(`${low}`, `${home}`, `${high}`, ...others, heating, full);
  problem.rule([`${low}`, `${home}`, `${high}`, ...others], '=', 1);
  const heat = heats[0] ?? '';
  problem.rule([heat, `${-most} ${heating}`], '<=', 0);
  const reached = [low, home, high].map((aim, k) => `${-(targets[k] ?? 0) / 1000} ${aim}`);
  const highest = others.map((aim) => `${-targets[2] / 1000} ${aim}`);
  problem.rule(
    [`${name}${i}`, ...reached, ...highest, `${-hysteresis} ${low}`, `${FAR_K} ${heating}`],
    '<=',
    FAR_K,
  );
  problem.rule([`${name}${i}`, ...reached, `${FAR_K} ${full}`], '>=', 0);
  if (hysteresis > 0) {
    const both = [low, heating].map((is) => `${-hysteresis} ${is}`);
    problem.rule([`${name}${i}`, ...reached, ...both, `${FAR_K} ${full}`], '>=', -hysteresis);
  }
  if (store.least !== null) {
    const leastWh = store.least / 1000;
    problem.rule([heat, `${-leastWh} ${least}`], '>=', 0);
    problem.rule([heat, `${most - leastWh} ${least}`], '<=', most);
  }
  // All that the compressor gives; the rooms have what the tank leaves.
  const given = name === 'r' ? [`q${i}`, `w${i}`] : [`w${i}`];
  problem.rule([...given, `${-most} ${full}`], '>=', 0);
}

/** Power from the grid at its price, own power at what it would have earned. */
function addCost(problem: Problem, kind: ProblemKind, i: number, quarter: PumpQuarter): void {
  const { room, tank, price } = quarter;
  const own = feedInPriceOf(price);
  const drawn = [`${1 / room.cop} q${i}`, `${1 / tank.cop} w${i}`, `b${i}`];
  const used = [`${own / room.cop} q${i}`, `${own / tank.cop} w${i}`, `${own} b${i}`];
  problem.objective.push(...used, `${price - own} g${i}`);
  problem.constant += own * STANDBY_WH;
  problem.bounds.push(`0 <= g${i}`);
  if (price < 0) addPaidPower(problem, kind, i, quarter);
  else {
    const least = STANDBY_WH - quarter.spare / 1000;
    problem.rule([`g${i}`, ...drawn.map((term) => `- ${term}`)], '>=', least);
  }
}

/**
 * At a negative price as much as possible is from the grid, but own power comes first: nothing up to what there is of it, then
 * all. Relaxed: at most the line from nothing to the most that can be drawn.
 */
function addPaidPower(
  problem: Problem,
  kind: ProblemKind,
  i: number,
  { room, tank, most, backup, spare }: PumpQuarter,
): void {
  const spareWh = spare / 1000;
  const mostDrawn = (most / Math.min(room.cop, tank.cop) + backup) / 1000 + STANDBY_WH;
  const part = Math.max(0, 1 - spareWh / mostDrawn);
  const drawnTimes = (factor: number): string[] => [
    `${factor / room.cop} q${i}`,
    `${factor / tank.cop} w${i}`,
    `${factor} b${i}`,
  ];
  problem.rule([`g${i}`, ...drawnTimes(-part)], '<=', part * STANDBY_WH);
  if (kind === 'relaxed' || spareWh === 0) return;
  const isBeyond = `o${i}`;
  problem.binaries.push(isBeyond);
  problem.rule([`g${i}`, `${-mostDrawn} ${isBeyond}`], '<=', 0);
  problem.rule(
    [`g${i}`, ...drawnTimes(-1), `${mostDrawn} ${isBeyond}`],
    '<=',
    STANDBY_WH - spareWh + mostDrawn,
  );
}
