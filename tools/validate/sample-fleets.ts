/** Fleets that the validation measures, made from definitions as any partner's are. */
import { DAY_MS } from '../../src/domain/api/durations.ts';
import { resolveDefinition } from '../../src/simulation/definition/resolve-definition.ts';
import type { FleetDefinitionBody } from '../../src/simulation/definition/fleet-definition.ts';
import { BOUNDARY_VERSION, findCountryBox } from '../../src/simulation/environment/geography.ts';
import { UNSTEERED } from '../../src/simulation/control/steering.ts';
import type { Steering } from '../../src/simulation/control/steering.ts';
import { buildHouseholds } from '../../src/simulation/household/household.ts';
import type { Household } from '../../src/simulation/household/household.ts';
import { createHouseholdModel } from '../../src/simulation/model/model.ts';
import type { DayRows } from '../../src/simulation/model/day-rows.ts';

export const SEED = 42;
/** The year that is measured, 2025, as days since 1970; households begin a month before. */
export const FIRST_DAY = Date.UTC(2025, 0, 1) / DAY_MS;
export const LAST_DAY = FIRST_DAY + 364;
const ANCHOR = new Date(Date.UTC(2024, 11, 1));
const REQUEST_ID = '5b0d5c1e-6c0f-4a34-8d53-0a5f2a1f7c11';

export function households(body: Partial<FleetDefinitionBody>, expansions: number[] = []): Household[] {
  const resolution = resolveDefinition({ request_id: REQUEST_ID, seed: SEED, ...body }, ANCHOR);
  if (!resolution.ok) throw new Error(JSON.stringify(resolution.errors));
  return buildHouseholds(resolution.definition, resolution.density, ANCHOR, expansions);
}

/** A density that is the same all over a country's largest part. */
export function evenDensity(country: string): NonNullable<FleetDefinitionBody['density']> {
  const box = findCountryBox(country);
  if (!box) throw new Error(`no country ${country}`);
  const [west = 0, south = 0, east = 0, north = 0] = box;
  const cell = 0.1;
  const rows = Math.ceil((north - south) / cell);
  const cols = Math.ceil((east - west) / cell);
  return {
    country,
    dataset_version: 'even',
    boundary_version: BOUNDARY_VERSION,
    grid: { origin_lat: north, origin_lon: west, cell_deg: cell, rows, cols },
    weights: Buffer.alloc(rows * cols, 1).toString('base64'),
  };
}

/** Calls back with each day of the year of a household. */
export function eachDay(
  household: Household,
  visit: (rows: DayRows, day: number) => void,
  steering: Steering = UNSTEERED,
): void {
  const model = createHouseholdModel(household, steering);
  for (let day = FIRST_DAY; day <= LAST_DAY; day++) visit(model.day(day), day);
}
