/** A car that people have told how to charge (docs/simulation.md#charging-by-price). */
import { QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../domain/api/durations.ts';
import { placeAt } from '../control/household-control.ts';
import type { DeviceControl, Place } from '../control/household-control.ts';
import { DEFAULT_VEHICLE_PREFERENCES } from '../control/preferences.ts';
import type { VehiclePreferences } from '../control/preferences.ts';
import { isWithin, valueInForce } from '../control/revisions.ts';
import type { QuarterSpan } from '../control/revisions.ts';
import { knownAtMs } from '../control/steering.ts';
import type { Steering } from '../control/steering.ts';
import { CHARGE_EFFICIENCY, fullStepOf } from '../devices/vehicle.ts';
import type { VehicleBatteryLimits, VehicleInterval } from '../devices/vehicle.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import type { ChargeOutlook } from './charge-outlook.ts';
import { chargesAtOnce, createChargeOffers, ruleOf, setOffer } from './charge-plan.ts';
import type { ChargingDay, PluggedQuarter } from './charging-day.ts';
import { nextReadyBy } from './ready-by.ts';
import { findNextStay, findStay } from './stays.ts';

/** What a car's charging follows from. */
export interface ChargingSource {
  /** IANA name. */
  readonly timeZone: string;
  readonly limits: VehicleBatteryLimits;
  readonly drivingOn: (day: number) => readonly VehicleInterval[];
  /** What the panels at a place give on a UTC day beyond the household's own load, AC, mWh in each of the 96 quarter hours. */
  readonly ownPowerOn: (day: number, place: Place | null) => Int32Array;
  readonly steering: Steering;
}

/** What is asked of a car in a stay up to the quarter hour `until`. */
interface Asked {
  readonly preferences: VehiclePreferences;
  readonly until: number;
  readonly deadline: number;
  readonly levels: { readonly target: number; readonly minimum: number };
}

/** What a plan goes by, and the quarter hour from which on it holds. */
interface Planned {
  readonly deadline: number;
  /** Of the prices. */
  readonly revision: number;
  readonly place: Place | null;
  readonly from: number;
}

/** Days whose prices a plan looks at, from the one on that it is made in: no market tells farther ahead. */
const PRICED_DAYS = 2;
/** A week and the rest of a day: no stay is planned for longer. */
const LONGEST_PLAN = 8 * QUARTER_HOURS_PER_DAY;
const KEPT_DAYS = 8;

/** The offers of one plan at a time, for all cars. */
const offers = createChargeOffers(LONGEST_PLAN);

/** Decides on each quarter hour with what was known as it began. */
export class SteeredCharging {
  readonly #source: ChargingSource;
  readonly #control: DeviceControl<VehiclePreferences>;
  readonly #step: number;
  readonly #days = new DayCache<ChargingDay>(KEPT_DAYS);

  constructor(source: ChargingSource) {
    this.#source = source;
    this.#control = source.steering.control.electricVehicle;
    this.#step = fullStepOf(source.limits);
  }

  /** What decides over the charge on a UTC day (days since 1970). */
  on(day: number): ChargingDay {
    return this.#days.find(day) ?? this.#days.set(day, this.#decide(day));
  }

  /** What a quarter hour that begins with `stored` mWh in the car knows of the stay that it is in. */
  outlookAt(quarter: number, stored: number): ChargeOutlook {
    const { preferences: revisions, unsteered } = this.#control;
    const { charge_policy: policy } = valueInForce(revisions, quarter, DEFAULT_VEHICLE_PREFERENCES);
    const known = {
      isSmart: policy === 'smart',
      askedUntil: revisions.find(({ from }) => from > quarter)?.from ?? null,
      isSteered: !isWithin(unsteered, quarter),
    };
    const stay = findStay(this.#source.drivingOn, quarter);
    if (stay === undefined) {
      const nextStay = findNextStay(this.#source.drivingOn, quarter);
      return { ...known, stay: null, nextStay };
    }
    const { deadline, levels } = this.#askedAt(stay, quarter);
    const possible = Math.max(0, deadline - quarter) * this.#step;
    const missing = Math.max(0, levels.target - stored - possible);
    const isPriced = this.#isPriced(quarter, deadline);
    return { ...known, stay: { deadline, end: stay.end, missing, isPriced }, nextStay: null };
  }

  #isPriced(quarter: number, deadline: number): boolean {
    const day = Math.floor(quarter / QUARTER_HOURS_PER_DAY);
    const atMs = knownAtMs(this.#source.steering, quarter);
    const end = Math.min(deadline, quarter + LONGEST_PLAN);
    for (let at = quarter; at < end; at++) if (this.#expectedPrice(day, at, atMs) !== null) return true;
    return false;
  }

  #decide(day: number): ChargingDay {
    const start = day * QUARTER_HOURS_PER_DAY;
    const intervals = this.#source.drivingOn(day);
    const since = this.#control.preferences[0]?.from ?? Infinity;
    const plugged: (PluggedQuarter | undefined)[] = [];
    for (const interval of intervals) {
      if (!interval.pluggedIn || start + interval.to <= since) continue;
      const stay = findStay(this.#source.drivingOn, start + interval.from);
      if (stay === undefined) continue;
      const decide = this.#startDeciding(day, stay);
      for (let i = Math.max(interval.from, since - start); i < interval.to; i++)
        plugged[i] = decide(start + i);
    }
    return { intervals, controlledFrom: Math.max(0, since - start), plugged };
  }

  /** Decides on the quarter hours of a stay on one day, to be asked for in order of time. */
  #startDeciding(day: number, stay: QuarterSpan): (quarter: number) => PluggedQuarter {
    const { steering } = this.#source;
    let planned: Planned = { deadline: NaN, revision: NaN, place: null, from: NaN };
    let asked: Asked | undefined;
    return (quarter) => {
      if (asked === undefined || quarter >= asked.until) asked = this.#askedAt(stay, quarter);
      const { preferences, deadline, levels } = asked;
      if (!this.#isByPrice(quarter, preferences) || quarter >= deadline)
        return { ...levels, rule: chargesAtOnce(this.#step) };
      const atMs = knownAtMs(steering, quarter);
      const revision = steering.prices.revisionAt(atMs);
      const place = placeAt(steering.control, quarter);
      if (deadline !== planned.deadline || revision !== planned.revision || place !== planned.place) {
        planned = { deadline, revision, place, from: quarter };
        this.#plan(day, planned, atMs);
      }
      return { ...levels, rule: ruleOf(offers, quarter - planned.from) };
    };
  }

  #askedAt(stay: QuarterSpan, quarter: number): Asked {
    const { preferences: revisions } = this.#control;
    const at = revisions.findLastIndex(({ from }) => from <= quarter);
    const { from, value } = revisions[at] ?? { from: -Infinity, value: DEFAULT_VEHICLE_PREFERENCES };
    return {
      preferences: value,
      until: revisions[at + 1]?.from ?? Infinity,
      deadline: this.#deadlineOf(stay, value, from),
      levels: this.#levelsOf(value),
    };
  }

  #isByPrice(quarter: number, { charge_policy: policy }: VehiclePreferences): boolean {
    const { unsteered, boosts } = this.#control;
    return policy === 'smart' && !isWithin(unsteered, quarter) && !isWithin(boosts, quarter);
  }

  /** The first time to be ready after the car was plugged in or told otherwise, or when it is unplugged before that. */
  #deadlineOf(stay: QuarterSpan, { ready_by: readyBy }: VehiclePreferences, changedAt: number): number {
    const after = Math.max(stay.first, changedAt);
    return Math.min(stay.end, nextReadyBy(readyBy, this.#source.timeZone, after));
  }

  #levelsOf({ target_soc_percent: asked, minimum_soc_percent: least }: VehiclePreferences) {
    const { capacity, target: own } = this.#source.limits;
    const target = asked === null ? own : Math.round((capacity * asked) / 100);
    return { target, minimum: Math.min(target, Math.round((capacity * least) / 100)) };
  }

  /** Writes what the quarter hours of a plan offer, as known on a day at an instant. */
  #plan(day: number, { from, deadline, place }: Planned, atMs: number): void {
    const { ownPowerOn } = this.#source;
    offers.count = Math.min(LONGEST_PLAN, deadline - from);
    let row: Int32Array | undefined;
    let rowOf = NaN;
    for (let i = 0; i < offers.count; i++) {
      const quarter = from + i;
      const dayOf = Math.floor(quarter / QUARTER_HOURS_PER_DAY);
      if (dayOf !== rowOf) row = ownPowerOn((rowOf = dayOf), place);
      const ownAc = row?.[quarter - dayOf * QUARTER_HOURS_PER_DAY] ?? 0;
      const own = Math.min(this.#step, Math.floor(ownAc * CHARGE_EFFICIENCY));
      setOffer(offers, i, this.#expectedPrice(day, quarter, atMs), own, this.#step);
    }
  }

  /** The price of a quarter hour, or else that of the same one a day before or earlier, back to the day before `day`; null without one. */
  #expectedPrice(day: number, quarter: number, atMs: number): number | null {
    const { prices } = this.#source.steering;
    const from = (day - 1) * QUARTER_HOURS_PER_DAY;
    const end = (day + PRICED_DAYS) * QUARTER_HOURS_PER_DAY;
    const days = Math.max(0, Math.ceil((quarter + 1 - end) / QUARTER_HOURS_PER_DAY));
    for (let at = quarter - days * QUARTER_HOURS_PER_DAY; at >= from; at -= QUARTER_HOURS_PER_DAY) {
      const price = prices.priceAt(at * QUARTER_HOUR_MS, atMs);
      if (price !== null) return price;
    }
    return null;
  }
}
