/** Definitions and households for the tests of the simulator. */
import { resolveDefinition } from '../../src/simulation/definition/resolve-definition.ts';
import type { ResolvedDefinition } from '../../src/simulation/definition/resolve-definition.ts';
import type { FleetDefinitionBody } from '../../src/simulation/definition/fleet-definition.ts';
import { buildHouseholds } from '../../src/simulation/household/household.ts';
import type { Household } from '../../src/simulation/household/household.ts';
import { QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';

export const NOW = new Date('2026-11-21T10:07:30Z');
export const REQUEST_ID = '5b0d5c1e-6c0f-4a34-8d53-0a5f2a1f7c11';

export function resolved(body: Partial<FleetDefinitionBody> = {}): ResolvedDefinition {
  const resolution = resolveDefinition({ request_id: REQUEST_ID, ...body }, NOW);
  if (!resolution.ok) throw new Error(JSON.stringify(resolution.errors));
  return resolution;
}

/** Faults as "code pointer", in the order in which they are reported. */
export function faultsOf(body: Partial<FleetDefinitionBody>): string[] {
  const resolution = resolveDefinition({ request_id: REQUEST_ID, ...body }, NOW);
  return resolution.ok ? [] : resolution.errors.map(({ code, pointer }) => `${code} ${pointer ?? ''}`);
}

export function households(
  body: Partial<FleetDefinitionBody>,
  anchor = NOW,
  expansions: number[] = [],
): Household[] {
  const { definition, density } = resolved(body);
  const start = new Date(Math.floor(anchor.getTime() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS);
  return buildHouseholds(definition, density, start, expansions);
}

export function first<Item>(items: readonly Item[]): Item {
  const [item] = items;
  if (item === undefined) throw new Error('empty');
  return item;
}

/** Fields of homes without a car whose battery is so slow for its capacity that it forgets nothing of what was before. */
export const SLOW_BATTERY: Partial<FleetDefinitionBody> = {
  ev_ownership_fraction: 0,
  pv_rating_kw: 0.1,
  battery_capacity_kwh: 1000,
  max_charge_power_w: 1,
  max_discharge_power_w: 1,
};
