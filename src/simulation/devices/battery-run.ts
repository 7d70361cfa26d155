/** A stationary battery on any day: what is stored as it begins, and what it charges and discharges. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import type { Place } from '../control/household-control.ts';
import type { Steering } from '../control/steering.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import { batteryTransition, simulateBatteryDay, storedEnergyAtDayStart } from './battery.ts';
import type { BatteryLimits, BatteryRows, StorageTransition } from './battery.ts';
import { chargedEnergy, dischargedEnergy, storedWithin } from './battery-levels.ts';
import { SteeredBattery } from './steered-battery.ts';
import type { ExpectedOn } from './steered-battery.ts';

/** What a battery's run follows from. */
export interface BatterySurroundings {
  /** IANA name. */
  readonly timeZone: string;
  readonly limits: BatteryLimits;
  /** The first quarter hour of a UTC day that belongs to the history; 96 on earlier days. */
  readonly firstOf: (day: number) => number;
  /** What the household has left on a UTC day, below 0 what it lacks; AC, mWh in each of the 96 quarter hours. Read it at once. */
  readonly surplusOn: (day: number) => Int32Array;
  /** Makes a piece of what that follows from; true once no more than the day itself is left. */
  readonly approach: (day: number) => boolean;
  /** Read it at once. */
  readonly expectedOn: ExpectedOn;
  /** Whether the household ever has something left. */
  readonly hasPanels: boolean;
  readonly steering: Steering;
}

export interface BatteryRun {
  /**
   * Makes a piece of what a UTC day (since 1970) follows from beside the energy at its start, of a day, or two at last; true once no more
   * than some days around it are left. Without it they are made at once.
   */
  approach(day: number): boolean;
  /** Stored energy at the start of a UTC day (since 1970), mWh; `knownEnergyAt` gives it where it is known. */
  energyAtDayStart(day: number, knownEnergyAt: (day: number) => number | undefined): number;
  /** Writes a day that begins with `start` mWh; `surplus` is what the household has left in each of its quarter hours. */
  write(day: number, start: number, surplus: Int32Array, rows: BatteryRows): void;
}

/** The run of a battery under what steers it. */
export function createBatteryRun(surroundings: BatterySurroundings): BatteryRun {
  const { preferences, boosts } = surroundings.steering.control.inverter;
  return preferences.length === 0 && boosts.length === 0
    ? new SelfConsumption(surroundings)
    : new BatteryByPrice(surroundings);
}

/** Serves self-consumption: its days are three numbers. */
class SelfConsumption implements BatteryRun {
  readonly #surroundings: BatterySurroundings;
  readonly #transitions = new DayCache<StorageTransition>(64);

  constructor(surroundings: BatterySurroundings) {
    this.#surroundings = surroundings;
  }

  approach(): boolean {
    return true;
  }

  energyAtDayStart(day: number, knownEnergyAt: (day: number) => number | undefined): number {
    return storedEnergyAtDayStart(this.#transitionOf, day, knownEnergyAt);
  }

  write(day: number, start: number, surplus: Int32Array, rows: BatteryRows): void {
    const { limits, firstOf } = this.#surroundings;
    simulateBatteryDay(limits, surplus, firstOf(day), start, rows);
  }

  readonly #transitionOf = (day: number): StorageTransition => {
    const { limits, firstOf, surplusOn } = this.#surroundings;
    return (
      this.#transitions.find(day) ??
      this.#transitions.set(day, batteryTransition(limits, surplusOn(day), firstOf(day)))
    );
  };
}

const REMEMBERED_DAYS = 16;

/** Does what its preferences ask for. */
class BatteryByPrice implements BatteryRun {
  readonly #surroundings: BatterySurroundings;
  readonly #surplus: RowMemory;
  readonly #battery: SteeredBattery;

  constructor(surroundings: BatterySurroundings) {
    const expectedWith = new RowMemory((day, place) => surroundings.expectedOn(day, true, place));
    const expectedWithout = new RowMemory((day, place) => surroundings.expectedOn(day, false, place));
    this.#surroundings = surroundings;
    this.#surplus = new RowMemory(surroundings.surplusOn);
    this.#battery = new SteeredBattery({
      ...surroundings,
      surplusOn: (day) => this.#surplus.on(day),
      expectedOn: (day, withVehicle, place) => (withVehicle ? expectedWith : expectedWithout).on(day, place),
    });
  }

  approach(day: number): boolean {
    return this.#battery.approach(day);
  }

  energyAtDayStart(day: number, knownEnergyAt: (day: number) => number | undefined): number {
    return this.#battery.energyAtDayStart(day, knownEnergyAt);
  }

  write(
    day: number,
    start: number,
    surplus: Int32Array,
    { charge, discharge, stored, grid }: BatteryRows,
  ): void {
    const { limits, firstOf } = this.#surroundings;
    this.#surplus.keep(day, surplus);
    const levels = this.#battery.on(day);
    // Plans look at other days: what the caller gave may be one of these by now, and what was kept as well.
    const leftOn = this.#surplus.on(day);
    const first = firstOf(day);
    let x = start;
    for (const row of [charge, discharge, grid]) row.fill(0, 0, first);
    stored.fill(x, 0, first + 1);
    for (let i = first; i < QUARTER_HOURS_PER_DAY; i++) {
      const left = leftOn[i] ?? 0;
      const next = storedWithin(limits, levels, i, left, x);
      charge[i] = next > x ? chargedEnergy(limits, left, next - x) : 0;
      discharge[i] = next < x ? dischargedEnergy(limits, left, x - next) : 0;
      grid[i] = (charge[i] ?? 0) - (discharge[i] ?? 0) - left;
      x = next;
      stored[i + 1] = x;
    }
  }
}

/** Keeps copies of rows, of one place at a time: what is asked for is overwritten by the next question. */
class RowMemory {
  readonly #rowOn: (day: number, place: Place | null) => Int32Array;
  #days = new DayCache<Int32Array>(REMEMBERED_DAYS);
  #place: Place | null = null;

  constructor(rowOn: (day: number, place: Place | null) => Int32Array) {
    this.#rowOn = rowOn;
  }

  /** The row of a day, to be read at once. */
  on(day: number, place: Place | null = null): Int32Array {
    if (place !== this.#place) {
      this.#place = place;
      this.#days = new DayCache(REMEMBERED_DAYS);
    }
    return this.#days.find(day) ?? this.#copy(day, this.#rowOn(day, place));
  }

  /** Takes over the row of a day that is known already. */
  keep(day: number, row: Int32Array): void {
    if (this.#days.find(day) === undefined) this.#copy(day, row);
  }

  #copy(day: number, row: Int32Array): Int32Array {
    const copy = this.#days.evict(day) ?? new Int32Array(QUARTER_HOURS_PER_DAY);
    copy.set(row);
    return this.#days.set(day, copy);
  }
}
