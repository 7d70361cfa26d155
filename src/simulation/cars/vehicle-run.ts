/** A vehicle's battery on any day: what is stored as it begins, and what is charged. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { storedEnergyAtDayStart } from '../devices/battery.ts';
import type { StorageTransition } from '../devices/battery.ts';
import { CoupledSearch } from '../devices/coupled-energy.ts';
import { simulateVehicleDay, vehicleBatteryLimitsOf, vehicleBatteryTransition } from '../devices/vehicle.ts';
import type { VehicleBatteryLimits, VehicleInterval, VehicleRows } from '../devices/vehicle.ts';
import type { Place } from '../control/household-control.ts';
import type { Steering } from '../control/steering.ts';
import type { ElectricVehicle } from '../household/equipment.ts';
import type { Household } from '../household/household.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import { OpenSearches } from '../kernel/open-searches.ts';
import type { ChargeOutlook } from './charge-outlook.ts';
import { storedAfterDay, writeChargingDay } from './charging-day.ts';
import { SteeredCharging } from './steered-charging.ts';
import { createVehicleDayPlanner } from './vehicle-day.ts';

/** Gives the stored energy at the start of days at which it is known, the first of the history among them; mWh. */
export type KnownEnergy = (day: number) => number | undefined;

export interface VehicleRun {
  /** Stored in the vehicle before its first day, mWh. */
  readonly initial: number;
  /** Writes the UTC day `day` (since 1970). */
  write(day: number, rows: VehicleRows, knownEnergyAt: KnownEnergy): void;
  /** Follows a day of those that tell what is stored as a day begins; true once no more than that day is left. */
  approach(day: number, knownEnergyAt: KnownEnergy): boolean;
  /** What a quarter hour (since 1970) knows of the stay that it is in; undefined where nobody asked anything. */
  outlookAt(quarter: number, knownEnergyAt: KnownEnergy): ChargeOutlook | undefined;
}

/** What a vehicle's run follows from beside the household. */
export interface VehicleSurroundings {
  /** The first quarter hour of a UTC day that belongs to the history; 96 on earlier days. */
  readonly firstOf: (day: number) => number;
  /** What the panels at a place give beyond the household's own load, AC, mWh in each of the 96 quarter hours of a UTC day. */
  readonly ownPowerOn: (day: number, place: Place | null) => Int32Array;
}

/** The run of a household's vehicle of which nobody asks anything. */
export function createHabitualVehicle(
  household: Household,
  vehicle: ElectricVehicle,
  firstOf: (day: number) => number,
): VehicleRun {
  const drivingOn = createVehicleDayPlanner(household, vehicle);
  return asDriven(household, new HabitualVehicle(vehicleBatteryLimitsOf(vehicle), drivingOn, firstOf));
}

/** The run of a household's vehicle that has preferences. */
export function createSteeredVehicle(
  household: Household,
  vehicle: ElectricVehicle,
  steering: Steering,
  { firstOf, ownPowerOn }: VehicleSurroundings,
): VehicleRun {
  const limits = vehicleBatteryLimitsOf(vehicle);
  const drivingOn = remembered(createVehicleDayPlanner(household, vehicle));
  const timeZone = household.time_zone;
  const charging = new SteeredCharging({ timeZone, limits, drivingOn, ownPowerOn, steering });
  return asDriven(household, new SteeredVehicle(limits, charging, firstOf));
}

/** A car that nobody drives is never plugged in and keeps what it had at first: no past would ever be forgotten, and none counts. */
function asDriven({ ev_annual_kwh: annualKwh }: Household, run: VehicleRun): VehicleRun {
  if (annualKwh > 0) return run;
  const { initial } = run;
  return {
    initial,
    write: (day, rows) => run.write(day, rows, () => initial),
    approach: () => true,
    outlookAt: (quarter) => run.outlookAt(quarter, () => initial),
  };
}

const REMEMBERED_DAYS = 32;

/** Plans look at some days again and again. */
function remembered(
  drivingOn: (day: number) => readonly VehicleInterval[],
): (day: number) => readonly VehicleInterval[] {
  const days = new DayCache<readonly VehicleInterval[]>(REMEMBERED_DAYS);
  return (day) => days.find(day) ?? days.set(day, drivingOn(day));
}

/** Charges at once: its days are three numbers. */
class HabitualVehicle implements VehicleRun {
  readonly initial: number;
  readonly #limits: VehicleBatteryLimits;
  readonly #drivingOn: (day: number) => readonly VehicleInterval[];
  readonly #firstOf: (day: number) => number;
  readonly #transitions = new DayCache<StorageTransition>(64);

  constructor(
    limits: VehicleBatteryLimits,
    drivingOn: (day: number) => readonly VehicleInterval[],
    firstOf: (day: number) => number,
  ) {
    this.initial = limits.initial;
    this.#limits = limits;
    this.#drivingOn = drivingOn;
    this.#firstOf = firstOf;
  }

  write(day: number, rows: VehicleRows, knownEnergyAt: KnownEnergy): void {
    const stored = storedEnergyAtDayStart(this.#transitionOf, day, knownEnergyAt);
    simulateVehicleDay(this.#limits, this.#drivingOn(day), this.#firstOf(day), stored, rows);
  }

  /** Its days are forgotten soon, and are three numbers. */
  approach(): true {
    return true;
  }

  outlookAt(): undefined {
    return undefined;
  }

  readonly #transitionOf = (day: number): StorageTransition => {
    const known = this.#transitions.find(day);
    if (known) return known;
    const transition = vehicleBatteryTransition(this.#limits, this.#drivingOn(day), this.#firstOf(day));
    return this.#transitions.set(day, transition);
  };
}

/** Charges as people have asked: its days are followed from ever farther back until the past no longer matters. */
class SteeredVehicle implements VehicleRun {
  readonly initial: number;
  readonly #limits: VehicleBatteryLimits;
  readonly #charging: SteeredCharging;
  readonly #firstOf: (day: number) => number;
  readonly #starts = new DayCache<number>(REMEMBERED_DAYS);
  /** Those for the starts of days that are not known yet. */
  readonly #searches = new OpenSearches<CoupledSearch>();

  constructor(limits: VehicleBatteryLimits, charging: SteeredCharging, firstOf: (day: number) => number) {
    this.initial = limits.initial;
    this.#limits = limits;
    this.#charging = charging;
    this.#firstOf = firstOf;
  }

  write(day: number, rows: VehicleRows, knownEnergyAt: KnownEnergy): void {
    const stored = this.#startOf(day, knownEnergyAt);
    writeChargingDay(this.#limits, this.#charging.on(day), this.#firstOf(day), stored, rows);
  }

  approach(day: number, knownEnergyAt: KnownEnergy): boolean {
    if (this.#starts.find(day) !== undefined || knownEnergyAt(day) !== undefined) return true;
    const search = this.#searches.take(day, () => this.#startSearch(day, knownEnergyAt));
    if (search.energy === undefined) search.goOn();
    if (search.energy !== undefined) {
      this.#starts.set(day, search.energy);
      return true;
    }
    this.#searches.keep(day, search);
    return false;
  }

  outlookAt(quarter: number, knownEnergyAt: KnownEnergy): ChargeOutlook {
    const day = Math.floor(quarter / QUARTER_HOURS_PER_DAY);
    const start = this.#startOf(day, knownEnergyAt);
    const i = quarter - day * QUARTER_HOURS_PER_DAY;
    const stored = storedAfterDay(this.#limits, this.#charging.on(day), this.#firstOf(day), start, i);
    return this.#charging.outlookAt(quarter, stored);
  }

  #startOf(day: number, knownEnergyAt: KnownEnergy): number {
    return this.#starts.set(day, this.#startSearch(day, knownEnergyAt).finish());
  }

  #startSearch(day: number, knownEnergyAt: KnownEnergy): CoupledSearch {
    const days = {
      least: this.#limits.min,
      most: this.#limits.capacity,
      endOf: (at: number, start: number) =>
        storedAfterDay(this.#limits, this.#charging.on(at), this.#firstOf(at), start),
    };
    return new CoupledSearch(days, day, (at) => this.#starts.find(at) ?? knownEnergyAt(at));
  }
}
