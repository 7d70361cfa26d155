/** What a household's UTC day brings of heat (96 quarter hours). */
import type { HeatPumpRows } from '../house/heat-pump-rows.ts';
import { HouseSimulation } from '../house/house-simulation.ts';
import type { Steering } from '../control/steering.ts';
import type { Household } from '../household/household.ts';
import type { DayFiller } from '../time/local-day.ts';
import { SCHEDULE_STATES } from '../control/schedule-states.ts';

const MID = SCHEDULE_STATES.indexOf('mid');

/** What the heat pump does, and what its house has of it. */
export function createHeatDayFiller(household: Household, steering: Steering): DayFiller<HeatPumpRows> {
  const pump = household.heat_pump;
  if (!pump) {
    return (_, { hp, heat, mode, asked }) => {
      hp.fill(0);
      heat.fill(0);
      mode.fill(0);
      asked.fill(MID);
    };
  }
  const house = new HouseSimulation(household, pump, steering);
  return (day, rows) => {
    house.fillDay(day, rows);
  };
}
