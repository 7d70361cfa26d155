/** A household's car and its driver: all that its days are planned from. */
import { CHARGE_EFFICIENCY, MIN_SOC_PERCENT } from '../devices/vehicle.ts';
import { siteWeather } from '../environment/weather.ts';
import type { SiteWeather } from '../environment/weather.ts';
import type { ElectricVehicle } from '../household/equipment.ts';
import type { Household } from '../household/household.ts';
import { NOISE_CHANNEL, hashStream, splitSeed } from '../kernel/noise.ts';
import { Absences } from '../people/absences.ts';
import { dayTypesIn } from '../time/day-type.ts';
import type { DayTypes } from '../time/day-type.ts';
import { seasonFactorsOf } from './consumption.ts';
import type { SeasonFactors } from './consumption.ts';
import { drawDriverHabits, kwhPerKmOf } from './habits.ts';
import type { DriverHabits } from './habits.ts';
import { drawDistances, drawJourney, drawTimes } from './tours.ts';
import type { DayTours } from './tours.ts';
import { MILLI_WH_PER_W } from '../kernel/energy.ts';

/** Energies are in mWh. */
export interface Driver {
  readonly household: Household;
  readonly habits: DriverHabits;
  readonly weather: SiteWeather;
  readonly seasons: SeasonFactors;
  /** Streams of draws for tours and for plugging in. */
  readonly tourStream: number;
  readonly plugStream: number;
  /** Energy for a km at 20 °C. */
  readonly perKm: number;
  /** What lies between the target and the minimum of the battery. */
  readonly usable: number;
  /** What a tour takes from the battery at most: more is charged on the way. */
  readonly tourLimit: number;
  /** What a quarter hour at the plug brings. */
  readonly chargePerQuarter: number;
  /** Home charging of a year, in the battery. */
  readonly annual: number;
  readonly absences: Absences;
  readonly dayTypes: DayTypes;
}

/** The car is back from a longer absence after so many nights. */
const LONGEST_JOURNEY = 21;
/** Part of the usable battery that a tour may take, and hours of charging that bring it back in a night. */
const TOUR_SHARE = 0.75;
const NIGHT_HOURS = 9;

/** What a tour of a vehicle takes from its battery at most, mWh. */
export function tourLimitOf(vehicle: ElectricVehicle): number {
  const usable = ((vehicle.target_soc_percent - MIN_SOC_PERCENT) / 100) * vehicle.battery_kwh;
  const night = (vehicle.charger_power_w / 1000) * NIGHT_HOURS * CHARGE_EFFICIENCY;
  return Math.min(TOUR_SHARE * usable, night) * 1e6;
}

/** The driver of a household's vehicle. */
export function createDriver(household: Household, vehicle: ElectricVehicle): Driver {
  const { index, latitude, longitude } = household;
  const seed = splitSeed(household.seed);
  const usablePercent = vehicle.target_soc_percent - MIN_SOC_PERCENT;
  const weather = siteWeather(seed, latitude, longitude);
  return {
    household,
    habits: drawDriverHabits(household),
    weather,
    seasons: seasonFactorsOf(weather.climate),
    tourStream: hashStream(seed, index, NOISE_CHANNEL.tour),
    plugStream: hashStream(seed, index, NOISE_CHANNEL.plugIn),
    perKm: kwhPerKmOf(vehicle) * 1e6,
    usable: usablePercent * vehicle.battery_kwh * 1e4,
    tourLimit: tourLimitOf(vehicle),
    chargePerQuarter: vehicle.charger_power_w * MILLI_WH_PER_W * CHARGE_EFFICIENCY,
    annual: household.ev_annual_kwh * 1e6 * CHARGE_EFFICIENCY,
    absences: new Absences(household),
    dayTypes: dayTypesIn(household.country),
  };
}

/** Writes where the tours go that a driver leaves home for on a local day (days since 1970). */
export function fillDistances(driver: Driver, localDay: number, tours: DayTours): void {
  const { absences, dayTypes, habits, tourStream } = driver;
  if (!absences.isAway(localDay)) {
    drawDistances(habits, tourStream, localDay, dayTypes.of(localDay), tours);
  } else if (absences.isAway(localDay - 1)) tours.count = 0;
  else drawJourney(tourStream, localDay, tours);
}

/** Writes the tours that a driver leaves home for on a local day (days since 1970). */
export function fillTours(driver: Driver, localDay: number, tours: DayTours): void {
  const { absences, habits, tourStream } = driver;
  fillDistances(driver, localDay, tours);
  let nights = 0;
  if (tours.count > 0 && absences.isAway(localDay)) {
    while (nights < LONGEST_JOURNEY && absences.isAway(localDay + nights + 1)) nights++;
  }
  drawTimes(habits, tourStream, localDay, nights, tours);
}
