/** What a household's UTC day brings of heat (96 quarter hours). */
import type { HeatPumpRows } from '../house/heat-pump-rows.ts';
import { HouseSimulation } from '../house/house-simulation.ts';
import type { ScheduleState } from '../devices/schedule-states.ts';
import type { Household } from '../household/household.ts';
import type { DayFiller } from '../time/local-day.ts';

/** What the heat pump does, and what its house has of it. */
export function createHeatDayFiller(
  household: Household,
  scheduleState: (at: Date) => ScheduleState,
): DayFiller<HeatPumpRows> {
  const pump = household.heat_pump;
  if (!pump) {
    return (_, { hp, heat, mode }) => {
      hp.fill(0);
      heat.fill(0);
      mode.fill(0);
    };
  }
  const house = new HouseSimulation(household, pump, scheduleState);
  return (day, rows) => {
    house.fillDay(day, rows);
  };
}
