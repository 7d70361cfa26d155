/** Heat that the rooms of a house need to stay as they are, for planning ahead (docs/simulation.md#schedules). */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { isHeatingDay } from '../environment/heating-climate.ts';
import { siteWeather } from '../environment/weather.ts';
import type { Household } from '../household/household.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import { splitSeed } from '../kernel/noise.ts';
import { thermalHouseOf } from './thermal-day.ts';

/**
 * A function that gives the need of a quarter hour (counted from 1970), mWh, by the mean temperature of its day and without
 * the sun; 0 without a heat pump.
 */
export function createHeatNeed(household: Household): (quarterIndex: number) => number {
  const pump = household.heat_pump;
  if (!pump) return () => 0;
  const { building } = pump;
  const { applianceLift, peopleLift } = thermalHouseOf(pump);
  const weather = siteWeather(splitSeed(household.seed), household.latitude, household.longitude);
  const days = new DayCache<number>(4);
  const needOn = (day: number): number => {
    const meanC = weather.meanTemperatureOn(day);
    if (!isHeatingDay(weather.climate, day, meanC)) return 0;
    const missingK = building.comfort_c - meanC - (applianceLift + peopleLift) / 1000;
    return Math.max(0, missingK * building.heat_loss_w_per_k * 250);
  };
  return (quarterIndex) => {
    const day = Math.floor(quarterIndex / QUARTER_HOURS_PER_DAY);
    return days.find(day) ?? days.set(day, needOn(day));
  };
}
