/**
 * A household at any quarter hour, by random access. All values are on a fixed UTC grid of quarter hours in
 * integer mWh; nothing is stored, what is remembered here only saves time.
 */
import {
  NO_TRANSITION,
  simulateBatteryDay,
  batteryTransition,
  batteryLimitsOf,
  storedEnergyAtDayStart,
} from '../devices/battery.ts';
import type { StorageTransition } from '../devices/battery.ts';
import { CounterAccumulator, ZERO_COUNTERS, addQuarterEnergies } from './counter-accumulator.ts';
import type { Checkpoint, Counters } from './counter-accumulator.ts';
import type { HeatPumpRows } from '../house/heat-pump-rows.ts';
import type { Steering } from '../control/steering.ts';
import type { Household } from '../household/household.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import { allocateInt32Array } from '../kernel/typed-arrays.ts';
import { createLoadDayFiller } from '../people/household-load.ts';
import type { DayFiller } from '../time/local-day.ts';
import { createHeatDayFiller } from './model-day.ts';
import { createPvDayFiller } from '../devices/pv-day.ts';
import { createVehicleDayPlanner } from '../cars/vehicle-day.ts';
import { createDayRows, createHouseRows, readQuarter } from './day-rows.ts';
import type { DayRows, HouseRows, Quarter } from './day-rows.ts';
import type { VehicleBatteryLimits, VehicleInterval } from '../devices/vehicle.ts';
import { simulateVehicleDay, vehicleBatteryTransition, vehicleBatteryLimitsOf } from '../devices/vehicle.ts';
import { QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../domain/api/durations.ts';

export interface HouseholdModel {
  /** The UTC day (days since 1970). */
  day(day: number): DayRows;
  /** The quarter that starts at quarterIndex * 15 min since 1970; quarters before the anchor are those of an idle household. */
  quarter(quarterIndex: number): Quarter;
  /** Sums over the quarters from the anchor up to and without quarterIndex. */
  countersBefore(quarterIndex: number): Counters;
  /** Counters and stored energies at the starts of days. */
  readonly counters: CounterAccumulator;
}

/** The model of a household under what steers its devices. */
export function createHouseholdModel(household: Household, steering: Steering): HouseholdModel {
  return new QuarterHourModel(household, steering);
}

/**
 * Arrays that hold nothing from one call to the next, so that all models share them: a fleet's first look makes a model of
 * each household, and arrays of their own would be most of what it allocates.
 */
const workspace = {
  /** Surplus before the battery on the day that is computed. */
  surplus: allocateInt32Array(QUARTER_HOURS_PER_DAY),
  /** For days of which only the battery's transition is needed. */
  house: createHouseRows(),
} as const;

/** Remembers two computed days and what storages do on some days more, which only saves time. */
class QuarterHourModel implements HouseholdModel {
  readonly counters: CounterAccumulator;
  readonly #household: Household;
  /** The quarter at which the history starts, since 1970, and its day. */
  readonly #anchor: number;
  readonly #firstDay: number;
  readonly #origin: Checkpoint;
  readonly #battery: ReturnType<typeof batteryLimitsOf>;
  readonly #vehicle: VehicleBatteryLimits | null;
  readonly #drivingOn: ((day: number) => readonly VehicleInterval[]) | null;
  readonly #fillLoad: DayFiller<Int32Array>;
  readonly #fillPv: DayFiller<Int32Array>;
  readonly #fillHeat: DayFiller<HeatPumpRows>;
  readonly #vehicleTransitions = new DayCache<StorageTransition>(64);
  readonly #batteryTransitions = new DayCache<StorageTransition>(64);
  readonly #days = new DayCache<DayRows>(2);

  constructor(household: Household, steering: Steering) {
    const { electric_vehicle: vehicle } = household;
    this.#household = household;
    this.#anchor = Math.floor(household.anchor_ms / QUARTER_HOUR_MS);
    this.#firstDay = Math.floor(this.#anchor / QUARTER_HOURS_PER_DAY);
    this.#battery = batteryLimitsOf(household.battery);
    this.#vehicle = vehicle && vehicleBatteryLimitsOf(vehicle);
    this.#drivingOn = vehicle && createVehicleDayPlanner(household, vehicle);
    this.#fillLoad = createLoadDayFiller(household);
    this.#fillPv = createPvDayFiller(household);
    this.#fillHeat = createHeatDayFiller(household, steering);
    this.#origin = {
      day: this.#firstDay,
      counters: ZERO_COUNTERS,
      stored: this.#battery.initial,
      vehicleStored: this.#vehicle ? this.#vehicle.initial : 0,
    };
    this.counters = new CounterAccumulator(this.#origin, (day) => this.day(day));
  }

  day(day: number): DayRows {
    const known = this.#days.find(day);
    if (known) return known;
    const rows = this.#days.evict(day) ?? createDayRows(this.#household);
    return this.#days.set(day, this.#compute(day, rows));
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

  #compute(day: number, rows: DayRows): DayRows {
    const stored =
      this.#days.find(day - 1)?.stored[QUARTER_HOURS_PER_DAY] ??
      storedEnergyAtDayStart(this.#batteryTransition, day, (back) => this.#checkpointOf(back)?.stored);
    this.#fillHouse(day, rows);
    simulateBatteryDay(this.#battery, workspace.surplus, this.#firstQuarterOf(day), stored, rows);
    return rows;
  }

  /** Everything but the battery, and the surplus that is left to it. */
  #fillHouse(day: number, rows: HouseRows): void {
    const { load, pv, hp, heat, mode, ev } = rows;
    const first = this.#firstQuarterOf(day);
    this.#fillLoad(day, load);
    this.#fillPv(day, pv);
    this.#fillHeat(day, rows);
    if (first > 0) for (const values of [load, pv, hp, heat, mode]) values.fill(0, 0, first);
    if (this.#vehicle && this.#drivingOn) {
      const stored =
        this.#days.find(day - 1)?.vehicleStored[QUARTER_HOURS_PER_DAY] ??
        storedEnergyAtDayStart(
          this.#vehicleTransition,
          day,
          (back) => this.#checkpointOf(back)?.vehicleStored,
        );
      simulateVehicleDay(this.#vehicle, this.#drivingOn(day), first, stored, rows);
    } else ev.fill(0);
    const { surplus } = workspace;
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      surplus[i] = (pv[i] ?? 0) - (load[i] ?? 0) - (hp[i] ?? 0) - (ev[i] ?? 0);
    }
  }

  readonly #vehicleTransition = (day: number): StorageTransition => {
    const known = this.#vehicleTransitions.find(day);
    if (known) return known;
    const transition =
      this.#vehicle && this.#drivingOn
        ? vehicleBatteryTransition(this.#vehicle, this.#drivingOn(day), this.#firstQuarterOf(day))
        : NO_TRANSITION;
    return this.#vehicleTransitions.set(day, transition);
  };

  readonly #batteryTransition = (day: number): StorageTransition => {
    const known = this.#batteryTransitions.find(day);
    if (known) return known;
    this.#fillHouse(day, workspace.house);
    const transition = batteryTransition(this.#battery, workspace.surplus, this.#firstQuarterOf(day));
    return this.#batteryTransitions.set(day, transition);
  };

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
