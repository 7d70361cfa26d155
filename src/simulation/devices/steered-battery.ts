/** A battery that people have told how to answer to prices (docs/simulation.md#battery-by-price). */
import { QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../domain/api/durations.ts';
import { placeAt } from '../control/household-control.ts';
import type { Place } from '../control/household-control.ts';
import type { QuarterSpan } from '../control/revisions.ts';
import { knownAtMs } from '../control/steering.ts';
import type { Steering } from '../control/steering.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import { localQuarterAt, utcQuarterAt } from '../time/local-day.ts';
import { createBatteryLevels, storedBySelfConsumption, storedWithin } from './battery-levels.ts';
import type { BatteryLevels } from './battery-levels.ts';
import { MAX_PLANNED_QUARTERS, planBattery } from './battery-plan.ts';
import { BatterySettingsLookup } from './battery-settings.ts';
import type { BatterySettings } from './battery-settings.ts';
import { CoupledSearch } from './coupled-energy.ts';
import { UnsteeredBattery } from './unsteered-battery.ts';
import type { UnsteeredSource } from './unsteered-battery.ts';

/**
 * What a household would have left on a UTC day if its devices kept their habits at a place, with its vehicle or without; AC, mWh
 * in each of the 96 quarter hours.
 */
export type ExpectedOn = (day: number, withVehicle: boolean, place: Place | null) => Int32Array;

/** What a battery's charge follows from. */
export interface BatterySource extends UnsteeredSource {
  /** IANA name. */
  readonly timeZone: string;
  readonly expectedOn: ExpectedOn;
  readonly steering: Steering;
}

/** Local quarter hour at which plans begin and end: 14:00, when the prices of the next day are known. */
const PLANS_BEGIN = 56;
const KEPT_DAYS = 16;

/** The quarter hours of one plan at a time, for all batteries. */
const prices = new Float64Array(MAX_PLANNED_QUARTERS);
const expected = new Float64Array(MAX_PLANNED_QUARTERS);

interface Plan {
  readonly window: QuarterSpan;
  readonly revision: number;
  readonly settings: BatterySettings | undefined;
  readonly place: Place | null;
  /** The quarter hours planned. */
  readonly from: number;
  readonly end: number;
  readonly levels: BatteryLevels;
}
type AskedPlan = Omit<Plan, 'settings' | 'end' | 'levels'> & { readonly settings: BatterySettings };

const NO_SPAN: QuarterSpan = { first: NaN, end: NaN };
const NO_PLAN: Plan = {
  window: NO_SPAN,
  revision: NaN,
  settings: undefined,
  place: null,
  from: 0,
  end: 0,
  levels: createBatteryLevels(0),
};

/** Decides on each quarter hour with what was known as it began. */
export class SteeredBattery {
  readonly #source: BatterySource;
  readonly #settings: BatterySettingsLookup;
  /** The battery never holds less, mWh. */
  readonly #least: number;
  readonly #days = new DayCache<BatteryLevels>(KEPT_DAYS);
  /** The same battery if it only ever served self-consumption. */
  readonly #unsteered: UnsteeredBattery;
  #window = NO_SPAN;
  #plan = NO_PLAN;

  constructor(source: BatterySource) {
    this.#source = source;
    this.#settings = new BatterySettingsLookup(source.steering.control, source.limits.capacity);
    this.#least = Math.min(source.limits.initial, this.#settings.leastReserve());
    this.#unsteered = new UnsteeredBattery(source, this.#settings, this.#least);
  }

  /**
   * Follows a day of those that tell with which charge the plans of a UTC day (since 1970) end, or the last one for each of them; true
   * once no more than some days around it are left.
   */
  approach(day: number): boolean {
    if (this.#days.find(day) !== undefined) return true;
    const end = (day + 1) * QUARTER_HOURS_PER_DAY;
    for (let quarter = day * QUARTER_HOURS_PER_DAY; quarter < end;) {
      const window = this.#windowOf(quarter);
      const needsPlan = goesByPrices(this.#settings.at(quarter)) && this.#isPriced(quarter);
      const windowDay = Math.floor(window.first / QUARTER_HOURS_PER_DAY);
      if (needsPlan && !this.#unsteered.approach(windowDay)) return false;
      quarter = needsPlan ? window.end : quarter + 1;
    }
    return true;
  }

  /** Between which levels the battery is left alone on a UTC day (since 1970). */
  on(day: number): BatteryLevels {
    return this.#days.find(day) ?? this.#days.set(day, this.#decide(day, this.#days.evict(day)));
  }

  /** The energy stored at the start of a day; it must be known at one before. */
  energyAtDayStart(day: number, knownEnergyAt: (day: number) => number | undefined): number {
    const { limits, surplusOn } = this.#source;
    const endOf = (at: number, start: number): number => {
      const levels = this.on(at);
      const surplus = surplusOn(at);
      let x = start;
      for (let i = this.#source.firstOf(at); i < QUARTER_HOURS_PER_DAY; i++)
        x = storedWithin(limits, levels, i, surplus[i] ?? 0, x);
      return x;
    };
    const days = { least: this.#least, most: limits.capacity, endOf };
    return new CoupledSearch(days, day, knownEnergyAt).finish();
  }

  #decide(day: number, used: BatteryLevels | undefined): BatteryLevels {
    const { capacity } = this.#source.limits;
    const levels = used ?? createBatteryLevels(QUARTER_HOURS_PER_DAY);
    const start = day * QUARTER_HOURS_PER_DAY;
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const settings = this.#settings.at(start + i);
      if (this.#isPlanned(start + i, settings)) {
        const { from, levels: planned } = this.#plan;
        levels.fill[i] = planned.fill[start + i - from] ?? 0;
        levels.keep[i] = planned.keep[start + i - from] ?? 0;
        levels.buy[i] = planned.buy[start + i - from] ?? 0;
        continue;
      }
      const isBoosted = !settings.isUnsteered && settings.isBoosted;
      levels.fill[i] = capacity;
      levels.keep[i] = isBoosted ? capacity : settings.reserve;
      levels.buy[i] = isBoosted && settings.gridCharging ? capacity : 0;
    }
    return levels;
  }

  #isPriced(quarter: number): boolean {
    const { steering } = this.#source;
    return steering.prices.priceAt(quarter * QUARTER_HOUR_MS, knownAtMs(steering, quarter)) !== null;
  }

  /** Whether the battery goes by prices in a quarter hour; then the present plan holds it. */
  #isPlanned(quarter: number, settings: BatterySettings): boolean {
    if (!goesByPrices(settings)) return false;
    const { steering } = this.#source;
    const revision = steering.prices.revisionAt(knownAtMs(steering, quarter));
    const window = this.#windowOf(quarter);
    const plan = this.#plan;
    // What a plan says of a quarter hour follows from those behind it, so that it need not have begun with it.
    const isIn = quarter >= plan.from && quarter < plan.end && plan.window.first === window.first;
    const place = placeAt(steering.control, quarter);
    if (!isIn || plan.revision !== revision || plan.settings !== settings || plan.place !== place)
      this.#plan = this.#makePlan({ window, revision, settings, place, from: quarter });
    return this.#plan.end > quarter;
  }

  /** From 14:00 to 14:00 in local time. */
  #windowOf(quarter: number): QuarterSpan {
    if (quarter >= this.#window.first && quarter < this.#window.end) return this.#window;
    const { timeZone } = this.#source;
    const { localDay } = localQuarterAt(timeZone, quarter);
    const today = utcQuarterAt(timeZone, localDay, PLANS_BEGIN);
    return (this.#window =
      quarter < today
        ? { first: utcQuarterAt(timeZone, localDay - 1, PLANS_BEGIN), end: today }
        : { first: today, end: utcQuarterAt(timeZone, localDay + 1, PLANS_BEGIN) });
  }

  /**
   * Plans from a quarter hour on, up to the first without a price: then the battery has the charge that it was expected to have
   * by self-consumption since the window began, so that nothing is owed to what follows.
   */
  #makePlan(asked: AskedPlan): Plan {
    const { limits, steering } = this.#source;
    const { window, from, settings } = asked;
    const atMs = knownAtMs(steering, from);
    let count = 0;
    for (; from + count < window.end; count++) {
      const price = steering.prices.priceAt((from + count) * QUARTER_HOUR_MS, atMs);
      if (price === null) break;
      prices[count] = price;
    }
    const planned = { ...asked, end: from + count };
    if (count === 0) return { ...planned, levels: NO_PLAN.levels };
    const end = this.#expect(asked, count);
    const { reserve, gridCharging } = settings;
    const question = { limits, reserve, gridCharging, prices, surplus: expected, count, end };
    return { ...planned, levels: planBattery(question) };
  }

  /** Writes what a plan expects; the energy that self-consumption since its window began would then leave comes back. */
  #expect({ window, from, settings, place }: AskedPlan, count: number): number {
    const { limits, expectedOn } = this.#source;
    let stored = this.#unsteered.energyAt(window.first);
    let row: Int32Array | undefined;
    for (let at = window.first; at < from + count; at++) {
      const i = at % QUARTER_HOURS_PER_DAY;
      if (row === undefined || i === 0)
        row = expectedOn(Math.floor(at / QUARTER_HOURS_PER_DAY), !settings.isCarSmart, place);
      const left = row[i] ?? 0;
      if (at >= from) expected[at - from] = left;
      // What people ask for later is not known yet.
      const { reserve } = at < from ? this.#settings.at(at) : settings;
      stored = storedBySelfConsumption(limits, reserve, left, stored);
    }
    return stored;
  }
}

const goesByPrices = ({ isUnsteered, isBoosted, priceResponse }: BatterySettings): boolean =>
  priceResponse && !isUnsteered && !isBoosted;
