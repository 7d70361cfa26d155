// Long answers of one partner, many at once: what the event loop spends on them before it looks at other requests.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from 'kysely';
import { fleetApi } from '../fleets/fleet-api.ts';
import { measureRepeatedHold } from '../support/loop-holds.ts';

/** Two chunks that are written at once, and what comes between them, take 4 to 11. Lists without chunks, pages and shares take 23 to 40. */
const MAX_HOLD_MS = 20;
const FLEETS = 60;

const fleets = fleetApi();
const agent = new Agent({ keepAlive: true });
afterAll(() => agent.destroy());

/** Asks and lets the answer pass: what the test itself does in the loop is little. Resolves to the bytes of the answer. */
async function read(org: string, path: string): Promise<number> {
  const sent = request(`${fleets.api.baseUrl}/api/partners/v2.0/org/${org}/${path}`, {
    agent,
    headers: { authorization: `Bearer ${fleets.api.own.admin.token}` },
  }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => (bytes += chunk.length));
  await once(answer, 'end');
  return bytes;
}

/** What loads and compiles at first answers is not what each one costs: they go before. */
async function expectNoHold(readers: number, work: () => Promise<unknown>): Promise<void> {
  const all = () => Promise.all(Array.from({ length: readers }, work));
  await all();
  expect(await measureRepeatedHold(MAX_HOLD_MS, all)).toBeLessThan(MAX_HOLD_MS);
}

/** Fleets without households whose definitions are as long as they may be: 40 kB each. */
async function addLongFleets(): Promise<void> {
  const groups = Array.from({ length: 100 }, (_, index) => ({
    name: `${index}`.padEnd(120, ' group'),
    count: 1,
    weights: Array.from({ length: 10 }, (_weight, at) => at + 0.1234567),
  }));
  const created = await fleets.create({ count: 100, groups });
  expect(created.status).toBe(200);
  await sql`
    with copies as (select gen_random_uuid() as simulation_org_id, index from generate_series(2, ${FLEETS}::int) index),
    organizations as (
      insert into organizations (id, name, kind, parent_org_id, created_at)
      select simulation_org_id, 'Simulated', 'simulation', ${fleets.api.own.orgId}, now() from copies
    )
    insert into fleets (org_id, id, request_id, name, status, simulation_org_id, seed, model_version, household_count,
      definition, history_from, history_to, created_at)
    select org_id, gen_random_uuid(), gen_random_uuid(), name, 'stopped', copies.simulation_org_id, seed, model_version,
      household_count, definition, history_from, history_to, created_at + (index / 7) * interval '1 millisecond'
    from fleets, copies where id = ${created.body.job_id}
  `.execute(fleets.api.db);
}

async function addUsers(): Promise<void> {
  await sql`
    insert into users (org_id, id, email, role, created_at, updated_at)
    select ${fleets.api.own.orgId}, gen_random_uuid(), index || '@example.com', 'user', now(), now()
    from generate_series(1, 3000) index
  `.execute(fleets.api.db);
}

beforeAll(async () => {
  await addLongFleets();
  await addUsers();
});

test('four lists of fleets with long definitions do not hold the event loop', async () => {
  const { orgId } = fleets.api.own;
  expect(await read(orgId, 'device-simulator/fleets')).toBeGreaterThan(FLEETS * 30_000);
  await expectNoHold(4, () => read(orgId, 'device-simulator/fleets'));
});

test('eight lists of all users, and eight pages of 1,000, do not hold the event loop', async () => {
  const { orgId } = fleets.api.own;
  for (const path of ['users', 'users?limit=1000']) await expectNoHold(8, () => read(orgId, path));
});
