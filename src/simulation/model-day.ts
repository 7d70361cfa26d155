/** What a household's UTC day brings, before its batteries: load, sun, heat, driving (96 quarter hours). */
import { clearness, climateOf, normTemperature, temperature } from './climate.ts';
import type { Climate } from './climate.ts';
import { dayHeat, heatQuarter, yearShape } from './heat.ts';
import type { DayHeat, HeatQuarter, ScheduleState } from './heat.ts';
import type { Household } from './household.ts';
import { burst, dayFactor, dayTypeOf, loadCurves, seasonOf } from './load.ts';
import { Memory } from './memory.ts';
import { splitSeed } from './noise.ts';
import { pvPowerW } from './pv.ts';
import { solarTerms, sunVector } from './sun.ts';
import { drivenIn, isPluggedIn, vehicleDay } from './vehicle.ts';
import { dayOfYear, offsetMinutesAt, yearOf } from './zone.ts';

/** Bound once: under a test runner's context each use of a global is a slow lookup. */
const { floor, round } = Math;

export const QUARTERS = 96;
const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;

/** Energies in mWh. */
export interface DayInputs {
  readonly load: Int32Array;
  readonly pv: Int32Array;
  readonly hp: Int32Array;
  readonly heat: Int32Array;
  readonly mode: readonly HeatQuarter['mode'][];
  readonly driven: Int32Array;
  readonly pluggedIn: Uint8Array;
}

/** Where a quarter lies in local legal time: day number since 1970 and quarter of the day. */
export function localQuarterOf(
  zone: string,
  quarterIndex: number,
): { localDay: number; localQuarter: number } {
  const offset = offsetMinutesAt(zone, quarterIndex * QUARTER_MS);
  const local = quarterIndex + round(offset / 15);
  const localDay = floor(local / QUARTERS);
  return { localDay, localQuarter: local - localDay * QUARTERS };
}

/** Heat needed by the house day by day; a pure function of the household, with the year's sum remembered. */
export function heatCalendar(household: Household): {
  climate: Climate;
  dayHeatOf: (day: number) => DayHeat;
} {
  const climate = climateOf(household.latitude, household.longitude);
  const years = new Memory<number, number>(2);
  const days = new Memory<number, DayHeat>(4);
  const pump = household.heat_pump;
  const dayHeatOf = (day: number): DayHeat => {
    if (!pump) return { spaceKwh: 0, waterKwh: 0 };
    const year = yearOf(day * DAY_MS);
    const sum = years.get(year, () => yearShape(household, climate, year));
    return days.get(day, () => dayHeat(household, pump, climate, day, sum));
  };
  return { climate, dayHeatOf };
}

/** Ground a metre down: the norm year damped to a third and six weeks late, C. */
function soilTemperature(climate: Climate, day: number): number {
  return climate.meanC + (normTemperature(climate, day - 42) - climate.meanC) * 0.35;
}

/** A function from day number (days since 1970, UTC) to its inputs. */
export function dayBuilder(
  household: Household,
  scheduleState: (at: Date) => ScheduleState,
): (day: number) => DayInputs {
  const { climate, dayHeatOf } = heatCalendar(household);
  const seed = splitSeed(household.seed);
  const shape = loadCurves(household.profile, household.time_shift_minutes);
  const curves = new Memory<number, Float64Array>(3);
  const curveOf = (localDay: number) =>
    curves.get(localDay, () => {
      const season = seasonOf(dayOfYear(localDay), household.latitude);
      const curve = shape(dayTypeOf(localDay), season);
      const factor = dayFactor(seed, household.index, localDay, household.day_variation);
      // 250 mWh a quarter for each watt.
      const scale = ((household.load_annual_kwh * 1000) / 8760) * factor * 250;
      return curve.map((share) => share * scale);
    });
  return (day) => {
    const inputs: DayInputs & { mode: HeatQuarter['mode'][] } = {
      load: new Int32Array(QUARTERS),
      pv: new Int32Array(QUARTERS),
      hp: new Int32Array(QUARTERS),
      heat: new Int32Array(QUARTERS),
      mode: new Array<HeatQuarter['mode']>(QUARTERS).fill('off'),
      driven: new Int32Array(QUARTERS),
      pluggedIn: new Uint8Array(QUARTERS),
    };
    fillPv(household, climate, day, inputs.pv);
    const soilC = soilTemperature(climate, day);
    for (let i = 0; i < QUARTERS; i++) {
      const quarterIndex = day * QUARTERS + i;
      const { localDay, localQuarter } = localQuarterOf(household.time_zone, quarterIndex);
      const mean = curveOf(localDay)[localQuarter] ?? 0;
      inputs.load[i] = round(mean * burst(seed, household.index, quarterIndex));
      if (household.heat_pump) {
        const middleMs = (quarterIndex + 0.5) * QUARTER_MS;
        const airC = temperature(seed, climate, middleMs, household.latitude, household.longitude);
        const at = { quarterIndex, localDay, localQuarter, airC, soilC };
        const state = scheduleState(new Date(quarterIndex * QUARTER_MS));
        const run = heatQuarter(household, household.heat_pump, dayHeatOf(day), at, state);
        inputs.hp[i] = run.electricMilliWh;
        inputs.heat[i] = run.heatMilliWh;
        inputs.mode[i] = run.mode;
      }
    }
    fillDriving(household, day, inputs);
    return inputs;
  };
}

function fillPv(household: Household, climate: Climate, day: number, pv: Int32Array): void {
  if (household.pv.rating_kw === 0) return;
  const { latitude, longitude } = household;
  const seed = splitSeed(household.seed);
  const [from, to] = [solarTerms(day * DAY_MS), solarTerms((day + 1) * DAY_MS)];
  for (let i = 0; i < QUARTERS; i++) {
    const middleMs = (day * QUARTERS + i + 0.5) * QUARTER_MS;
    const part = (i + 0.5) / QUARTERS;
    // Between two midnights both terms are all but straight lines.
    const terms = {
      declination: from.declination + (to.declination - from.declination) * part,
      equationOfTime: from.equationOfTime + (to.equationOfTime - from.equationOfTime) * part,
    };
    const sun = sunVector(terms, middleMs, latitude, longitude);
    if (sun.up <= 0) continue;
    const airC = temperature(seed, climate, middleMs, latitude, longitude);
    pv[i] = round(pvPowerW(household.pv, sun, clearness(seed, middleMs, latitude, longitude), airC) * 250);
  }
}

function fillDriving(household: Household, day: number, inputs: DayInputs): void {
  const vehicle = household.electric_vehicle;
  if (!vehicle) return;
  const plans = new Memory<number, ReturnType<typeof vehicleDay>>(4);
  const planOf = (localDay: number) => plans.get(localDay, () => vehicleDay(household, vehicle, localDay));
  for (let i = 0; i < QUARTERS; i++) {
    const { localDay, localQuarter } = localQuarterOf(household.time_zone, day * QUARTERS + i);
    const today = planOf(localDay);
    inputs.driven[i] = drivenIn(today, localQuarter);
    inputs.pluggedIn[i] = isPluggedIn(planOf(localDay - 1), today, localQuarter) ? 1 : 0;
  }
}
