/** A house with its heat pump at any time: steered, or left to its own habits. */
import { UNCONTROLLED } from '../control/household-control.ts';
import { NO_PRICES } from '../control/price-book.ts';
import type { Steering } from '../control/steering.ts';
import type { HeatPump } from '../household/heat-pump.ts';
import type { Household } from '../household/household.ts';
import type { HeatPumpRows } from './heat-pump-rows.ts';
import { SteeredHouse } from './steered-house.ts';
import { UnsteeredHouse } from './unsteered-house.ts';
import type { SurplusOf } from './window.ts';

/** A house that can be asked for any day. */
export interface HouseSimulation {
  /** Writes a UTC day (days since 1970) into `rows`; before the anchor the heat pump is off and nothing changes. */
  fillDay(day: number, rows: HeatPumpRows): void;
  /**
   * What a day follows from, a piece of some milliseconds at a time: true once no more than the day itself is left. Without it
   * fillDay does all at once.
   */
  approach(day: number): boolean;
}

/** The house of a household. `surplusOf` gives the household's own PV beyond its load by UTC day, mWh a quarter hour. */
export function createHouseSimulation(
  household: Household,
  pump: HeatPump,
  steering: Steering,
  surplusOf: SurplusOf,
): HouseSimulation {
  const { prices, control } = steering;
  if (prices === NO_PRICES && control === UNCONTROLLED) {
    return new UnsteeredHouse(household, pump, control);
  }
  return new SteeredHouse(household, pump, steering, surplusOf);
}
