/** How much a car can be asked to charge at home: its tours, battery and charger bound it. */
import { DAY_MS } from '../../domain/api/durations.ts';
import { CHARGE_EFFICIENCY } from '../devices/vehicle.ts';
import type { ElectricVehicle } from '../household/equipment.ts';
import type { Household } from '../household/household.ts';
import { createDriver, fillDistances } from './driver.ts';
import { createDayTours } from './tours.ts';

/** Part of the limit of all tours that is met in full (measured). */
const RELIABLE_SHARE = 0.5;
/** Everybody leaves home on more days of a year. */
const LEAST_TOURS = 150;

/**
 * Home charging in kWh a year that the vehicle of a household takes in full; Infinity where what the household asks for is so
 * little that every vehicle does.
 */
export function mostHomeChargingKwh(household: Household, vehicle: ElectricVehicle): number {
  const driver = createDriver(household, vehicle);
  const limitKwh = (RELIABLE_SHARE * driver.tourLimit) / CHARGE_EFFICIENCY / 1e6;
  if (household.ev_annual_kwh <= LEAST_TOURS * limitKwh) return Infinity;
  const tours = createDayTours();
  const first = Math.floor(household.anchor_ms / DAY_MS);
  let count = 0;
  for (let day = first; day < first + 365; day++) {
    fillDistances(driver, day, tours);
    count += tours.count;
  }
  return count * limitKwh;
}
