// Households built by the runner, beside a COPY of the same rows.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { FleetRunner } from '../../src/fleets/runner.ts';
import type { Db } from '../../src/queries/connection/database.ts';
import { insertFleet } from '../../src/queries/fleets/fleets.ts';
import { insertOrganization } from '../../src/queries/accounts/organizations.ts';
import { computeHistoryWindow } from '../../src/simulation/definition/definition-record.ts';
import { MODEL_VERSION } from '../../src/simulation/household/household.ts';
import { deriveFleetId, deriveSimulationOrgId } from '../../src/simulation/household/identity.ts';
import { toStoredDefinition } from '../../src/simulation/definition/stored-definition.ts';
import type { Sample } from '../row.ts';
import { startDatabase } from '../database.ts';
import { resolve, timed } from './definition.ts';

/** In an order in which each finds what it refers to. */
const TABLES = ['users', 'households', 'devices', 'device_conditions'] as const;

export const PROVISIONED = '1,000 households built, four tables';
export const PROVISIONED_WITH_FAULTS = '1,000 households built, with planned faults';

async function queueFleet(db: Db, orgId: string): Promise<string> {
  const { definition, density } = resolve();
  const now = new Date();
  const id = deriveFleetId(orgId, definition.request_id);
  const { from, to } = computeHistoryWindow(definition, now);
  const simulated = deriveSimulationOrgId(id);
  await insertOrganization(db, {
    id: simulated,
    name: 'B',
    kind: 'simulation',
    parentOrgId: orgId,
    createdAt: now,
  });
  const counts = { household_count: definition.count, created_count: 0, settled_count: 0 };
  const times = { history_from: from, history_to: to, created_at: now, started_at: null, stopped_at: null };
  const words = { request_id: definition.request_id, name: 'B', status: 'queued', error: null } as const;
  const model = {
    seed: definition.seed,
    model_version: MODEL_VERSION,
    definition: toStoredDefinition(definition),
  };
  const fleet = { org_id: orgId, id, simulation_org_id: simulated, ...words, ...counts, ...times, ...model };
  await db.transaction().execute((tx) => insertFleet(tx, fleet, density?.weights ?? null));
  return simulated;
}

/** The columns of a table but those that the server generates, which COPY does not take back. */
async function listStored(db: Db, table: string): Promise<RawBuilder<unknown>> {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'
    order by ordinal_position`.execute(db);
  return sql.join(rows.map(({ name }) => sql.ref(name)));
}

/** The rows of an organization taken out into files and, timed, put back by the server itself in one transaction. */
async function bareCopy(db: Db, orgId: string, folder: string): Promise<number> {
  const file = (table: string) => sql.lit(join(folder, table));
  for (const table of TABLES) {
    const rows = sql`select ${await listStored(db, table)} from ${sql.table(table)} where org_id = ${sql.lit(orgId)}`;
    await sql`copy (${rows}) to ${file(table)}`.execute(db);
  }
  for (const table of TABLES.toReversed()) {
    await sql`delete from ${sql.table(table)} where org_id = ${orgId}`.execute(db);
  }
  return timed(() =>
    db.transaction().execute(async (tx) => {
      for (const table of TABLES) await sql`copy ${sql.table(table)} from ${file(table)}`.execute(tx);
    }),
  );
}

/** The fleets of one organization, built by the runner; and their rows copied. */
export async function* measureProvisioning(simulatorFaults: boolean): AsyncGenerator<Sample, never> {
  const database = await startDatabase();
  const { db } = database;
  const folder = mkdtempSync(join(tmpdir(), 'partner-copy-'));
  try {
    const orgId = randomUUID();
    const created = { name: 'Bench', kind: 'partner', parentOrgId: null, createdAt: new Date() } as const;
    await insertOrganization(db, { id: orgId, ...created });
    const runner = new FleetRunner({
      db,
      now: () => new Date(),
      simulatorFaults,
      wakeDispatcher: () => undefined,
      onError: (error) => console.error(error),
    });
    for (;;) {
      const simulated = await queueFleet(db, orgId);
      const measured = await timed(() => runner.processAll());
      yield { measured, limit: await bareCopy(db, simulated, folder) };
    }
  } finally {
    rmSync(folder, { recursive: true });
    await database.remove();
  }
}
