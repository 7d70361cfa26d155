import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { provisionFleet } from '../../src/fleets/provisioning.ts';
import type { ProvisioningContext } from '../../src/fleets/provisioning.ts';
import { purgeFleetInBatches } from '../../src/fleets/purge.ts';
import { claimFleet } from '../../src/queries/fleets/fleet-work.ts';
import type { ClaimedFleet } from '../../src/queries/fleets/fleet-work.ts';
import { buildMissingHouseholds } from '../../src/simulation/household/missing-households.ts';
import { fleetApi } from './fleet-api.ts';

const LEASE_MS = 10_000;

const fleets = fleetApi();

/** What a worker has at hand that stops, as one that is killed does, after some batches. */
function toolsUntil(batches: number): ProvisioningContext {
  let left = batches;
  const { db, clock } = fleets.api;
  return {
    db,
    now: clock.now,
    leaseUntil: () => new Date(clock.now().getTime() + LEASE_MS),
    simulatorFaults: false,
    isStopping: () => left-- <= 0,
    pause: () => Promise.resolve(),
    buildHouseholds: async (_partnerId, question) => buildMissingHouseholds(question),
    untilRenewal: (signal) => once(signal, 'abort'),
    onError: (error) => fleets.errors.push(error),
  };
}

async function claim(): Promise<ClaimedFleet> {
  const { db, clock } = fleets.api;
  const claimed = await claimFleet(db, clock.now(), new Date(clock.now().getTime() + LEASE_MS));
  if (claimed === undefined) throw new Error('No fleet has work.');
  return claimed;
}

async function rows(orgId: string, table: 'users' | 'households' | 'devices'): Promise<number> {
  const { count } = await fleets.api.db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow();
  return count;
}

test('the work of a killed worker is left alone until its lease ends, then another one completes it', async () => {
  const { body: fleet } = await fleets.create({ count: 600 });
  const jobId = fleet.job_id as string;
  const dead = await claim();
  await provisionFleet(toolsUntil(1), dead);
  expect(await fleets.get(jobId)).toMatchObject({
    status: 'provisioning',
    progress: { created: 100, total: 600 },
  });
  const other = fleets.anotherRunner();
  await other.processAll();
  expect((await fleets.get(jobId)).progress.created).toBe(100);
  fleets.api.clock.advance(LEASE_MS);
  await other.processAll();
  expect(await fleets.get(jobId)).toMatchObject({
    status: 'running',
    progress: { created: 600, total: 600 },
  });
  const orgId = fleet.simulation_org_id as string;
  expect([await rows(orgId, 'users'), await rows(orgId, 'households')]).toEqual([600, 600]);
  const indexes = (await fleets.locations(jobId)).map((place) => place.index as number);
  expect(indexes).toEqual(Array.from({ length: 600 }, (_, index) => index));
});

test('a worker that comes too late writes nothing', async () => {
  const { body: fleet } = await fleets.create({ count: 300 });
  const late = await claim();
  await fleets.act('cancelFleet', fleet.job_id as string);
  await provisionFleet(toolsUntil(10), late);
  expect(await fleets.get(fleet.job_id as string)).toMatchObject({
    status: 'cancelled',
    progress: { created: 0, total: 300 },
  });
  expect(await rows(fleet.simulation_org_id as string, 'users')).toBe(0);
});

test('cancelling between batches keeps what exists until clean-up', async () => {
  const { body: fleet } = await fleets.create({ count: 600 });
  const jobId = fleet.job_id as string;
  await provisionFleet(toolsUntil(2), await claim());
  const cancelled = await fleets.act('cancelFleet', jobId);
  expect(cancelled.body).toMatchObject({ status: 'cancelled', progress: { created: 200, total: 600 } });
  fleets.api.clock.advance(LEASE_MS);
  await fleets.runner.processAll();
  expect(await rows(fleet.simulation_org_id as string, 'users')).toBe(200);
  expect((await fleets.act('cleanupFleet', jobId)).body.status).toBe('cleaned');
  expect(await rows(fleet.simulation_org_id as string, 'users')).toBe(0);
});

test('cancelling an expansion half way drops its households alone', async () => {
  const fleet = await fleets.running({ count: 3 });
  const jobId = fleet.job_id as string;
  const before = await fleets.devices(jobId);
  await fleets.expand(jobId, 400);
  await provisionFleet(toolsUntil(1), await claim());
  expect((await fleets.get(jobId)).progress).toEqual({ created: 103, total: 403 });
  expect((await fleets.act('cancelFleet', jobId)).body).toMatchObject({ status: 'running', count: 3 });
  expect(await fleets.devices(jobId)).toEqual(before);
  expect(await rows(fleet.simulation_org_id as string, 'users')).toBe(3);
});

test('a purge that was cut off is completed by another worker', async () => {
  const fleet = await fleets.running({ count: 300 });
  const jobId = fleet.job_id as string;
  const orgId = fleet.simulation_org_id as string;
  await fleets.act('stopFleet', jobId);
  const listUsers = () => fleets.api.call('listUsers', { path: { org_id: orgId } });
  expect((await listUsers()).status).toBe(200);
  await fleets.act('purgeFleet', jobId);
  // Nobody can put anything into it any more.
  expect((await listUsers()).status).toBe(403);
  await purgeFleetInBatches(toolsUntil(1), await claim());
  expect((await fleets.get(jobId)).status).toBe('purging');
  fleets.api.clock.advance(LEASE_MS);
  await fleets.runner.processAll();
  expect((await fleets.api.call('getFleet', { path: { job_id: jobId } })).status).toBe(404);
  const left = await fleets.api.db.selectFrom('organizations').select('id').where('id', '=', orgId).execute();
  expect(left).toEqual([]);
});

test('many runners at once build every fleet once', async () => {
  const created = await Promise.all(Array.from({ length: 6 }, () => fleets.create({ count: 20 })));
  await Promise.all(Array.from({ length: 4 }, () => fleets.anotherRunner().processAll()));
  for (const { body } of created) {
    expect(await fleets.get(body.job_id as string)).toMatchObject({ status: 'running' });
    expect(await rows(body.simulation_org_id as string, 'users')).toBe(20);
  }
});

test('a fleet that cannot be built has failed and says so; then it can be purged', async () => {
  const { body: fleet } = await fleets.create({ count: 2 });
  const jobId = fleet.job_id as string;
  // A stranger's user holds the address that the first household will have.
  const { db, clock } = fleets.api;
  await db
    .insertInto('users')
    .values({
      org_id: fleet.simulation_org_id as string,
      id: randomUUID(),
      email: `household-0001@${jobId}.simulated.invalid`,
      role: 'user',
      created_at: clock.now(),
      updated_at: clock.now(),
    })
    .execute();
  await fleets.runner.processAll();
  expect(fleets.errors.splice(0)).toHaveLength(1);
  expect(await fleets.get(jobId)).toMatchObject({
    status: 'failed',
    error: 'The households could not be created.',
  });
  expect((await fleets.act('cancelFleet', jobId)).status).toBe(409);
  expect((await fleets.act('purgeFleet', jobId)).status).toBe(200);
  await fleets.runner.processAll();
  expect((await fleets.api.call('getFleet', { path: { job_id: jobId } })).status).toBe(404);
});

test('an expansion that cannot be built leaves the fleet running and says why, until the next one', async () => {
  const fleet = await fleets.running({ count: 2 });
  const jobId = fleet.job_id as string;
  const { db, clock } = fleets.api;
  const orgId = fleet.simulation_org_id as string;
  await db
    .insertInto('users')
    .values({
      org_id: orgId,
      id: randomUUID(),
      email: `household-0003@${jobId}.simulated.invalid`,
      role: 'user',
      created_at: clock.now(),
      updated_at: clock.now(),
    })
    .execute();
  await fleets.expand(jobId, 1);
  await fleets.runner.processAll();
  expect(fleets.errors.splice(0)).toHaveLength(1);
  expect(await fleets.get(jobId)).toMatchObject({
    status: 'running',
    count: 2,
    progress: { created: 2, total: 2 },
    error: 'The last expansion was dropped. The households could not be created.',
  });
  await db.deleteFrom('users').where('org_id', '=', orgId).where('fleet_id', 'is', null).execute();
  expect((await fleets.expand(jobId, 1)).body).toMatchObject({ status: 'expanding', error: null });
  await fleets.runner.processAll();
  expect(await fleets.get(jobId)).toMatchObject({ status: 'running', count: 3, error: null });
});

test('the values of a cancelled fleet stand still from then on', async () => {
  const { body: fleet } = await fleets.create({ count: 300 });
  const jobId = fleet.job_id as string;
  await provisionFleet(toolsUntil(1), await claim());
  const cancelledAt = fleets.api.clock.now().toISOString();
  expect((await fleets.act('cancelFleet', jobId)).body.stopped_at).toBe(cancelledAt);
  fleets.api.clock.advance(3_600_000);
  const devices = await fleets.devices(jobId);
  expect(new Set(devices.map((device) => device.as_of))).toEqual(new Set([cancelledAt]));
});

test('a runner that is woken works by itself; one that is ended in the middle gives its fleet back', async () => {
  const runner = fleets.anotherRunner();
  await runner.start();
  const { body: fleet } = await fleets.create({ count: 1000 });
  runner.wake();
  const isClaimed = async (): Promise<boolean> => {
    const row = await fleets.api.db
      .selectFrom('fleets')
      .select('work_token')
      .where('id', '=', fleet.job_id as string)
      .executeTakeFirstOrThrow();
    return row.work_token !== null;
  };
  while (!(await isClaimed()));
  await runner.destroy();
  expect(await isClaimed()).toBe(false);
  await fleets.runner.processAll();
  expect(await fleets.get(fleet.job_id as string)).toMatchObject({
    status: 'running',
    progress: { created: 1000, total: 1000 },
  });
});
