import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { OperationId } from '../../generated/routes.ts';
import { fleetApi } from '../fleets/fleet-api.ts';

const fleets = fleetApi();

const nobody = '00000000-0000-4000-8000-000000000000';
const actions = ['stopFleet', 'cancelFleet', 'cleanupFleet', 'purgeFleet'] as const;

/** Rows of a simulation organization in the tables that a fleet fills. */
async function contents(orgId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of [
    'users',
    'devices',
    'households',
    'notification_items',
    'device_conditions',
  ] as const) {
    const row = await fleets.api.db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('org_id', '=', orgId)
      .executeTakeFirstOrThrow();
    counts[table] = row.count;
  }
  return counts;
}

async function expectConflict(operation: OperationId, jobId: string, status: string): Promise<void> {
  const body = operation === 'expandFleet' ? { request_id: randomUUID(), count: 1 } : undefined;
  const refused = await fleets.api.call(operation, { path: { job_id: jobId }, body });
  expect(refused.status).toBe(409);
  expect(refused.body).toMatchObject({ code: 'fleet_state_conflict', errors: [] });
  expect(refused.body.detail).toContain(`The fleet is ${status}; `);
}

test('every operation on a fleet that is not there is 404, before its body is validated', async () => {
  for (const operation of actions) expect((await fleets.act(operation, nobody)).status).toBe(404);
  expect((await fleets.expand(nobody, 1)).status).toBe(404);
  expect((await fleets.expand(nobody, 0)).status).toBe(404);
  for (const operation of ['getFleet', 'listFleetDevices', 'listFleetLocations'] as const) {
    expect((await fleets.api.call(operation, { path: { job_id: nobody } })).status).toBe(404);
    expect((await fleets.api.call(operation, { path: { job_id: 'x' } })).status).toBe(422);
  }
});

test('expansion adds households and changes none of those that are there', async () => {
  const groups = [
    { name: 'A', percentage: 75 },
    { name: 'B', percentage: 25 },
  ];
  const fleet = await fleets.running({ count: 8, groups, ev_ownership_fraction: 0.5 });
  const jobId = fleet.job_id as string;
  const before = { devices: await fleets.devices(jobId), places: await fleets.locations(jobId) };
  const expanding = await fleets.expand(jobId, 4);
  expect(expanding.status).toBe(200);
  expect(expanding.body).toMatchObject({
    status: 'expanding',
    count: 12,
    progress: { created: 8, total: 12 },
  });
  await fleets.runner.processAll();
  expect(await fleets.get(jobId)).toMatchObject({
    status: 'running',
    count: 12,
    progress: { created: 12, total: 12 },
    started_at: fleet.started_at,
    definition: fleet.definition,
  });
  const places = await fleets.locations(jobId);
  expect(places.slice(0, 8)).toEqual(before.places);
  expect(places.map((place) => place.group).join('')).toBe('AAAAAABBAAAB');
  const devices = await fleets.devices(jobId);
  expect(devices.slice(0, before.devices.length)).toEqual(before.devices);
});

test('a repeated expansion is answered again and adds nothing; another body under its id is refused', async () => {
  const { job_id: jobId } = await fleets.running({ count: 2 });
  const { job_id: other } = await fleets.running({ count: 2 });
  const requestId = randomUUID();
  const first = await fleets.expand(jobId as string, 3, requestId);
  expect((await fleets.expand(jobId as string, 3, requestId)).body).toEqual(first.body);
  await fleets.runner.processAll();
  expect((await fleets.expand(jobId as string, 3, requestId)).body).toEqual(first.body);
  expect((await fleets.get(jobId as string)).count).toBe(5);
  for (const refused of [
    await fleets.expand(jobId as string, 4, requestId),
    await fleets.expand(other as string, 3, requestId),
  ]) {
    expect(refused.status).toBe(422);
    expect(refused.body.errors[0]).toMatchObject({ pointer: '/request_id', code: 'request_id_reused' });
  }
  const created = await fleets.create({ request_id: requestId, count: 1 });
  expect(created.status).toBe(200);
});

test('ten first uses of one expansion at once add its households once', async () => {
  const { job_id: jobId } = await fleets.running({ count: 1 });
  const requestId = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => fleets.expand(jobId as string, 2, requestId)),
  );
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  await fleets.runner.processAll();
  expect(await fleets.get(jobId as string)).toMatchObject({ status: 'running', count: 3 });
});

test('an expansion has 1 to 1000 households, and a fleet 10,000', async () => {
  const { job_id: jobId } = await fleets.running({ count: 1 });
  for (const count of [0, 1001]) {
    const refused = await fleets.expand(jobId as string, count);
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([422, '/count']);
  }
  await fleets.api.db
    .updateTable('fleets')
    .set({ household_count: 9_500 })
    .where('id', '=', jobId as string)
    .execute();
  const refused = await fleets.expand(jobId as string, 501);
  expect(refused.status).toBe(422);
  expect(refused.body.errors).toMatchObject([{ pointer: '/count', code: 'fleet_too_large' }]);
});

test('a stopped fleet keeps its data, and its values stand still at that instant', async () => {
  const fleet = await fleets.running({ count: 3, history_days: 1 });
  const jobId = fleet.job_id as string;
  const live = await fleets.devices(jobId);
  fleets.api.clock.advance(3_600_000);
  const stopped = await fleets.act('stopFleet', jobId);
  const stoppedAt = fleets.api.clock.now().toISOString();
  expect(stopped.body).toMatchObject({ status: 'stopped', stopped_at: stoppedAt, count: 3 });
  const frozen = await fleets.devices(jobId);
  expect(frozen.map((device) => device.state)).not.toEqual(live.map((device) => device.state));
  fleets.api.clock.advance(5 * 3_600_000);
  expect(await fleets.devices(jobId)).toEqual(frozen);
  expect(new Set(frozen.map((device) => device.as_of))).toEqual(new Set([stoppedAt]));
  expect((await fleets.act('stopFleet', jobId)).body).toEqual(stopped.body);
  await expectConflict('cancelFleet', jobId, 'stopped');
  await expectConflict('expandFleet', jobId, 'stopped');
});

test('stopping an expanding fleet drops the unfinished households', async () => {
  const fleet = await fleets.running({ count: 2 });
  const jobId = fleet.job_id as string;
  const before = await contents(fleet.simulation_org_id as string);
  await fleets.expand(jobId, 5);
  const stopped = await fleets.act('stopFleet', jobId);
  expect(stopped.body).toMatchObject({ status: 'stopped', count: 2, progress: { created: 2, total: 2 } });
  await fleets.runner.processAll();
  expect(await contents(fleet.simulation_org_id as string)).toEqual(before);
});

test('a queued fleet is cancelled and built no more', async () => {
  const { body: fleet } = await fleets.create({ count: 2 });
  const jobId = fleet.job_id as string;
  for (const operation of ['stopFleet', 'cleanupFleet', 'purgeFleet', 'expandFleet'] as const) {
    await expectConflict(operation, jobId, 'queued');
  }
  const cancelled = await fleets.act('cancelFleet', jobId);
  expect(cancelled.body).toMatchObject({ status: 'cancelled', progress: { created: 0, total: 2 } });
  await fleets.runner.processAll();
  expect(await fleets.get(jobId)).toEqual(cancelled.body);
  expect((await fleets.act('cancelFleet', jobId)).body).toEqual(cancelled.body);
  await expectConflict('stopFleet', jobId, 'cancelled');
});

test('cancelling an expansion lets the fleet run on as it was, and a later expansion takes its place', async () => {
  const fleet = await fleets.running({ count: 2 });
  const jobId = fleet.job_id as string;
  await fleets.expand(jobId, 5);
  const cancelled = await fleets.act('cancelFleet', jobId);
  expect(cancelled.body).toMatchObject({ status: 'running', count: 2, progress: { created: 2, total: 2 } });
  await expectConflict('cancelFleet', jobId, 'running');
  await fleets.expand(jobId, 1);
  await fleets.runner.processAll();
  expect(await fleets.get(jobId)).toMatchObject({ status: 'running', count: 3 });
  expect(await fleets.locations(jobId)).toHaveLength(3);
});

test('clean-up removes users, devices and notifications and keeps record, locations and organization', async () => {
  const fleet = await fleets.running({ count: 3, ev_ownership_fraction: 1 });
  const jobId = fleet.job_id as string;
  const orgId = fleet.simulation_org_id as string;
  const [device] = await fleets.devices(jobId);
  await fleets.api.call('triggerDeviceEvent', {
    path: { job_id: jobId, device_id: device.device_id as string },
    body: { code: 'device_offline' },
  });
  expect(await contents(orgId)).toMatchObject({ users: 3, notification_items: 1, device_conditions: 1 });
  await expectConflict('cleanupFleet', jobId, 'running');
  await fleets.act('stopFleet', jobId);
  const places = await fleets.locations(jobId);
  const cleaned = await fleets.act('cleanupFleet', jobId);
  expect(cleaned.body).toMatchObject({
    status: 'cleaned',
    count: 3,
    device_counts: { electric_vehicle: 0, heat_pump: 0, inverter: 0, wallbox: 0 },
  });
  expect(await contents(orgId)).toEqual({
    users: 0,
    devices: 0,
    households: 3,
    notification_items: 0,
    device_conditions: 0,
  });
  expect(await fleets.locations(jobId)).toEqual(places);
  expect(await fleets.devices(jobId)).toEqual([]);
  expect((await fleets.api.call('listUsers', { path: { org_id: orgId } })).body).toEqual([]);
  expect((await fleets.act('cleanupFleet', jobId)).body).toEqual(cleaned.body);
  await expectConflict('stopFleet', jobId, 'cleaned');
});

test('a purge removes the fleet, its households and its organization; its request_id stays taken', async () => {
  const body = { request_id: randomUUID(), count: 3 };
  const fleet = await fleets.running(body);
  const jobId = fleet.job_id as string;
  const orgId = fleet.simulation_org_id as string;
  await expectConflict('purgeFleet', jobId, 'running');
  await fleets.act('stopFleet', jobId);
  const hook = await fleets.api.call('createWebhook', {
    path: { org_id: orgId },
    body: { url: 'https://example.com/hook' },
  });
  expect(hook.status).toBe(201);
  const purging = await fleets.act('purgeFleet', jobId);
  expect(purging).toMatchObject({ status: 200, body: { job_id: jobId, status: 'purging' } });
  expect((await fleets.act('purgeFleet', jobId)).body).toEqual(purging.body);
  await expectConflict('stopFleet', jobId, 'purging');
  await fleets.runner.processAll();
  expect((await fleets.api.call('getFleet', { path: { job_id: jobId } })).status).toBe(404);
  expect((await fleets.act('purgeFleet', jobId)).status).toBe(404);
  expect((await fleets.api.call('listUsers', { path: { org_id: orgId } })).status).toBe(403);
  expect(new Set(Object.values(await contents(orgId)))).toEqual(new Set([0]));
  for (const id of ['createFleet', 'previewFleet'] as const) {
    const again = await fleets.api.call(id, { body });
    expect([again.status, again.body.code]).toEqual([410, 'request_purged']);
  }
  expect((await fleets.api.call('getFleet', { path: { job_id: jobId } })).status).toBe(404);
  expect((await fleets.create({ ...body, count: 4 })).status).toBe(422);
});

test('twenty conflicting operations at once leave one consistent outcome', async () => {
  const fleet = await fleets.running({ count: 2 });
  const jobId = fleet.job_id as string;
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => {
      if (i % 4 === 0) return fleets.expand(jobId, 1);
      if (i % 4 === 1) return fleets.act('stopFleet', jobId);
      if (i % 4 === 2) return fleets.act('cleanupFleet', jobId);
      return fleets.act('cancelFleet', jobId);
    }),
  );
  for (const { status } of answers) expect([200, 409]).toContain(status);
  await fleets.runner.processAll();
  const after = await fleets.get(jobId);
  const rows = await contents(fleet.simulation_org_id as string);
  expect(['stopped', 'cleaned']).toContain(after.status);
  expect(rows.households).toBe(after.count);
  expect(rows.users).toBe(after.status === 'cleaned' ? 0 : after.count);
  expect(after.progress).toEqual({ created: after.count, total: after.count });
});

test('of ten expansions with ids of their own, at once, exactly one is taken', async () => {
  const { job_id: jobId } = await fleets.running({ count: 1 });
  const answers = await Promise.all(Array.from({ length: 10 }, () => fleets.expand(jobId as string, 1)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
});

test('operations without a body take an empty object and nothing else', async () => {
  const { body: fleet } = await fleets.create({ count: 1 });
  const path = { job_id: fleet.job_id as string };
  expect((await fleets.api.call('cancelFleet', { path, body: {} })).status).toBe(200);
  for (const operation of actions) {
    const refused = await fleets.api.call(operation, { path, body: { force: true } });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toContainEqual(
      expect.objectContaining({ pointer: '/force', code: 'unknown_property' }),
    );
    const stranger = await fleets.api.call(operation, { path, token: fleets.api.own.user.token });
    expect(stranger.status).toBe(403);
  }
});
