import { randomUUID } from 'node:crypto';
import type { DeviceType } from '../../src/domain/notifications/envelope.ts';
import type { Db } from '../../src/queries/connection/database.ts';
import { resolveDefinition } from '../../src/simulation/definition/resolve-definition.ts';
import { toStoredDefinition } from '../../src/simulation/definition/stored-definition.ts';
import { deriveSimulationOrgId } from '../../src/simulation/household/identity.ts';
import { NO_RATINGS } from '../../src/simulation/household/device-description.ts';
import { insertOrganization } from '../../src/queries/accounts/organizations.ts';

export interface SimulatedFleet {
  readonly partnerOrgId: string;
  readonly fleetId: string;
  /** The simulation organization. */
  readonly orgId: string;
}

/** The stored definition of a fleet of one household, as JSON. */
export function storedDefinition(requestId: string, now: Date): string {
  const resolution = resolveDefinition({ request_id: requestId, count: 1 }, now);
  if (!resolution.ok) throw new Error(JSON.stringify(resolution.errors));
  return JSON.stringify(toStoredDefinition(resolution.definition));
}

/** A running fleet without households, written straight into the tables. */
export async function addFleet(
  db: Db,
  partnerOrgId: string,
  now: Date,
  status: 'running' | 'expanding' | 'stopped' | 'queued' = 'running',
): Promise<SimulatedFleet> {
  const [fleetId, requestId] = [randomUUID(), randomUUID()];
  const orgId = deriveSimulationOrgId(fleetId);
  await insertOrganization(db, {
    id: orgId,
    name: 'Simulated',
    kind: 'simulation',
    parentOrgId: partnerOrgId,
    createdAt: now,
  });
  await db
    .insertInto('fleets')
    .values({
      org_id: partnerOrgId,
      id: fleetId,
      request_id: requestId,
      name: 'Simulated fleet',
      status,
      simulation_org_id: orgId,
      seed: 42,
      model_version: 2,
      household_count: 1,
      created_count: 1,
      definition: storedDefinition(requestId, now),
      history_from: now,
      history_to: now,
      created_at: now,
    })
    .execute();
  return { partnerOrgId, fleetId, orgId };
}

/** An end user without credentials. */
export async function addUser(db: Db, orgId: string, now: Date): Promise<string> {
  const id = randomUUID();
  await db
    .insertInto('users')
    .values({ org_id: orgId, id, email: `${id}@example.com`, role: 'user', created_at: now, updated_at: now })
    .execute();
  return id;
}

/** A device of a user; of a fleet, where there is one. */
export async function addDevice(
  db: Db,
  owner: { readonly orgId: string; readonly userId: string; readonly fleetId?: string },
  now: Date,
  deviceType: DeviceType = 'inverter',
): Promise<string> {
  const id = randomUUID();
  await db
    .insertInto('devices')
    .values({
      org_id: owner.orgId,
      id,
      user_id: owner.userId,
      device_type: deviceType,
      fleet_id: owner.fleetId ?? null,
      household_index: null,
      name: 'Roof & <shed>',
      manufacturer: 'Helio Works',
      model: 'HW 10',
      ratings: JSON.stringify(NO_RATINGS),
      created_at: now,
    })
    .execute();
  return id;
}
