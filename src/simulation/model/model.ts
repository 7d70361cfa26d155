/**
 * A household at any quarter hour, by random access. All values are on a fixed UTC grid of quarter hours in
 * integer mWh; nothing is stored, what is remembered here only saves time.
 */
import { QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../domain/api/durations.ts';
import type { ChargeOutlook } from '../cars/charge-outlook.ts';
import type { Steering } from '../control/steering.ts';
import { batteryLimitsOf } from '../devices/battery.ts';
import { createBatteryRun } from '../devices/battery-run.ts';
import type { BatteryRun } from '../devices/battery-run.ts';
import type { Household } from '../household/household.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import { CounterAccumulator, ZERO_COUNTERS, addQuarterEnergies } from './counter-accumulator.ts';
import type { Checkpoint, Counters } from './counter-accumulator.ts';
import { createDayRows, readQuarter } from './day-rows.ts';
import type { DayRows, Quarter } from './day-rows.ts';
import { HouseDays } from './house-days.ts';

export interface HouseholdModel {
  /** The UTC day (days since 1970). */
  day(day: number): DayRows;
  /** The quarter that starts at quarterIndex * 15 min since 1970; quarters before the anchor are those of an idle household. */
  quarter(quarterIndex: number): Quarter;
  /** Sums over the quarters from the anchor up to and without quarterIndex. */
  countersBefore(quarterIndex: number): Counters;
  /** What a quarter hour (since 1970) knows of the stay of a vehicle with preferences; undefined without one. */
  chargeOutlookAt(quarterIndex: number): ChargeOutlook | undefined;
  /** Makes what that follows from, a piece of some milliseconds at a time, as `approach` does. */
  approachChargeOutlook(quarterIndex: number): boolean;
  /**
   * Makes what a day follows from, a piece of some milliseconds at a time: true once no more than the day itself is left. Without
   * it the day is made at once.
   */
  approach(day: number): boolean;
  /** Counters and stored energies at the starts of days. */
  readonly counters: CounterAccumulator;
}

/** The model of a household under what steers its devices. */
export function createHouseholdModel(household: Household, steering: Steering): HouseholdModel {
  return new QuarterHourModel(household, steering);
}

/** Remembers two computed days and what storages do on some days more, which only saves time. */
class QuarterHourModel implements HouseholdModel {
  readonly counters: CounterAccumulator;
  readonly #household: Household;
  /** The quarter at which the history starts, since 1970, and its day. */
  readonly #anchor: number;
  readonly #firstDay: number;
  readonly #origin: Checkpoint;
  readonly #house: HouseDays;
  readonly #battery: BatteryRun;
  readonly #days = new DayCache<DayRows>(2);

  constructor(household: Household, steering: Steering) {
    this.#household = household;
    this.#anchor = Math.floor(household.anchor_ms / QUARTER_HOUR_MS);
    this.#firstDay = Math.floor(this.#anchor / QUARTER_HOURS_PER_DAY);
    const limits = batteryLimitsOf(household.battery);
    const firstOf = (day: number): number => this.#firstQuarterOf(day);
    const house = new HouseDays(household, steering, firstOf, this.#vehicleEnergyAt);
    this.#house = house;
    this.#battery = createBatteryRun({
      timeZone: household.time_zone,
      limits,
      firstOf,
      surplusOn: (day) => house.surplusOn(day),
      approach: (day) => house.approach(day),
      expectedOn: (day, withVehicle, place) => house.expectedOn(day, withVehicle, place),
      hasPanels: household.pv.rating_kw > 0,
      steering,
    });
    this.#origin = {
      day: this.#firstDay,
      counters: ZERO_COUNTERS,
      stored: limits.initial,
      vehicleStored: house.vehicle?.initial ?? 0,
    };
    this.counters = new CounterAccumulator(this.#origin, {
      of: (day) => this.day(day),
      approach: (day) => this.approach(day),
    });
  }

  day(day: number): DayRows {
    const known = this.#days.find(day);
    if (known) return known;
    const rows = this.#days.evict(day) ?? createDayRows(this.#household);
    return this.#days.set(day, this.#compute(day, rows));
  }

  approach(day: number): boolean {
    if (this.#days.find(day) !== undefined) return true;
    // The battery looks at other days, in whose place the house then remembers this one.
    return this.#battery.approach(day) && this.#house.approach(day);
  }

  quarter(quarterIndex: number): Quarter {
    const day = Math.floor(quarterIndex / QUARTER_HOURS_PER_DAY);
    return readQuarter(this.day(day), quarterIndex - day * QUARTER_HOURS_PER_DAY);
  }

  countersBefore(quarterIndex: number): Counters {
    if (quarterIndex <= this.#anchor) return ZERO_COUNTERS;
    const day = Math.floor(quarterIndex / QUARTER_HOURS_PER_DAY);
    const { counters } = this.counters.checkpointAt(day);
    return addQuarterEnergies(counters, this.day(day), quarterIndex - day * QUARTER_HOURS_PER_DAY);
  }

  chargeOutlookAt(quarterIndex: number): ChargeOutlook | undefined {
    return this.#house.chargeOutlookAt(quarterIndex);
  }

  approachChargeOutlook(quarterIndex: number): boolean {
    return this.#house.approachChargeOutlook(quarterIndex);
  }

  #compute(day: number, rows: DayRows): DayRows {
    const stored = this.#battery.energyAtDayStart(day, this.#energyAt);
    const surplus = this.#house.fill(day, rows);
    this.#battery.write(day, stored, surplus, rows);
    return rows;
  }

  /** Stored in the stationary battery at the start of a day, where that is known. */
  readonly #energyAt = (day: number): number | undefined =>
    this.#days.find(day - 1)?.stored[QUARTER_HOURS_PER_DAY] ?? this.#checkpointOf(day)?.stored;

  /** Stored in the vehicle, likewise. */
  readonly #vehicleEnergyAt = (day: number): number | undefined =>
    this.#days.find(day - 1)?.vehicleStored[QUARTER_HOURS_PER_DAY] ?? this.#checkpointOf(day)?.vehicleStored;

  #checkpointOf(day: number): Checkpoint | undefined {
    return day <= this.#firstDay ? this.#origin : this.counters.findCheckpoint(day);
  }

  /** The first quarter of a day that belongs to the history; all 96 are before it on earlier days. */
  #firstQuarterOf(day: number): number {
    if (day > this.#firstDay) return 0;
    return day < this.#firstDay
      ? QUARTER_HOURS_PER_DAY
      : this.#anchor - this.#firstDay * QUARTER_HOURS_PER_DAY;
  }
}
