import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { fromCheckpointRow } from '../../src/households/counters.ts';
import { loadSteering } from '../../src/households/history-prices.ts';
import type { Checkpoint } from '../../src/simulation/model/counter-accumulator.ts';
import { UNSTEERED } from '../../src/simulation/control/steering.ts';
import type { Household } from '../../src/simulation/household/household.ts';
import { createHouseholdModel } from '../../src/simulation/model/model.ts';
import type { HouseholdModel } from '../../src/simulation/model/model.ts';
import type { Answer } from '../support/api-client.ts';
import type { Company } from '../support/api.ts';
import type { FleetApi } from './fleet-api.ts';

// Fleets whose history began ten years before the present of the test.

export const NOON = new Date('2026-06-15T12:00:00Z');
const TEN_YEARS_AGO = '2016-06-15T07:20:00Z';
/** The day of NOON, since 1970. */
export const TODAY = NOON.getTime() / 86_400_000 - 0.5;
/** So many after that on which the history begins. */
export const DAYS = 3652;

/** A fleet that runs, without checkpoints. */
export function oldFleet(fleets: FleetApi, count: number, body: object = {}): Promise<Answer['body']> {
  return oldFleetOf(fleets, fleets.api.own, count, body);
}

/** The same of a partner, whose admin creates it. */
export async function oldFleetOf(
  fleets: FleetApi,
  { orgId, admin }: Company,
  count: number,
  more: object = {},
): Promise<Answer['body']> {
  const [token, path] = [admin.token, { org_id: orgId }];
  const body = { request_id: randomUUID(), count, history_cutoff: TEN_YEARS_AGO, ...more };
  const created = await fleets.api.call('createFleet', { token, path, body });
  expect(created.status).toBe(200);
  const runner = fleets.anotherRunner({ yieldToEventLoop: () => runner.destroy() });
  await runner.processAll();
  const job_id = created.body.job_id as string;
  const { body: fleet } = await fleets.api.call('getFleet', { token, path: { ...path, job_id } });
  expect(fleet.status).toBe('running');
  return fleet;
}

/** Checkpoints by household, as they are kept. */
export async function kept({ api }: FleetApi, orgId: string): Promise<Checkpoint[]> {
  const rows = await api.db
    .selectFrom('household_checkpoints')
    .selectAll()
    .where('org_id', '=', orgId)
    .orderBy('household_index')
    .execute();
  expect(rows.map((row) => row.household_index)).toEqual(rows.map((_, index) => index));
  return rows.map(fromCheckpointRow);
}

export async function householdsOf({ api }: FleetApi, orgId: string): Promise<Household[]> {
  const rows = await api.db
    .selectFrom('households')
    .select('attributes')
    .where('org_id', '=', orgId)
    .orderBy('household_index')
    .execute();
  return rows.map(({ attributes }) => attributes as Household);
}

/** The households as nobody has looked at them yet. */
export async function modelsOf(fleets: FleetApi, orgId: string): Promise<HouseholdModel[]> {
  const steeringOf = await loadSteering(
    fleets.api.db,
    { orgId, since: new Date(TEN_YEARS_AGO), now: NOON },
    [],
  );
  return (await householdsOf(fleets, orgId)).map((household) =>
    createHouseholdModel(household, household.heat_pump ? steeringOf(household) : UNSTEERED),
  );
}

/** Checkpoints of the first households, summed from the start of the history on. */
export async function summed(
  fleets: FleetApi,
  orgId: string,
  days: readonly number[],
): Promise<(Checkpoint | undefined)[]> {
  const models = await modelsOf(fleets, orgId);
  return days.map((day, index) => models[index]?.counters.checkpointAt(day));
}
