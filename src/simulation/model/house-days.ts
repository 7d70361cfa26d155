/** A household's UTC days but for its battery: load, sun, heat, vehicle. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import type { ChargeOutlook } from '../cars/charge-outlook.ts';
import { createHabitualVehicle, createSteeredVehicle } from '../cars/vehicle-run.ts';
import type { KnownEnergy, VehicleRun } from '../cars/vehicle-run.ts';
import type { Place } from '../control/household-control.ts';
import { UNSTEERED } from '../control/steering.ts';
import type { Steering } from '../control/steering.ts';
import { createPvDayFiller } from '../devices/pv-day.ts';
import type { HouseSimulation } from '../house/house-simulation.ts';
import type { Household } from '../household/household.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import { allocateInt32Array } from '../kernel/typed-arrays.ts';
import { createLoadDayFiller } from '../people/household-load.ts';
import type { DayFiller } from '../time/local-day.ts';
import { createHouseRows } from './day-rows.ts';
import type { HouseRows } from './day-rows.ts';
import { createHeatDays } from './model-day.ts';

/**
 * Arrays that hold nothing from one call to the next, so that all models share them: a fleet's first look makes a model of
 * each household, and arrays of their own would be most of what it allocates.
 */
const workspace = {
  /** What the household has left on the day that is computed. */
  surplus: allocateInt32Array(QUARTER_HOURS_PER_DAY),
  /** For days of which only that is needed. */
  house: createHouseRows(),
  /** For a plan of the vehicle, which is made while a day is filled. */
  ahead: createHouseRows(),
} as const;

/** Days whose own power is kept, where a plan asks for it: a stay and the days that it is planned for. */
const KEPT_DAYS = 16;

/** What plans of car and battery expect at a place. */
interface Expectation {
  readonly place: Place | null;
  readonly fillPv: DayFiller<Int32Array>;
  readonly heat: () => HouseSimulation;
  /** What the panels give beyond the household's load. */
  readonly ownPower: DayCache<Int32Array>;
}

export class HouseDays {
  /** Null without a vehicle. */
  readonly vehicle: VehicleRun | null;
  /** The same vehicle as it would be if nobody asked anything. */
  readonly #habitualVehicle: VehicleRun | null;
  readonly #household: Household;
  readonly #steering: Steering;
  readonly #firstOf: (day: number) => number;
  readonly #vehicleEnergyAt: KnownEnergy;
  readonly #fillLoad: DayFiller<Int32Array>;
  readonly #fillPv: DayFiller<Int32Array>;
  readonly #heat: HouseSimulation;
  #expectation: Expectation | undefined;

  /**
   * `firstOf` gives the first quarter hour of a day that belongs to the history, 96 on earlier days; `vehicleEnergyAt` the energy
   * stored in the vehicle at the start of days at which it is known.
   */
  constructor(
    household: Household,
    steering: Steering,
    firstOf: (day: number) => number,
    vehicleEnergyAt: KnownEnergy,
  ) {
    const { electric_vehicle: vehicle } = household;
    this.#household = household;
    this.#steering = steering;
    this.#firstOf = firstOf;
    this.#vehicleEnergyAt = vehicleEnergyAt;
    this.#fillLoad = createLoadDayFiller(household);
    const { places } = steering.control;
    this.#fillPv = createPvDayFiller(household, places);
    this.#heat = createHeatDays(household, steering, this.#fillLoad);
    const ownPowerOn = (day: number, place: Place | null): Int32Array => this.#ownPowerOn(day, place);
    this.#habitualVehicle = vehicle && createHabitualVehicle(household, vehicle, firstOf);
    this.vehicle =
      vehicle && hasVehiclePreferences(steering)
        ? createSteeredVehicle(household, vehicle, steering, { firstOf, ownPowerOn })
        : this.#habitualVehicle;
  }

  /**
   * Writes a day (since 1970). What the household has left before the battery, below 0 what it lacks, comes back, to be read at
   * once.
   */
  fill(day: number, rows: HouseRows): Int32Array {
    this.#fillAllButVehicle(day, rows, this.#fillPv, this.#heat);
    if (this.vehicle) this.vehicle.write(day, rows, this.#vehicleEnergyAt);
    else rows.ev.fill(0);
    return surplusOf(rows);
  }

  /** Makes a piece of what a day follows from; true once no more than the day itself is left. */
  approach(day: number): boolean {
    return this.#heat.approach(day) && (this.vehicle?.approach(day, this.#vehicleEnergyAt) ?? true);
  }

  /** Makes a piece of what the outlook of a quarter hour follows from; true once no more than its own day is left. */
  approachChargeOutlook(quarterIndex: number): boolean {
    const day = Math.floor(quarterIndex / QUARTER_HOURS_PER_DAY);
    return this.vehicle?.approach(day, this.#vehicleEnergyAt) ?? true;
  }

  /** What a quarter hour (since 1970) knows of the stay of a vehicle with preferences; undefined without one. */
  chargeOutlookAt(quarterIndex: number): ChargeOutlook | undefined {
    return this.vehicle?.outlookAt(quarterIndex, this.#vehicleEnergyAt);
  }

  /** What the household has left on a day. */
  surplusOn(day: number): Int32Array {
    return this.fill(day, workspace.house);
  }

  /**
   * What it would have left if its devices kept their habits at a place, null where it was drawn, whatever prices and people say;
   * `withVehicle` false leaves the vehicle out. Nobody knows of a place to come: plans ask for the one in force.
   */
  expectedOn(day: number, withVehicle: boolean, place: Place | null): Int32Array {
    const isHabitual = this.vehicle === null || (withVehicle && this.vehicle === this.#habitualVehicle);
    const hasMoved = this.#steering.control.places.length > 0;
    if (isHabitual && !hasMoved && this.#household.heat_pump === null) return this.surplusOn(day);
    const { house } = workspace;
    const { fillPv, heat } = this.#expectationAt(place);
    this.#fillAllButVehicle(day, house, fillPv, heat());
    if (withVehicle && this.#habitualVehicle) this.#habitualVehicle.write(day, house, this.#habitualEnergyAt);
    else house.ev.fill(0);
    return surplusOf(house);
  }

  /** Known of a vehicle that keeps its habits is what it had at first; of one that never did otherwise, more. */
  readonly #habitualEnergyAt = (day: number): number | undefined => {
    if (this.vehicle === this.#habitualVehicle) return this.#vehicleEnergyAt(day);
    return this.#firstOf(day) > 0 ? this.#habitualVehicle?.initial : undefined;
  };

  #fillAllButVehicle(
    day: number,
    rows: HouseRows,
    fillPv: DayFiller<Int32Array>,
    heating: HouseSimulation,
  ): void {
    const { load, pv, hp, heat, mode } = rows;
    this.#fillLoad(day, load);
    fillPv(day, pv);
    heating.fillDay(day, rows);
    const first = this.#firstOf(day);
    if (first > 0) for (const values of [load, pv, hp, heat, mode]) values.fill(0, 0, first);
  }

  #ownPowerOn(day: number, place: Place | null): Int32Array {
    const { ownPower, fillPv } = this.#expectationAt(place);
    const known = ownPower.find(day);
    if (known !== undefined) return known;
    const left = ownPower.evict(day) ?? new Int32Array(QUARTER_HOURS_PER_DAY);
    if (this.#household.pv.rating_kw > 0) {
      const { load, pv } = workspace.ahead;
      this.#fillLoad(day, load);
      fillPv(day, pv);
      for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) left[i] = Math.max(0, (pv[i] ?? 0) - (load[i] ?? 0));
    }
    return ownPower.set(day, left);
  }

  #expectationAt(place: Place | null): Expectation {
    if (this.#expectation?.place === place) return this.#expectation;
    const household = place === null ? this.#household : { ...this.#household, ...place };
    let heat: HouseSimulation | undefined;
    return (this.#expectation = {
      place,
      fillPv: createPvDayFiller(household),
      // Cars' plans never ask for it.
      heat: () => (heat ??= createHeatDays(household, UNSTEERED, this.#fillLoad)),
      ownPower: new DayCache(KEPT_DAYS),
    });
  }
}

const hasVehiclePreferences = ({ control }: Steering): boolean =>
  control.electricVehicle.preferences.length > 0;

function surplusOf({ load, pv, hp, ev }: HouseRows): Int32Array {
  const { surplus } = workspace;
  for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
    surplus[i] = (pv[i] ?? 0) - (load[i] ?? 0) - (hp[i] ?? 0) - (ev[i] ?? 0);
  }
  return surplus;
}
