/** What cars that charge by price make of a month: whether they are ready in time, and what they pay. */
import { QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';
import { nextReadyBy } from '../../src/simulation/cars/ready-by.ts';
import { UNCONTROLLED } from '../../src/simulation/control/household-control.ts';
import { DEFAULT_VEHICLE_PREFERENCES } from '../../src/simulation/control/preferences.ts';
import type { PriceBook } from '../../src/simulation/control/price-book.ts';
import { UNSTEERED, steeringOf } from '../../src/simulation/control/steering.ts';
import type { Steering } from '../../src/simulation/control/steering.ts';
import { fullStepOf, vehicleBatteryLimitsOf } from '../../src/simulation/devices/vehicle.ts';
import type { Household } from '../../src/simulation/household/household.ts';
import { createHouseholdModel } from '../../src/simulation/model/model.ts';
import type { HouseholdModel } from '../../src/simulation/model/model.ts';
import { marketPrices } from './markets.ts';
import { rowWithin } from './row.ts';
import type { Row } from './row.ts';
import { FIRST_DAY, households } from './sample-fleets.ts';

const CARS = 1_000;
const DAYS = 30;
const PREFERENCES = { ...DEFAULT_VEHICLE_PREFERENCES, charge_policy: 'smart' } as const;

/** A month of a car, by quarter hours. */
interface CarMonth {
  readonly plugged: readonly boolean[];
  readonly stored: readonly number[];
  /** EUR. */
  readonly cost: number;
}

interface Outcome {
  stays: number;
  /** Not ready although charging at once would have been. */
  missed: number;
  /** Could not be ready whatever was done. */
  forbidden: number;
  /** Of these, how many a plan has found as the car was plugged in. */
  told: number;
  paid: number;
  paidAtOnce: number;
}

/** Rows of cars that are to be ready at 07:00. */
export function measureSteeredCars(): Row[] {
  const prices = marketPrices('two peaks');
  const electricVehicle = { preferences: [{ from: 0, value: PREFERENCES }], boosts: [], unsteered: [] };
  const smart = steeringOf(prices, { ...UNCONTROLLED, electricVehicle });
  const outcome = { stays: 0, missed: 0, forbidden: 0, told: 0, paid: 0, paidAtOnce: 0 };
  for (const household of fleet()) addCar(outcome, household, smart, prices);
  const { stays, missed, forbidden, told, paid, paidAtOnce } = outcome;
  const source = `${CARS} cars, ${DAYS} days, ready by 07:00; prices of two peaks`;
  return [
    rowWithin(
      {
        id: 'smart a',
        figure: `Targets missed that charging at once meets, of ${stays}`,
        truth: '0',
        source,
      },
      missed,
      [0, 0],
      0,
    ),
    rowWithin(
      {
        id: 'smart b',
        figure: `Targets that no charging meets and no plan has told, of ${forbidden}`,
        truth: '0',
        source,
      },
      forbidden - told,
      [0, 0],
      0,
    ),
    rowWithin(
      {
        id: 'smart c',
        figure: `Cost of charging by price over that of charging at once (${paidAtOnce.toFixed(0)} EUR)`,
        truth: 'below 1',
        source,
      },
      paid / paidAtOnce,
      [0.2, 0.9],
    ),
  ];
}

function fleet(): Household[] {
  return households({
    count: CARS,
    ev_ownership_fraction: 1,
    pv_rating_kw: 0,
    annual_consumption_kwh: 3000,
    annual_consumption_with_ev_kwh: 5500,
  }).map((household) => ({ ...household, heat_pump: null }));
}

function addCar(outcome: Outcome, household: Household, smart: Steering, prices: PriceBook): void {
  const vehicle = household.electric_vehicle;
  if (!vehicle) return;
  const limits = vehicleBatteryLimitsOf(vehicle);
  const { target } = limits;
  const step = fullStepOf(limits);
  const model = createHouseholdModel(household, smart);
  const { plugged, stored, cost } = monthOf(model, prices);
  outcome.paid += cost;
  outcome.paidAtOnce += monthOf(createHouseholdModel(household, UNSTEERED), prices).cost;
  const start = FIRST_DAY * QUARTER_HOURS_PER_DAY;
  for (const { first, end } of staysOf(plugged)) {
    const begins = start + first;
    const ready = nextReadyBy(PREFERENCES.ready_by, household.time_zone, begins) - start;
    const due = Math.min(end, ready);
    if (due >= stored.length) continue;
    const possible = Math.min(target, (stored[first] ?? 0) + step * (due - first));
    outcome.stays++;
    if ((stored[due] ?? 0) < possible) outcome.missed++;
    if (possible < target) {
      outcome.forbidden++;
      if ((model.chargeOutlookAt(begins)?.stay?.missing ?? 0) === target - possible) outcome.told++;
    }
  }
}

function monthOf(model: HouseholdModel, prices: PriceBook): CarMonth {
  const plugged: boolean[] = [];
  const stored: number[] = [];
  let cost = 0;
  for (let day = FIRST_DAY; day < FIRST_DAY + DAYS; day++) {
    const { ev, pluggedIn, vehicleStored } = model.day(day);
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const atMs = (day * QUARTER_HOURS_PER_DAY + i) * QUARTER_HOUR_MS;
      plugged.push(pluggedIn[i] === 1);
      stored.push(vehicleStored[i] ?? 0);
      cost += ((ev[i] ?? 0) * (prices.priceAt(atMs, atMs) ?? 0)) / 1e9;
    }
  }
  return { plugged, stored, cost };
}

/** The stays that begin in the month, from their first quarter hour up to and without the last. */
function staysOf(plugged: readonly boolean[]): { first: number; end: number }[] {
  const stays: { first: number; end: number }[] = [];
  for (let i = 1; i < plugged.length; i++) {
    if (plugged[i] !== true || plugged[i - 1] === true) continue;
    const end = plugged.indexOf(false, i);
    stays.push({ first: i, end: end < 0 ? plugged.length : end });
  }
  return stays;
}
