/** Houses with heat pumps at given places, and their days. */
import { DAY_MS } from '../../../src/domain/api/durations.ts';
import { UNSTEERED } from '../../../src/simulation/control/steering.ts';
import type { Steering } from '../../../src/simulation/control/steering.ts';
import type { HeatPump } from '../../../src/simulation/household/heat-pump.ts';
import type { Household } from '../../../src/simulation/household/household.ts';
import { createHeatPumpRows } from '../../../src/simulation/house/heat-pump-rows.ts';
import type { HeatPumpRows } from '../../../src/simulation/house/heat-pump-rows.ts';
import { createHouseSimulation } from '../../../src/simulation/house/house-simulation.ts';
import type { HouseSimulation } from '../../../src/simulation/house/house-simulation.ts';
import { households } from '../fleet.ts';

export type HeatedHousehold = Household & { readonly heat_pump: HeatPump };

/** The households with a heat pump in a fleet at a place. */
export function heatedHouseholds(
  latitude: number,
  longitude: number,
  { count = 60, seed = 42, anchor = new Date('2025-01-01T00:00:00Z') } = {},
): HeatedHousehold[] {
  return households({ count, seed, latitude, longitude }, anchor).flatMap((household) =>
    household.heat_pump ? [{ ...household, heat_pump: household.heat_pump }] : [],
  );
}

const NO_SURPLUS = new Int32Array(96);

/** A simulation that knows nothing yet, of a house without panels. */
export function simulationOf(household: HeatedHousehold, steering: Steering = UNSTEERED): HouseSimulation {
  return createHouseSimulation(household, household.heat_pump, steering, () => NO_SURPLUS);
}

/** A day of a simulation, in rows of its own. */
export function dayOf(simulation: HouseSimulation, day: number): HeatPumpRows {
  const rows = createHeatPumpRows(96);
  simulation.fillDay(day, rows);
  return rows;
}

/** Days since 1970 of a date. */
export const dayNumber = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS;

export const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};
