/** What a household's UTC day brings of heat (96 quarter hours). */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { CONTROL_MODE } from '../control/control-modes.ts';
import type { Place } from '../control/household-control.ts';
import { valueInForce } from '../control/revisions.ts';
import type { Revision } from '../control/revisions.ts';
import type { Steering } from '../control/steering.ts';
import { createPvDayFiller } from '../devices/pv-day.ts';
import { MID } from '../house/heat-pump-rows.ts';
import { createHouseSimulation } from '../house/house-simulation.ts';
import type { HouseSimulation } from '../house/house-simulation.ts';
import type { SurplusOf } from '../house/window.ts';
import type { Household } from '../household/household.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import { allocateInt32Array } from '../kernel/typed-arrays.ts';
import { createLoadDayFiller } from '../people/household-load.ts';
import type { DayFiller } from '../time/local-day.ts';

/** The heat pump and its house day by day. `fillLoad` writes the household's load, as it is in any case. */
export function createHeatDays(
  household: Household,
  steering: Steering,
  fillLoad?: DayFiller<Int32Array>,
): HouseSimulation {
  const pump = household.heat_pump;
  if (!pump) return WITHOUT_HEAT_PUMP;
  const surplusOf = createSurplusLookup(household, steering.control.places, fillLoad);
  return createHouseSimulation(household, pump, steering, surplusOf);
}

const WITHOUT_HEAT_PUMP: HouseSimulation = {
  fillDay: (_, { hp, heat, mode, asked, follows }) => {
    for (const row of [hp, heat, mode]) row.fill(0);
    asked.fill(MID);
    follows.fill(CONTROL_MODE.automatic);
  },
  approach: () => true,
};

/** Days of surplus that are kept: a plan needs two, and the next one begins in the second. */
const KNOWN_DAYS = 4;
const NONE = new Int32Array(QUARTER_HOURS_PER_DAY);
/** Holds nothing from one call to the next, so that all households share it. */
const load = allocateInt32Array(QUARTER_HOURS_PER_DAY);

/**
 * What panels give beyond the household's load, by UTC day, mWh a quarter hour, at the place where it is when that is asked:
 * nobody knows of a later one. Its arrays hold for four days of one place.
 */
function createSurplusLookup(
  household: Household,
  places: readonly Revision<Place>[],
  givenLoad?: DayFiller<Int32Array>,
): SurplusOf {
  if (household.pv.rating_kw === 0) return () => NONE;
  let place: Place | undefined;
  let lookUp: ((day: number) => Int32Array) | undefined;
  // Most houses are never asked: those without prices plan nothing.
  let fillLoad = givenLoad;
  return (day, known) => {
    const inForce = valueInForce<Place>(places, known, household);
    if (inForce !== place || lookUp === undefined) {
      place = inForce;
      const { latitude, longitude } = place;
      fillLoad ??= createLoadDayFiller(household);
      lookUp = createSurplusAt({ ...household, latitude, longitude }, fillLoad);
    }
    return lookUp(day);
  };
}

/** The same at one place. */
function createSurplusAt(household: Household, fillLoad: DayFiller<Int32Array>): (day: number) => Int32Array {
  const fillPv = createPvDayFiller(household);
  const days = new DayCache<Int32Array>(KNOWN_DAYS);
  return (day) => {
    const found = days.find(day);
    if (found !== undefined) return found;
    const surplus = days.evict(day) ?? allocateInt32Array(QUARTER_HOURS_PER_DAY);
    fillPv(day, surplus);
    fillLoad(day, load);
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) surplus[i] = (surplus[i] ?? 0) - (load[i] ?? 0);
    return days.set(day, surplus);
  };
}
