/** A window of a steered house, quarter hour by quarter hour: thermostat, boosts and plans, and the plans anew when prices come in. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { CONTROL_MODE } from '../control/control-modes.ts';
import { fillBoostTargets } from './boost-targets.ts';
import type { Circumstances } from './circumstances.ts';
import { RUN_QUARTERS, endOfRunWindow, packIntoRuns } from './compressor-runs.ts';
import { HeatPlanner } from './heat-planner.ts';
import { MID, NO_HEAT_MILLI_WH, createHeatPumpRows } from './heat-pump-rows.ts';
import type { HeatPumpRows } from './heat-pump-rows.ts';
import { HouseSpan } from './house-span.ts';
import type { HouseState } from './house-state.ts';
import { AIM } from './store-search.ts';
import { runThermostat } from './thermal-steps.ts';
import type { WalkContext, Window, WindowSpan } from './window.ts';

/** Memory in which one window after the other is computed, of any house. */
const span = new HouseSpan();
const planner = new HeatPlanner(span);
const repriced = new Float64Array(2 * QUARTER_HOURS_PER_DAY);

const codeOf = (i: number): number => 1 + 3 * (span.roomAims[i] ?? 0) + (span.tankAims[i] ?? 0);

export class WindowWalk {
  readonly #context: WalkContext;
  readonly #window: WindowSpan;
  readonly #rows: HeatPumpRows;
  readonly #blocked: Uint8Array;
  readonly #codes: Uint8Array;
  /** The next quarter hour, and the state before it. */
  #at: number;
  #state: HouseState;

  /** `start` is the state before the window; undefined where it is that of the unsteered house. `plans`: whether it has plans. */
  constructor(context: WalkContext, { first, end, plans }: WindowSpan, start: HouseState | undefined) {
    this.#context = context;
    this.#window = { first, end, plans };
    this.#rows = createHeatPumpRows(end - first);
    this.#blocked = new Uint8Array(end - first);
    this.#codes = new Uint8Array(end - first);
    this.#at = first;
    this.#load(first + 1);
    this.#state = start ?? this.#homeAt(first);
  }

  /** Walks the window. `codeAt` gives the code of each of its quarter hours where it was walked before. */
  walk(codeAt?: (i: number) => number): Window {
    const { end } = this.#window;
    while (this.#at < end) {
      this.#load(endOfRunWindow(this.#at));
      const event = this.#context.interventions.next(this.#at);
      if (codeAt !== undefined && codeAt(this.#at - this.#window.first) > 0) this.#repeat(codeAt);
      else if (codeAt !== undefined || !this.#mayPlan()) this.#followThermostat(event);
      else {
        const until = this.#context.prices.fill(this.#at, end, span.prices, this.#at - span.start);
        if (until === this.#at) this.#followThermostat(event);
        else this.#plan(until, event);
      }
    }
    return {
      ...this.#window,
      rows: this.#rows,
      blocked: this.#blocked,
      codes: this.#codes,
      after: this.#state,
      isHomeAfter: this.#isHome(),
    };
  }

  /** What is known now of the time up to a quarter hour. */
  #load(end: number): void {
    const day = Math.floor(this.#window.first / QUARTER_HOURS_PER_DAY);
    span.load(this.#context.house, day, this.#at, end);
  }

  #homeAt(quarter: number): HouseState {
    const i = quarter - span.start;
    return { room: span.home.room[i] ?? 0, tank: span.home.tank[i] ?? 0 };
  }

  #isHome(): boolean {
    const { room, tank } = this.#homeAt(this.#at);
    return room === this.#state.room && tank === this.#state.tank;
  }

  /** Plans begin at home, with the two hours of a run, so that what came before has run as it was to. */
  #mayPlan(): boolean {
    const { house, interventions } = this.#context;
    const { first, plans } = this.#window;
    const begins = this.#at % RUN_QUARTERS === 0 || this.#at === first;
    if (!plans || !begins || interventions.modeAt(this.#at) !== CONTROL_MODE.automatic) return false;
    return house.circumstancesAt(this.#at).preferences.price_response && this.#isHome();
  }

  /** Follows the thermostat up to the end of a run's two hours or an event, whose coming nobody knows before. */
  #followThermostat(event: number): void {
    const { house, interventions } = this.#context;
    const boundary = Math.min(endOfRunWindow(this.#at), this.#window.end);
    const stop = Math.min(boundary, event);
    const [from, to] = [this.#at - span.start, boundary - span.start];
    const circumstances = house.circumstancesAt(this.#at);
    const mode = interventions.modeAt(this.#at);
    const isBoost = mode === CONTROL_MODE.boost;
    if (isBoost) fillBoostTargets(circumstances, span.forcing, { from, to }, span.boosted);
    const forcing = isBoost ? span.boosted : span.forcing;
    runThermostat(circumstances.house, forcing, { from, to }, this.#state, span.course);
    circumstances.performance.fillRoomShare(span.share, from, to);
    const day = Math.floor(this.#at / QUARTER_HOURS_PER_DAY);
    packIntoRuns(span.share, { from, to }, house.runPhaseOf(day));
    this.#write(circumstances, stop, mode);
    this.#rows.asked.fill(isBoost ? 3 : MID, this.#at - this.#window.first, stop - this.#window.first);
    this.#go(stop);
  }

  /** Plans up to `until` and follows the plan, or what later prices make of it, to its end or an event. */
  #plan(until: number, event: number): void {
    const { house, prices } = this.#context;
    const circumstances = house.circumstancesAt(this.#at);
    this.#load(this.#window.end);
    const begin = this.#at - span.start;
    span.roomAims.fill(AIM.home, begin);
    span.tankAims.fill(AIM.home, begin);
    let [end, since, revision] = [until, this.#at, prices.revisionAt(this.#at)];
    this.#improve(circumstances, since, end, this.#state);
    let state = this.#state;
    let at = this.#at;
    for (;;) {
      state = this.#follow(circumstances, at, state);
      at += 1;
      if (at >= end || at === event) break;
      // Prices may come in each quarter hour: a plan holds for the time of a run.
      if (at - since < RUN_QUARTERS || prices.revisionAt(at) === revision) continue;
      revision = prices.revisionAt(at);
      const repricedEnd = this.#reprice(at, end);
      if (repricedEnd === undefined) continue;
      [end, since] = [repricedEnd, at];
      this.#improve(circumstances, since, end, state);
    }
    this.#finishPlan(circumstances, at);
  }

  #improve(circumstances: Circumstances, since: number, end: number, state: HouseState): void {
    this.#fillSurplus(since, end);
    planner.improve(circumstances, { from: since - span.start, to: end - span.start }, state);
  }

  #fillSurplus(from: number, to: number): void {
    for (let at = from; at < to;) {
      const day = Math.floor(at / QUARTER_HOURS_PER_DAY);
      const start = day * QUARTER_HOURS_PER_DAY;
      const stop = Math.min(to, start + QUARTER_HOURS_PER_DAY);
      const surplus = this.#context.surplusOf(day, from);
      span.surplus.set(surplus.subarray(at - start, stop - start), at - span.start);
      at = stop;
    }
  }

  /** Takes over prices that have come in; the end of the known ones, undefined where none of the rest is another. */
  #reprice(at: number, end: number): number | undefined {
    const from = at - span.start;
    const known = this.#context.prices.fill(at, this.#window.end, repriced, 0);
    if (known < end) return undefined;
    let isOther = known > end;
    for (let i = at; i < end && !isOther; i++) isOther = repriced[i - at] !== span.prices[i - span.start];
    if (!isOther) return undefined;
    span.prices.set(repriced.subarray(0, known - at), from);
    return known;
  }

  /** Does again what was planned before. */
  #repeat(codeAt: (i: number) => number): void {
    const { first, end } = this.#window;
    const circumstances = this.#context.house.circumstancesAt(this.#at);
    this.#load(end);
    let at = this.#at;
    let state = this.#state;
    for (let code = codeAt(at - first); code > 0; code = at < end ? codeAt(at - first) : 0) {
      span.roomAims[at - span.start] = Math.floor((code - 1) / 3);
      span.tankAims[at - span.start] = (code - 1) % 3;
      state = this.#follow(circumstances, at, state);
      at += 1;
    }
    this.#finishPlan(circumstances, at);
  }

  #follow(circumstances: Circumstances, at: number, state: HouseState): HouseState {
    const i = at - span.start;
    const after = planner.follow(circumstances, i, state);
    if (i === this.#at - span.start) {
      span.course.room[i] = state.room;
      span.course.tank[i] = state.tank;
    }
    span.course.room[i + 1] = after.room;
    span.course.tank[i + 1] = after.tank;
    return after;
  }

  /** Writes what a plan did up to a quarter hour: the compressor runs as planned. */
  #finishPlan(circumstances: Circumstances, stop: number): void {
    const { first } = this.#window;
    circumstances.performance.fillRoomShare(span.share, this.#at - span.start, stop - span.start);
    this.#write(circumstances, stop, CONTROL_MODE.schedule);
    for (let at = this.#at; at < stop; at++) {
      const i = at - span.start;
      this.#codes[at - first] = codeOf(i);
      const aim = askedAim(i);
      this.#rows.asked[at - first] = aim === AIM.high ? 3 : aim === AIM.low ? 1 : MID;
      const isCold = aim === AIM.low && this.#rows.heat[at - first] === 0;
      this.#blocked[at - first] = isCold && isHeatedAtHome(i) ? 1 : 0;
    }
    this.#go(stop);
  }

  #write({ performance, limit }: Circumstances, stop: number, mode: number): void {
    const part = { from: this.#at - span.start, to: stop - span.start };
    const { first } = this.#window;
    span.writer.write(performance, limit, part, this.#rows, span.start - first);
    this.#rows.follows.fill(mode, this.#at - first, stop - first);
  }

  /** The course is computed up to a quarter hour. */
  #go(stop: number): void {
    const i = stop - span.start;
    this.#state = { room: span.course.room[i] ?? 0, tank: span.course.tank[i] ?? 0 };
    this.#at = stop;
  }
}

/**
 * What the heat pump is asked for: by the rooms, or by the tank where the rooms ask for nothing else than at home. A tank from which
 * nothing is kept does not ask for less while they are heated.
 */
function askedAim(i: number): number {
  const room = (span.forcing.roomTarget[i] ?? 0) > 0 ? (span.roomAims[i] ?? 0) : AIM.home;
  if (room !== AIM.home) return room;
  const tank = span.tankAims[i] ?? 0;
  const isNothingKept = span.course.roomHeat[i] !== 0 && span.home.tankHeat[i] === 0;
  return tank === AIM.low && isNothingKept ? AIM.home : tank;
}

function isHeatedAtHome(i: number): boolean {
  const { roomHeat, tankHeat, backupHeat } = span.home;
  return (roomHeat[i] ?? 0) + (tankHeat[i] ?? 0) + (backupHeat[i] ?? 0) >= NO_HEAT_MILLI_WH;
}
