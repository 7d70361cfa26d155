// Lists without pages: what they cost while a client reads them.
import { expect, test } from 'vitest';
import { sql } from 'kysely';
import type { KyselyPlugin } from 'kysely';
import { listFleetLocations } from '../../src/operations/fleets/lists.ts';
import { listFleets } from '../../src/operations/fleets/reads.ts';
import { listDayAheadPrices } from '../../src/operations/trading.ts';
import { listUsers } from '../../src/operations/users-list.ts';
import { openDatabase } from '../../src/queries/connection/database.ts';
import { SERVER_VARIABLE, withDatabase } from '../support/database.ts';
import type { TestServer } from '../support/database.ts';
import { countCalls } from '../support/call-counts.ts';
import { fleetApi } from '../fleets/fleet-api.ts';
import type { Context } from '../../src/operations/context.ts';
import { addFleet } from '../support/fleet-records.ts';

const fleets = fleetApi();
const HOUSEHOLDS = 1_101;

test('a list of several pages is whole and in order, and holds no connection while it is read', async () => {
  const { api } = fleets;
  const fleet = await fleets.running({ count: 1 });
  const [jobId, orgId] = [fleet.job_id as string, fleet.simulation_org_id as string];
  await sql`
    insert into households (org_id, fleet_id, household_index, household_id, user_id, group_name, profile, attributes, created_at)
    select org_id, fleet_id, index, gen_random_uuid(), user_id, group_name, profile, attributes, created_at
    from households, generate_series(1, ${HOUSEHOLDS - 1}) index where org_id = ${orgId}
  `.execute(api.db);
  await sql`
    insert into users (org_id, id, email, role, created_at, updated_at)
    select ${orgId}, gen_random_uuid(), index || '@example.com', 'user', now(), now()
    from generate_series(1, ${HOUSEHOLDS}) index
  `.execute(api.db);
  await sql`
    insert into day_ahead_prices (org_id, starts_at, received_at, price, best_bid, best_ask)
    select ${orgId}, '2026-01-01Z'::timestamptz + index * interval '15 minutes', now(), 1, '{}', '{}'
    from generate_series(1, ${HOUSEHOLDS}) index
  `.execute(api.db);
  const places = await fleets.locations(jobId);
  expect(places.map(({ index }) => index as number)).toEqual(Array.from({ length: HOUSEHOLDS }, (_, n) => n));

  const name = await sql<{ name: string }>`select current_database() as name`.execute(api.db);
  const { connection } = JSON.parse(process.env[SERVER_VARIABLE] ?? '') as TestServer;
  const one = openDatabase({ connection: withDatabase(connection, name.rows[0]?.name ?? ''), max: 1 });
  const actor = { orgId: api.own.orgId, role: 'admin', userId: api.own.admin.id };
  const context = { ...api.services, db: one.db, orgId: api.own.orgId, actor } as unknown as Context;
  const lists = [
    await listFleetLocations(context, { path: { org_id: api.own.orgId, job_id: jobId } } as never),
    await listUsers({ ...context, orgId }, { query: {} } as never),
  ];
  const query = { from_dt: '2026-01-01', to_dt: '2026-02-01' };
  const prices = await listDayAheadPrices({ ...context, orgId }, { query } as never);
  const bodies = [...lists.map(({ body }) => body), (prices.body as { data: unknown }).data];
  for (const body of bodies) {
    const items = (body as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    await items.next();
    // The only connection is free: with it held this would wait for it in vain.
    expect(one.pool.idleCount).toBe(one.pool.totalCount);
    await items.return?.();
  }
  await one.close();
});

test('locations are listed without a look for their country', async () => {
  const fleet = await fleets.running({ count: 1 });
  const calls = await countCalls('environment/geography.ts', async () => {
    expect(await fleets.locations(fleet.job_id as string)).toHaveLength(1);
  });
  expect(calls.get('findCountryCodeAt') ?? 0).toBe(0);
});

test('prices are read as the client reads on', async () => {
  const { api } = fleets;
  await sql`
    insert into day_ahead_prices (org_id, starts_at, received_at, price, best_bid, best_ask)
    select ${api.own.orgId}, '2027-01-01Z'::timestamptz + index * interval '15 minutes', now(), index, '{}', '{}'
    from generate_series(0, 1000) index
  `.execute(api.db);
  const { context, statements } = countingContext();
  const query = { from_dt: '2027-01-01', to_dt: '2028-01-01' };
  const { body } = await listDayAheadPrices(context, { query } as never);
  const read: number[] = [];
  for await (const { price } of (body as { data: AsyncIterable<{ price: number }> }).data) {
    read.push(price);
    // A page, and what begins around it.
    expect(statements()).toBe(2 * Math.ceil(read.length / 250));
  }
  expect([read, statements()]).toEqual([Array.from({ length: 1_001 }, (_, index) => index), 10]);
});

test('fleets are read as the client reads on, newest first', async () => {
  const { api } = fleets;
  const ids: string[] = [];
  for (let index = 0; index < 23; index += 1) {
    // Several of them in the same millisecond.
    const at = new Date(Date.UTC(2030, 0, 1) + Math.floor(index / 4));
    ids.push((await addFleet(api.db, api.foreign.orgId, at, 'stopped')).fleetId);
  }
  await api.db
    .updateTable('fleets')
    .set({ definition: JSON.stringify({ definition: { groups: [] }, expansions: [] }) })
    .where('org_id', '=', api.foreign.orgId)
    .execute();
  const { context, statements } = countingContext();
  const { body } = await listFleets({ ...context, orgId: api.foreign.orgId }, {} as never);
  const read: string[] = [];
  let perPage: number | undefined;
  for await (const fleet of body as AsyncIterable<{ job_id: string; created_at: string }>) {
    read.push(`${fleet.created_at} ${fleet.job_id}`);
    perPage ??= statements();
    expect(statements()).toBe(perPage * Math.ceil(read.length / 10));
  }
  expect(read).toEqual(read.toSorted().reverse());
  expect(read.map((each) => each.split(' ')[1]).toSorted()).toEqual(ids.toSorted());
});

/** What an operation is given, with the number of statements that it has run. */
function countingContext(): { readonly context: Context; readonly statements: () => number } {
  const { api } = fleets;
  let statements = 0;
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements += 1;
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  const context = { ...api.services, db: api.db.withPlugin(counter), orgId: api.own.orgId } as Context;
  return { context, statements: () => statements };
}
