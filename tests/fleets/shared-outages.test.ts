import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { sql } from 'kysely';
import { HOUR_MS } from '../../src/domain/api/durations.ts';
import { applyDueFaults } from '../../src/fleets/due-faults.ts';
import { applySharedOutages } from '../../src/fleets/shared-outages.ts';
import type { Answer, Call } from '../support/api-client.ts';
import { fleetApi } from './fleet-api.ts';
import { queryEverywhere } from '../support/everywhere.ts';

const fleets = fleetApi();

/** Takes all devices of a fleet offline for an hour. */
async function raise(jobId: string, call: Call = {}): Promise<Answer['body']> {
  const body = { request_id: randomUUID(), cause: 'region', country: 'DE', duration_minutes: 60 };
  const answer = await fleets.api.call('triggerFleetEvent', { path: { job_id: jobId }, body, ...call });
  expect(answer.status).toBe(200);
  return answer.body;
}

/** The devices of which messages tell. */
async function told(orgId: string): Promise<string[]> {
  const rows = await fleets.api.db
    .selectFrom('messages')
    .select('payload')
    .where('org_id', '=', orgId)
    .execute();
  return rows.map(
    ({ payload }) => (JSON.parse(String(payload)) as { data: { device_id: string } }).data.device_id,
  );
}

// No test inherits the outages of another one.
afterEach(async () => {
  fleets.api.clock.advance(2 * HOUR_MS);
  await fleets.runner.processAll();
});

test('400 devices are told of in 400 messages, each once, also when runners die in the middle', async () => {
  const { api } = fleets;
  const { job_id, simulation_org_id } = await fleets.running({
    count: 200,
    seed: 8,
    ev_ownership_fraction: 0.5,
  });
  const orgId = simulation_org_id as string;
  const topics = ['device.information'];
  const url = 'https://partner.example.com/hook';
  await api.call('createWebhook', { path: { org_id: orgId }, body: { url, topics } });
  const { devices } = await raise(job_id as string);
  expect(devices).toBeGreaterThanOrEqual(400);
  // The 150th message breaks its transaction, as the end of the process or of its connection would.
  await queryEverywhere(api.everywhere, 'create sequence told');
  await sql`create function break_150th() returns trigger language plpgsql as
    'begin if nextval(''told'') = 150 then raise exception ''gone''; end if; return new; end'`.execute(
    api.db,
  );
  await sql`create trigger break_150th before insert on messages for each row execute function break_150th()`.execute(
    api.db,
  );
  await expect(fleets.runner.processAll()).rejects.toThrow('gone');
  expect(await told(orgId)).toHaveLength(100);
  await Promise.all(Array.from({ length: 3 }, () => fleets.anotherRunner().processAll()));
  const struck = await told(orgId);
  expect(struck).toHaveLength(devices as number);
  expect(new Set(struck).size).toBe(struck.length);
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from deliveries where org_id = ${orgId} and state = 'pending'`.execute(
    api.db,
  );
  expect(rows[0]?.count).toBe(struck.length);
  await sql`drop trigger break_150th on messages`.execute(api.db);
});

test('others have a pause behind each batch of devices that an outage strikes', async () => {
  const { api } = fleets;
  const { job_id, simulation_org_id } = await fleets.running({ count: 60, seed: 8 });
  const { devices } = await raise(job_id as string);
  const offline: number[] = [];
  const runner = fleets.anotherRunner({
    pause: async () => {
      const { rows } = await sql<{ count: number }>`select count(*)::integer as count from device_conditions
        where org_id = ${simulation_org_id} and active`.execute(api.db);
      offline.push(rows[0]?.count ?? 0);
    },
  });
  await runner.processAll();
  const most = devices as number;
  expect(most).toBeGreaterThan(100);
  expect(offline).toEqual([50, 100, most]);
});

test('with many webhooks a batch strikes fewer devices, and each is told of once', async () => {
  const { api } = fleets;
  const { job_id, simulation_org_id } = await fleets.running({ count: 20, seed: 8 });
  const orgId = simulation_org_id as string;
  for (let webhook = 0; webhook < 50; webhook += 1) {
    const body = { url: `https://partner.example.com/${webhook}`, topics: ['device.information'] };
    await api.call('createWebhook', { path: { org_id: orgId }, body });
  }
  const { devices } = await raise(job_id as string);
  const written: number[] = [];
  const runner = fleets.anotherRunner({
    pause: async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::integer as count from deliveries where org_id = ${orgId}`.execute(api.db);
      written.push((rows[0]?.count ?? 0) - written.reduce((sum, count) => sum + count, 0));
    },
  });
  await runner.processAll();
  expect(devices).toBeGreaterThan(30);
  expect(written.slice(0, 3)).toEqual([500, 500, 500]);
  expect(written.reduce((sum, count) => sum + count, 0)).toBe((devices as number) * 50);
  expect(new Set(await told(orgId)).size).toBe(devices);
});

test('an outage of one partner makes the conditions of another one wait for a batch at most', async () => {
  const { api } = fleets;
  const many = await fleets.running({ count: 100, seed: 9 });
  const created = await api.call('createFleet', {
    path: { org_id: api.foreign.orgId },
    token: api.foreign.admin.token,
    body: { request_id: randomUUID(), count: 2 },
  });
  await fleets.runner.processAll();
  await raise(many.job_id as string);
  const [jobId, { orgId: org_id, admin }] = [created.body.job_id as string, api.foreign];
  const event = await raise(jobId, { path: { org_id, job_id: jobId }, token: admin.token });
  const pause = () => Promise.resolve();
  const options = { db: api.db, now: api.clock.now, simulatorFaults: false, pause };
  /** Devices of either partner. */
  const countOffline = async () => {
    const count = async (partnerId: string): Promise<number> => {
      const rows = await api.db
        .selectFrom('device_conditions as c')
        .innerJoin('organizations as o', 'o.id', 'c.org_id')
        .select('c.device_id')
        .where('o.parent_org_id', '=', partnerId)
        .where('c.active', '=', true)
        .execute();
      return rows.length;
    };
    return [await count(api.own.orgId), await count(api.foreign.orgId)] as const;
  };
  const [before] = await countOffline();
  await applySharedOutages(options);
  expect(await countOffline()).toEqual([before + 50, event.devices]);
  await fleets.runner.processAll();
  const [all] = await countOffline();
  expect(all).toBeGreaterThan(before + 50);
  api.clock.advance(HOUR_MS);
  await applyDueFaults(options);
  expect(await countOffline()).toEqual([all - 50, 0]);
});

test('a fleet that somebody changes is not waited for, and has its turn behind it', async () => {
  const { api } = fleets;
  const fleet = await fleets.running({ count: 2 });
  const [jobId, orgId] = [fleet.job_id as string, fleet.simulation_org_id as string];
  await raise(jobId);
  const options = { db: api.db, now: api.clock.now, simulatorFaults: false, pause: () => Promise.resolve() };
  const nothing = { changed: [], errors: [] };
  for (const apply of [() => applySharedOutages(options), () => applyDueFaults(options)]) {
    await api.db.transaction().execute(async (tx) => {
      await tx
        .selectFrom('fleets')
        .select('id')
        .where('simulation_org_id', '=', orgId)
        .where('id', '=', jobId)
        .forUpdate()
        .execute();
      expect(await apply()).toEqual(nothing);
    });
    expect((await apply()).changed).toEqual([orgId]);
    api.clock.advance(HOUR_MS);
  }
});
