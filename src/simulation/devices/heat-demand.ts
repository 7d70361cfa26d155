/** Heat demand of a house by day and quarter hour (docs/simulation.md#heat-pump). */
import { DAY_MS } from '../../domain/api/durations.ts';
import { siteWeather } from '../environment/weather.ts';
import type { SiteWeather } from '../environment/weather.ts';
import type { Household } from '../household/household.ts';
import { BoundedCache, DayCache } from '../kernel/bounded-cache.ts';
import { splitSeed } from '../kernel/noise.ts';
import { utcYearOf } from '../time/calendar.ts';

/**
 * Shares of a day's heat, without unit, at a daily mean temperature in C: the sigmoid of BDEW with linear part, single-family house, normal wind
 * (daily_demand.csv of oruhnau/when2heat; Ruhnau et al. 2019).
 */
function demandShares(meanC: number): { space: number; water: number } {
  const sigmoid = 1.6209544 / (1 + (-37.1833141 / (meanC - 40)) ** 5.6727847);
  const linear = Math.max(-0.04957 * meanC + 0.8401015, -0.002209 * meanC + 0.1074468);
  const water = -0.002209 * Math.max(meanC, 15) + 0.1790899 + 0.0716431;
  return { space: Math.max(0, sigmoid + 0.0716431 + linear - water), water };
}

/** Outdoor temperatures in C below which a country heats (heating_thresholds.csv of when2heat); the shares are Germany's. */
const GERMAN_THRESHOLD = 13.98;
const THRESHOLDS: Readonly<Record<string, number>> = {
  AT: 14.59, BE: 15.2, CH: 12, CZ: 14.8, DK: 15.2, ES: 18.47, FI: 13.16, FR: 15.61, GB: 14.18, IE: 12.76, IT: 15.61,
  NL: 13.98, NO: 11.53, PL: 15.2, PT: 18.47, SE: 13.16,
}; // prettier-ignore

/** Share of each local hour in a day's space heat (single-family house at 0 C, BDEW), summing to 1. */
const HOURLY = [
  0.0262, 0.0266, 0.0274, 0.0289, 0.0333, 0.043, 0.0551, 0.051, 0.0497, 0.0482, 0.0467, 0.0446, 0.0439, 0.0435,
  0.0448, 0.0456, 0.0481, 0.0489, 0.0491, 0.0484, 0.0466, 0.0414, 0.0318, 0.0272,
]; // prettier-ignore
const HOURLY_SUM = HOURLY.reduce((sum, share) => sum + share, 0);

/** By how much warmer than in Germany a household begins to heat, K. */
function thresholdShiftOf(household: Household): number {
  return (THRESHOLDS[household.country ?? ''] ?? GERMAN_THRESHOLD) - GERMAN_THRESHOLD;
}

/** Sums of the daily shares of calendar years; a yearly heat divided by one is the customer value (BDEW). */
const yearSums = new BoundedCache<string, number>(4000);

function yearSum(weather: SiteWeather, shift: number, year: number): number {
  return yearSums.getOrCompute(`${weather.id} ${shift} ${year}`, () => {
    const first = Date.UTC(year, 0, 1) / DAY_MS;
    const last = Date.UTC(year + 1, 0, 1) / DAY_MS;
    let [a, b, c] = [
      weather.meanTemperatureOn(first - 3),
      weather.meanTemperatureOn(first - 2),
      weather.meanTemperatureOn(first - 1),
    ];
    let sum = 0;
    for (let day = first; day < last; day++) {
      const mean = weather.meanTemperatureOn(day);
      const { space, water } = demandShares(effectiveMean(mean, c, b, a) - shift);
      sum += space + water;
      [a, b, c] = [b, c, mean];
    }
    return sum;
  });
}

/** Temperature that the demand follows, C: means of the day and the three before, weighted 1, 1/2, 1/4, 1/8 (BDEW). */
function effectiveMean(today: number, one: number, two: number, three: number): number {
  return (today + one / 2 + two / 4 + three / 8) / 1.875;
}

/** Heat that a house needs on a UTC day, kWh. */
export interface DailyHeatDemand {
  /** For the rooms. */
  readonly spaceKwh: number;
  /** For hot water. */
  readonly waterKwh: number;
}

/**
 * A function that gives the heat demand of a household on a UTC day (days since 1970); 0 without a heat pump. The days of a
 * calendar year sum to the yearly heat of the heat pump.
 */
export function createHeatDemand(household: Household): (day: number) => DailyHeatDemand {
  const pump = household.heat_pump;
  if (!pump) return () => ({ spaceKwh: 0, waterKwh: 0 });
  const weather = siteWeather(splitSeed(household.seed), household.latitude, household.longitude);
  const shift = thresholdShiftOf(household);
  const days = new DayCache<DailyHeatDemand>(4);
  const means = new DayCache<number>(8);
  const years = new DayCache<number>(2);
  const dayMean = (day: number) => means.find(day) ?? means.set(day, weather.meanTemperatureOn(day));
  const sumOf = (year: number) => years.find(year) ?? years.set(year, yearSum(weather, shift, year));
  const demandOf = (day: number): DailyHeatDemand => {
    const mean = effectiveMean(dayMean(day), dayMean(day - 1), dayMean(day - 2), dayMean(day - 3));
    const { space, water } = demandShares(mean - shift);
    const customerValue = pump.annual_heat_kwh / sumOf(utcYearOf(day * DAY_MS));
    return { spaceKwh: space * customerValue, waterKwh: water * customerValue };
  };
  return (day) => days.find(day) ?? days.set(day, demandOf(day));
}

/** Heat that the rooms need in a quarter hour 0..95 of the local day, mWh, out of a day's demand. */
export function quarterSpaceHeatDemand(heat: DailyHeatDemand, localQuarter: number): number {
  return (heat.spaceKwh * 1e6 * (HOURLY[localQuarter >> 2] ?? 0)) / HOURLY_SUM / 4;
}
