/** A year of cars as their chargers and their drivers would have written it down. */
import { DAY_MS, QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import { weekdayOf } from '../../src/simulation/time/day-type.ts';
import { createDriver, fillTours } from '../../src/simulation/cars/driver.ts';
import { Drives } from '../../src/simulation/cars/drives.ts';
import { DrivingYears } from '../../src/simulation/cars/driving-years.ts';
import { LocalClock } from '../../src/simulation/cars/local-clock.ts';
import { createDayTours } from '../../src/simulation/cars/tours.ts';
import { createVehicleDayPlanner } from '../../src/simulation/cars/vehicle-day.ts';
import { simulateVehicleDay, vehicleBatteryLimitsOf } from '../../src/simulation/devices/vehicle.ts';
import type { VehicleInterval, VehicleRows } from '../../src/simulation/devices/vehicle.ts';
import type { ElectricVehicle } from '../../src/simulation/household/equipment.ts';
import type { Household } from '../../src/simulation/household/household.ts';
import { localQuarterAt, utcQuarterAt } from '../../src/simulation/time/local-day.ts';

/** 2025; a month before it lets the batteries forget where they began. */
const FIRST_DAY = Date.UTC(2025, 0, 1) / DAY_MS;
const DAYS = 365;
const DAYS_BEFORE = 31;

/** A time at the plug in which something was charged; hours are local. */
export interface Session {
  readonly startHour: number;
  /** Monday 0 to Sunday 6. */
  readonly weekday: number;
  readonly hours: number;
  readonly kwh: number;
}

export interface CarYear {
  readonly sessions: readonly Session[];
  /** Charged at home by month, and elsewhere in the year, kWh at the socket and in the battery. */
  readonly homeKwh: readonly number[];
  readonly elsewhereKwh: number;
  readonly drivenKwh: number;
  /** Part of the noons of working days at which the car is plugged in. */
  readonly noonShare: number;
  readonly km: number;
  /** Highest mean speed of a drive, km/h. */
  readonly topSpeed: number;
  readonly lowestSocPercent: number;
  readonly highestSocPercent: number;
}

/** Sessions of a year, open or closed. */
class SessionLog {
  readonly sessions: Session[] = [];
  #start = -1;
  #milliWh = 0;
  readonly #zone: string;

  constructor(zone: string) {
    this.#zone = zone;
  }

  add(quarter: number, pluggedIn: boolean, milliWh: number): void {
    if (pluggedIn) {
      if (this.#start < 0) this.#start = quarter;
      this.#milliWh += milliWh;
    } else if (this.#start >= 0) this.#close(quarter);
  }

  /** Sessions as short on energy or as long as the truth leaves out are left out. */
  #close(quarter: number): void {
    const { localDay, localQuarter } = localQuarterAt(this.#zone, this.#start);
    const hours = (quarter - this.#start) / 4;
    const kwh = this.#milliWh / 1e6;
    if (kwh > 0.5 && hours <= 120) {
      this.sessions.push({
        startHour: Math.floor(localQuarter / 4),
        weekday: weekdayOf(localDay),
        hours,
        kwh,
      });
    }
    this.#start = -1;
    this.#milliWh = 0;
  }
}

/** What is counted while a year goes by, energies in mWh. */
class YearCounts {
  readonly homeKwh = new Array<number>(12).fill(0);
  readonly log: SessionLog;
  /** 1 in the quarter hours of the year in which the car is plugged in. */
  readonly pluggedIn = new Uint8Array(DAYS * QUARTER_HOURS_PER_DAY);
  elsewhere = 0;
  driven = 0;
  lowest = Infinity;
  highest = -Infinity;

  constructor(zone: string) {
    this.log = new SessionLog(zone);
  }

  /** Counts a UTC day, on which the car did what its intervals say. */
  addDay(day: number, intervals: readonly VehicleInterval[], { ev, vehicleStored }: VehicleRows): void {
    const month = new Date(day * DAY_MS).getUTCMonth();
    const before = day * QUARTER_HOURS_PER_DAY;
    const start = (day - FIRST_DAY) * QUARTER_HOURS_PER_DAY;
    for (const { from, to, pluggedIn, driven } of intervals) {
      if (pluggedIn) this.pluggedIn.fill(1, start + from, start + to);
      for (let i = from; i < to; i++) {
        const charged = ev[i] ?? 0;
        const stored = vehicleStored[i + 1] ?? 0;
        this.log.add(before + i, pluggedIn, charged);
        this.homeKwh[month] = (this.homeKwh[month] ?? 0) + charged / 1e6;
        if (!pluggedIn) {
          this.driven += Math.max(0, driven);
          this.elsewhere += stored - (vehicleStored[i] ?? 0) + Math.max(0, driven);
        }
        this.lowest = Math.min(this.lowest, stored);
        this.highest = Math.max(this.highest, stored);
      }
    }
  }

  /** Part of the noons of working days at which the car is plugged in. */
  noonShare(zone: string): number {
    let [noons, pluggedIn] = [0, 0];
    for (let day = FIRST_DAY + 1; day < FIRST_DAY + DAYS - 1; day++) {
      if (weekdayOf(day) >= 5) continue;
      noons++;
      const noon = utcQuarterAt(zone, day, QUARTER_HOURS_PER_DAY / 2) - FIRST_DAY * QUARTER_HOURS_PER_DAY;
      pluggedIn += this.pluggedIn[noon] ?? 0;
    }
    return pluggedIn / noons;
  }
}

/** Simulates the car of a household over 2025. Throws a RangeError when it has none. */
export function simulateCarYear(household: Household): CarYear {
  const vehicle = vehicleOf(household);
  const plannedOn = createVehicleDayPlanner(household, vehicle);
  const limits = vehicleBatteryLimitsOf(vehicle);
  const counts = new YearCounts(household.time_zone);
  const rows = {
    ev: new Int32Array(QUARTER_HOURS_PER_DAY),
    pluggedIn: new Uint8Array(QUARTER_HOURS_PER_DAY),
    vehicleStored: new Int32Array(QUARTER_HOURS_PER_DAY + 1),
  };
  let stored = limits.initial;
  for (let day = FIRST_DAY - DAYS_BEFORE; day < FIRST_DAY + DAYS; day++) {
    const intervals = plannedOn(day);
    simulateVehicleDay(limits, intervals, 0, stored, rows);
    stored = rows.vehicleStored[QUARTER_HOURS_PER_DAY] ?? 0;
    if (day < FIRST_DAY) continue;
    counts.addDay(day, intervals, rows);
  }
  return {
    sessions: counts.log.sessions,
    homeKwh: counts.homeKwh,
    elsewhereKwh: counts.elsewhere / 1e6,
    drivenKwh: counts.driven / 1e6,
    noonShare: counts.noonShare(household.time_zone),
    ...driveFiguresOf(household),
    lowestSocPercent: (100 * counts.lowest) / limits.capacity,
    highestSocPercent: (100 * counts.highest) / limits.capacity,
  };
}

function vehicleOf({ electric_vehicle: vehicle }: Household): ElectricVehicle {
  if (!vehicle) throw new RangeError('The household has no vehicle.');
  return vehicle;
}

/** Distance of the year and the highest mean speed of a drive. */
function driveFiguresOf(household: Household): { km: number; topSpeed: number } {
  const driver = createDriver(household, vehicleOf(household));
  const years = new DrivingYears(driver);
  const tours = createDayTours();
  const drives = new Drives(4);
  let [km, topSpeed] = [0, 0];
  for (let day = FIRST_DAY; day < FIRST_DAY + DAYS; day++) {
    fillTours(driver, day, tours);
    drives.count = 0;
    drives.append(driver, years.scaleOn(day), day, tours, new LocalClock(household.time_zone, day, day));
    for (let i = 0; i < drives.count; i++) {
      const distance = drives.km[i] ?? 0;
      km += distance;
      topSpeed = Math.max(topSpeed, distance / 2 / ((drives.legs[i] ?? 1) / 4));
    }
  }
  return { km, topSpeed };
}
