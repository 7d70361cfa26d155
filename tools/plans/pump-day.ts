/** A day of a heat pump as the planner sees it, as linear steps that a solver can be asked about, and what the plan of it costs. */
import { QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';
import { UNCONTROLLED } from '../../src/simulation/control/household-control.ts';
import type { PriceBook } from '../../src/simulation/control/price-book.ts';
import type { Circumstances } from '../../src/simulation/house/circumstances.ts';
import { HeatPlanner } from '../../src/simulation/house/heat-planner.ts';
import { NO_HEAT_MILLI_WH, STANDBY_MILLI_WH } from '../../src/simulation/house/heat-pump-rows.ts';
import { costOf } from '../../src/simulation/house/heat-store.ts';
import { COLD_TANK_MK } from '../../src/simulation/house/tank-goals.ts';
import { HouseSpan } from '../../src/simulation/house/house-span.ts';
import { windowStart } from '../../src/simulation/house/plan-windows.ts';
import { CHEAP, COLDNESS, WARMTH } from '../../src/simulation/house/room-store.ts';
import { AIM } from '../../src/simulation/house/store-search.ts';
import { TANK_HYSTERESIS_MK } from '../../src/simulation/house/tank-store.ts';
import { coolRoom, coolTank } from '../../src/simulation/house/thermal-steps.ts';
import { UnsteeredHouse } from '../../src/simulation/house/unsteered-house.ts';
import type { SurplusOf } from '../../src/simulation/house/window.ts';
import type { Heated } from '../validate/bills.ts';

/** A store of heat over a quarter hour: without heat T becomes at most `rest` + `keep` T; mK. */
export interface StoreStep {
  readonly keep: number;
  readonly rest: number;
  /** Whether it may become colder than that, as by open windows. */
  readonly losesMore: boolean;
  /** Temperature after the quarter hour where nobody steers, and the bounds of a plan. */
  readonly home: number;
  readonly low: number;
  readonly high: number;
  /** What it is heated up to by the aims low, home and high; null where nothing is heated. */
  readonly targets: readonly [number, number, number] | null;
  /** How far beyond the low target it is heated, once it is. */
  readonly hysteresis: number;
  /** Heat of the compressor at its least, mWh; null where that is no aim. */
  readonly least: number | null;
  /** Heat over electricity. */
  readonly cop: number;
}

export interface PumpQuarter {
  readonly room: StoreStep;
  readonly tank: StoreStep;
  /** Most heat of the compressor and of the heater, mWh. */
  readonly most: number;
  readonly backup: number;
  /** EUR/MWh, and what panels give beyond the household's load, mWh. */
  readonly price: number;
  readonly spare: number;
}

/** Costs in EUR/MWh times mWh: what the heat pump draws, and what it is worth that rooms are colder than at home. */
export interface PlanCost {
  readonly power: number;
  readonly coldness: number;
}

export interface PumpDay {
  /** The first quarter hour since 1970. */
  readonly first: number;
  readonly quarters: readonly PumpQuarter[];
  /** Before the first quarter hour, mK. */
  readonly start: { readonly room: number; readonly tank: number };
  /** Warming by a mWh of heat, mK. */
  readonly roomRise: number;
  readonly tankRise: number;
  /** What each mK that rooms are colder than at home after a quarter hour saves: it costs COLDNESS times that. */
  readonly coldness: number;
  readonly unsteered: PlanCost;
  readonly planned: PlanCost;
}

const span = new HouseSpan();
const planner = new HeatPlanner(span);

/** The window of a local day (since 1970) of a heat pump at home, planned with prices that are all known. */
export function planPumpDay(
  household: Heated,
  book: PriceBook,
  localDay: number,
  surplusOf: SurplusOf,
): PumpDay {
  const house = new UnsteeredHouse(household, household.heat_pump, UNCONTROLLED);
  const zone = household.time_zone;
  const [first, end] = [windowStart(zone, localDay), windowStart(zone, localDay + 1)];
  span.load(house, Math.floor(first / 96), first, end);
  const part = { from: first - span.start, to: end - span.start };
  for (let i = part.from; i < part.to; i++) {
    const at = span.start + i;
    span.prices[i] = book.priceAt(at * QUARTER_HOUR_MS, Infinity) ?? NaN;
    span.surplus[i] = surplusOf(Math.floor(at / 96), first)[at % 96] ?? 0;
  }
  span.roomAims.fill(AIM.home);
  span.tankAims.fill(AIM.home);
  const circumstances = house.circumstancesAt(first);
  const coldness = coldnessOf(circumstances, part);
  const start = { room: span.home.room[part.from] ?? 0, tank: span.home.tank[part.from] ?? 0 };
  const unsteered = follow(circumstances, part, start, coldness);
  planner.improve(circumstances, part, start);
  const planned = follow(circumstances, part, start, coldness);
  const { roomRise, tankRise } = circumstances.house;
  const cheapBelow = CHEAP * meanPriceOf(part);
  const quarters = Array.from({ length: part.to - part.from }, (_, i) =>
    quarterOf(circumstances, part.from + i, cheapBelow),
  );
  return { first, quarters, start, roomRise, tankRise, coldness, unsteered, planned };
}

/** What a house costs that follows the aims of the span, in the whole mWh that its heat pump is seen to draw. */
function follow(
  circumstances: Circumstances,
  { from, to }: { readonly from: number; readonly to: number },
  start: { readonly room: number; readonly tank: number },
  coldness: number,
): PlanCost {
  const { performance, limit } = circumstances;
  const { course, forcing, home, prices, surplus } = span;
  let state = start;
  let [power, colder] = [0, 0];
  for (let i = from; i < to; i++) {
    state = planner.follow(circumstances, i, state);
    const [outdoor, soil] = [forcing.outdoorC[i] ?? 0, forcing.soilC[i] ?? 0];
    const [room, water] = [course.roomHeat[i] ?? 0, course.tankHeat[i] ?? 0];
    const backup = course.backupHeat[i] ?? 0;
    const compressor =
      (room > 0 ? performance.roomElectricity(outdoor, soil, room, forcing.mostHeat[i] ?? 0) : 0) +
      (water > 0 ? water / performance.tankCop(outdoor, soil) : 0);
    const isIdle = room + water + backup < NO_HEAT_MILLI_WH;
    const drawn = isIdle ? STANDBY_MILLI_WH : compressor + backup + STANDBY_MILLI_WH;
    power += costOf(Math.min(limit, Math.round(drawn)), Math.max(0, surplus[i] ?? 0), prices[i] ?? 0);
    const colderMk = (home.room[i + 1] ?? 0) - state.room;
    colder += colderMk * coldness * (colderMk > 0 ? COLDNESS : WARMTH);
  }
  return { power, coldness: colder };
}

/** The mean price of a part, and nothing where that is negative. */
function meanPriceOf({ from, to }: { readonly from: number; readonly to: number }): number {
  const total = span.prices.subarray(from, to).reduce((sum, price) => sum + price, 0);
  return Math.max(0, total / (to - from));
}

/** What a mK that rooms are colder over a quarter hour saves, at the plan's mean price and efficiency. */
function coldnessOf(
  { house, performance }: Circumstances,
  part: { readonly from: number; readonly to: number },
): number {
  let cop = 0;
  for (let i = part.from; i < part.to; i++) {
    cop += performance.roomCop(span.forcing.outdoorC[i] ?? 0, span.forcing.soilC[i] ?? 0, 1);
  }
  const meanCop = cop / (part.to - part.from);
  return (house.roomNeed * (1 - house.roomKeep) * meanPriceOf(part)) / meanCop;
}

/** Two temperatures at which no window is open and no tank as cold as the mains: the steps are linear between them. */
const SAMPLES_MK = { room: [15_000, 16_000], tank: [50_000, 51_000] } as const;
/** Temperatures are whole mK: what lies farther from a line has other reasons, as open windows. */
const MOST_ROUNDED_MK = 0.51;

/** A quarter hour of a store as it went at home: temperatures before and after it, and the heat it had times its rise, mK. */
interface HomeStep {
  readonly before: number;
  readonly after: number;
  readonly warming: number;
}

/** A step without heat as a line, which leads the store at home exactly where it went. */
function lineOf(
  step: (at: number) => number,
  [a, b]: readonly [number, number],
  { before, after, warming }: HomeStep,
): Pick<StoreStep, 'keep' | 'rest'> {
  const keep = (step(b) - step(a)) / (b - a);
  const rest = step(a) - keep * a;
  const rounded = after - (keep * before + rest + warming);
  return { keep, rest: Math.abs(rounded) < MOST_ROUNDED_MK ? rest + rounded : rest };
}

function quarterOf(
  { house, performance, preferences }: Circumstances,
  i: number,
  cheapBelow: number,
): PumpQuarter {
  const { forcing, home, prices, surplus } = span;
  const [outdoor, soil] = [forcing.outdoorC[i] ?? 0, forcing.soilC[i] ?? 0];
  const [room, tank] = [home.room[i + 1] ?? 0, home.tank[i + 1] ?? 0];
  const ofRoom = { before: home.room[i] ?? 0, after: room, warming: house.roomRise * heatAtHome(i) };
  const ofTank = {
    before: home.tank[i] ?? 0,
    after: tank,
    warming: house.tankRise * (home.tankHeat[i] ?? 0),
  };
  const wanted = forcing.roomTarget[i] ?? 0;
  const boost = Math.round(1000 * preferences.boost_k);
  const highest = house.comfort + boost;
  const lowRoom = Math.min(room, house.comfort - Math.round(1000 * preferences.setback_k));
  const lowTank = Math.min(tank, COLD_TANK_MK);
  const highestBefore = Math.max(home.room[i] ?? 0, highest);
  const mayRunAtLeast = (surplus[i] ?? 0) > STANDBY_MILLI_WH || (prices[i] ?? 0) < cheapBelow;
  const hasOpenWindows = coolRoom(house, forcing, i, highestBefore) >= house.openAbove;
  return {
    room: {
      ...lineOf((at) => coolRoom(house, forcing, i, at), SAMPLES_MK.room, ofRoom),
      losesMore: hasOpenWindows,
      home: room,
      low: lowRoom,
      high: Math.max(room, highest),
      targets: wanted > 0 ? [lowRoom, room, Math.min(highest, wanted + boost)] : null,
      hysteresis: 0,
      least: mayRunAtLeast ? performance.leastHeat(forcing.mostHeat[i] ?? 0) : null,
      cop: performance.roomCop(outdoor, soil, 1),
    },
    tank: {
      ...lineOf((at) => coolTank(house, forcing, i, at), SAMPLES_MK.tank, ofTank),
      losesMore: false,
      home: tank,
      low: lowTank,
      high: house.tankTarget,
      targets: [lowTank, tank, house.tankTarget],
      hysteresis: Math.min(TANK_HYSTERESIS_MK, house.tankTarget - lowTank),
      least: null,
      cop: performance.tankCop(outdoor, soil),
    },
    most: forcing.mostHeat[i] ?? 0,
    // Rooms that are warmer are none of the heater's.
    backup: lowRoom > (forcing.heaterHold[i] ?? 0) ? 0 : house.backup,
    price: prices[i] ?? 0,
    spare: Math.max(0, surplus[i] ?? 0),
  };
}

const heatAtHome = (i: number): number => (span.home.roomHeat[i] ?? 0) + (span.home.backupHeat[i] ?? 0);
