import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { fleetApi } from '../fleets/fleet-api.ts';

const fleets = fleetApi();

const nobody = '00000000-0000-4000-8000-000000000000';

test('a new fleet is queued, and runs with all its households when the runner has worked', async () => {
  const requestId = randomUUID();
  const created = await fleets.create({ request_id: requestId, count: 4, name: 'Four' });
  expect(created.status).toBe(200);
  expect(created.body).toMatchObject({
    request_id: requestId,
    name: 'Four',
    status: 'queued',
    progress: { created: 0, total: 4 },
    count: 4,
    seed: 42,
    started_at: null,
    stopped_at: null,
    error: null,
    history: { from: '2026-06-15T12:00:00.000Z', to: '2026-06-15T12:00:00.000Z' },
    device_counts: { electric_vehicle: 0, heat_pump: 0, inverter: 0, wallbox: 0 },
  });
  await fleets.runner.processAll();
  const fleet = await fleets.get(created.body.job_id as string);
  expect(fleet).toMatchObject({ status: 'running', progress: { created: 4, total: 4 } });
  expect(fleet.device_counts.inverter).toBe(4);
  expect(fleet.started_at).toBe('2026-06-15T12:00:00.000Z');
  expect((await fleets.api.call('listFleets')).body).toContainEqual(fleet);
});

test('households are users of the simulation organization, which the partner reaches and a stranger does not', async () => {
  const fleet = await fleets.running({ count: 3 });
  const path = { org_id: fleet.simulation_org_id as string };
  const users = await fleets.api.call('listUsers', { path });
  expect(users.status).toBe(200);
  expect(users.body).toHaveLength(3);
  expect(users.body[0]).toMatchObject({ role: 'user', org_id: path.org_id, num_inverters: 1 });
  const staff = await fleets.api.call('listUsers', { path, token: fleets.api.own.staff.token });
  expect(staff.body).toHaveLength(3);
  const stranger = await fleets.api.call('listUsers', { path, token: fleets.api.foreign.admin.token });
  expect(stranger.status).toBe(403);
});

test('fleets are listed newest first, and only the own ones', async () => {
  fleets.api.clock.advance(1000);
  const older = await fleets.create();
  fleets.api.clock.advance(1000);
  const newer = await fleets.create();
  const list = await fleets.api.call('listFleets');
  const ids = (list.body as { job_id: string }[]).map((fleet) => fleet.job_id);
  expect(ids.slice(0, 2)).toEqual([newer.body.job_id, older.body.job_id]);
  const foreign = fleets.api.foreign;
  const other = await fleets.api.call('listFleets', {
    path: { org_id: foreign.orgId },
    token: foreign.admin.token,
  });
  expect(other.body).toEqual([]);
  const stranger = await fleets.api.call('getFleet', {
    path: { org_id: foreign.orgId, job_id: newer.body.job_id as string },
    token: foreign.admin.token,
  });
  expect(stranger.status).toBe(404);
});

test('a repeated request_id gets the same answer and creates nothing, null and absent being the same', async () => {
  const body = { request_id: randomUUID(), count: 2, name: 'Once' };
  const first = await fleets.create(body);
  await fleets.runner.processAll();
  const spelled = {
    ...body,
    request_id: body.request_id.toUpperCase(),
    seed: 42,
    latitude: null,
    groups: [],
  };
  const again = await fleets.create(spelled);
  expect(again.status).toBe(200);
  expect(again.body).toEqual(first.body);
  const list = await fleets.api.call('listFleets');
  const same = (list.body as { request_id: string }[]).filter((each) => each.request_id === body.request_id);
  expect(same).toHaveLength(1);
});

test('a request_id used for another definition is refused, by creation and by preview', async () => {
  const body = { request_id: randomUUID(), count: 2 };
  await fleets.create(body);
  const changed = { ...body, count: 3 };
  for (const operation of ['createFleet', 'previewFleet'] as const) {
    const refused = await fleets.api.call(operation, { body: changed });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual([
      expect.objectContaining({ pointer: '/request_id', code: 'request_id_reused' }),
    ]);
  }
});

test('twenty first uses of one request_id at once make one fleet, and all get its record', async () => {
  const body = { request_id: randomUUID(), count: 5 };
  const answers = await Promise.all(Array.from({ length: 20 }, () => fleets.create(body)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  const rows = await fleets.api.db
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', answers[0]?.body.simulation_org_id as string)
    .execute();
  expect(rows).toHaveLength(1);
});

test('twenty definitions under one request_id at once make one fleet, and the others are refused', async () => {
  const request_id = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => fleets.create({ request_id, count: i + 1 })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(19);
});

test('no fleet is created or previewed inside a simulation organization', async () => {
  const fleet = await fleets.create();
  const path = { org_id: fleet.body.simulation_org_id as string };
  for (const operation of ['createFleet', 'previewFleet'] as const) {
    const refused = await fleets.api.call(operation, { path, body: { request_id: randomUUID() } });
    expect(refused.status).toBe(409);
    expect(refused.body.code).toBe('fleet_nesting_forbidden');
  }
  const list = await fleets.api.call('listFleets', { path });
  expect(list.body).toEqual([]);
});

test('users may not call the simulator, and a token that only reads may not create', async () => {
  const { user, admin } = fleets.api.own;
  const calls = [
    ['createFleet', { body: { request_id: randomUUID() } }],
    ['listFleets', {}],
    ['getFleetConfig', {}],
    ['getFleet', { path: { job_id: nobody } }],
  ] as const;
  for (const [operation, call] of calls) {
    expect((await fleets.api.call(operation, { ...call, token: user.token })).status).toBe(403);
    expect((await fleets.api.call(operation, { ...call, token: null })).status).toBe(401);
  }
  const readOnly = { body: { request_id: randomUUID() }, token: admin.readToken };
  expect((await fleets.api.call('createFleet', readOnly)).body.code).toBe('insufficient_scope');
});

test('malformed JSON, another content type and a body of 2 MB are refused', async () => {
  const attempts = [
    [400, { raw: '{"request_id":' }],
    [415, { raw: '{}', headers: { 'content-type': 'text/plain' } }],
    [413, { raw: JSON.stringify({ request_id: randomUUID(), name: 'x'.repeat(2_000_000) }) }],
    [406, { body: { request_id: randomUUID() }, headers: { accept: 'text/html' } }],
  ] as const;
  for (const operation of ['createFleet', 'previewFleet'] as const) {
    for (const [status, call] of attempts) {
      expect((await fleets.api.call(operation, call)).status).toBe(status);
    }
  }
});
