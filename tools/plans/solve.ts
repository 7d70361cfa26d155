/** Days of many heat pumps, each planned and solved. */
import highs from 'highs';
import { QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import { PRICE_MARKETS } from '../validate/price-year.ts';
import type { PriceBook } from '../../src/simulation/control/price-book.ts';
import type { SurplusOf } from '../../src/simulation/house/window.ts';
import type { Heated } from '../validate/bills.ts';
import type { MarketName } from '../validate/price-year.ts';
import { FIRST_DAY, YEAR_DAYS, pricesOf, pumpsOf, surplusOf } from '../validate/bills.ts';
import { planPumpDay } from './pump-day.ts';
import type { PumpDay } from './pump-day.ts';
import { problemOf } from './problem.ts';
import type { ProblemKind } from './problem.ts';

// The package's types are those of its other build, in which the loader is a property.
const loadSolver = highs as unknown as typeof highs.default;
export type Solver = Awaited<ReturnType<typeof loadSolver>>;
export const createSolver = (): Promise<Solver> => loadSolver();

/** A course counts as proved that costs no more above the solver's bound than that part of the plan. */
const PROVED_WITHIN = 0.001;

/** What a solver says of a day, EUR/MWh times mWh, coldness included. */
export interface Solved {
  /** No course is cheaper. */
  readonly bound: number;
  /** The cheapest course that was found, infinite where there is none: of the problem's, whose rooms pay nothing for cycling. */
  readonly found: number;
  /** Whether a course was found that costs no more than that. */
  readonly isProved: boolean;
}

/** Lets the solver look at a day for so many seconds at most. */
export function solveDay(solver: Solver, day: PumpDay, kind: ProblemKind, seconds: number): Solved {
  const { text, constant } = problemOf(day, kind);
  // The solver's own relative gap is one of what it minimises, without the constant: on some days of ten times the cost.
  const gap = (PROVED_WITHIN * Math.abs(day.planned.power)) / 1000;
  return solver.withModel({ format: 'lp', data: text }, (model) => {
    model.options.set({ output_flag: false, time_limit: seconds, mip_rel_gap: 0, mip_abs_gap: gap });
    model.run();
    const isProved = model.getModelStatus() === solver.constants.modelStatus.optimal;
    if (kind === 'relaxed' && !isProved) throw new Error('The relaxed problem was not solved in time.');
    const found = model.getObjectiveValue();
    const bound = kind === 'relaxed' ? found : Number(model.info.get('mip_dual_bound'));
    return { bound: 1000 * (bound + constant), found: 1000 * (found + constant), isProved };
  });
}

export interface ChosenDay {
  readonly household: Heated;
  readonly book: PriceBook;
  readonly surplusOf: SurplusOf;
  readonly market: MarketName;
  readonly hasPv: boolean;
  readonly localDay: number;
  readonly day: PumpDay;
}

/** From October to May; nobody heats on the others. */
const HEATING_DAYS = 240;
const HEATING_FROM = 270;

const NO_SURPLUS = new Int32Array(QUARTER_HOURS_PER_DAY);

/** `count` days of heat pumps in five countries, spread over the heating season, half of them without PV. */
export function* choosePumpDays(count: number): Generator<ChosenDay> {
  const markets = Object.keys(PRICE_MARKETS) as MarketName[];
  const books = markets.map((market) => pricesOf(market));
  const pumps = markets.map((market) => pumpsOf(market, Math.ceil(count / markets.length)));
  for (let k = 0; k < count; k++) {
    const m = k % markets.length;
    const household = pumps[m]?.[Math.floor(k / markets.length)];
    const [market, book] = [markets[m], books[m]];
    if (household === undefined || market === undefined || book === undefined) continue;
    const localDay =
      FIRST_DAY + ((HEATING_FROM + Math.floor(((k + 0.5) * HEATING_DAYS) / count)) % YEAR_DAYS);
    const hasPv = Math.floor(k / markets.length) % 2 === 1;
    const surplus = hasPv ? surplusOf(household) : () => NO_SURPLUS;
    const day = planPumpDay(household, book, localDay, surplus);
    yield { household, book, surplusOf: surplus, market, hasPv, localDay, day };
  }
}
