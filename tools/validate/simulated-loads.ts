/** Years of simulated household load, quarter by quarter, for the figures of people.ts. */
import { DAY_MS, QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import { resolveDefinition } from '../../src/simulation/definition/resolve-definition.ts';
import type { FleetDefinitionBody } from '../../src/simulation/definition/fleet-definition.ts';
import { buildHouseholds } from '../../src/simulation/household/household.ts';
import type { Household } from '../../src/simulation/household/household.ts';
import { createLoadDayFiller } from '../../src/simulation/people/household-load.ts';

const SEED = 42;
export const FIRST_DAY = Date.UTC(2025, 0, 1) / DAY_MS;
export const DAYS_PER_YEAR = 365;
/** 1 January 2025 is a Wednesday. */
export const FIRST_WEEKDAY = 3;
const ANCHOR = new Date(Date.UTC(2024, 11, 1));

/** Households of the default place that live by UTC, so that no day is shorter than another. */
export function loadHouseholds(body: Partial<FleetDefinitionBody>): Household[] {
  const request_id = '5b0d5c1e-6c0f-4a34-8d53-0a5f2a1f7c11';
  const resolution = resolveDefinition({ request_id, seed: SEED, ...body }, ANCHOR);
  if (!resolution.ok) throw new Error(JSON.stringify(resolution.errors));
  const built = buildHouseholds(resolution.definition, resolution.density, ANCHOR);
  return built.map((household) => ({ ...household, time_zone: 'UTC' }));
}

/** Energies of the quarter hours of some days from the first of 2025 on, a year by default, mWh. */
export function loadOf(household: Household, days = DAYS_PER_YEAR): Int32Array {
  const load = new Int32Array(days * QUARTER_HOURS_PER_DAY);
  const fill = createLoadDayFiller(household);
  for (let day = 0; day < days; day++) {
    fill(FIRST_DAY + day, load.subarray(day * QUARTER_HOURS_PER_DAY, (day + 1) * QUARTER_HOURS_PER_DAY));
  }
  return load;
}

/** Powers in kW of the half hours of quarter hours in mWh. */
export const halfHourPowers = (load: Int32Array): number[] =>
  Array.from({ length: load.length / 2 }, (_, i) => ((load[2 * i] ?? 0) + (load[2 * i + 1] ?? 0)) / 5e5);
