import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const full = {
  email: 'Anna.Huber@example.com',
  role: 'user',
  external_user_id: 'customer 10042/ä',
  first_name: 'Anna',
  last_name: 'Huber',
  street_and_number: 'Hauptstraße 12',
  street_add_info: '2nd floor',
  zip_code: '0420',
  town: 'Linz',
  country: 'AT',
  latitude: 48.3064,
  longitude: 14.2858,
};

async function create(body: object = {}): Promise<{ id: string; email: string }> {
  const answer = await api.call('createUser', {
    body: { email: `${randomUUID()}@example.com`, role: 'user', ...body },
  });
  expect(answer.status).toBe(201);
  return answer.body as { id: string; email: string };
}

describe('creating', () => {
  test('a user comes back whole, with its address', async () => {
    const answer = await api.call('createUser', { body: full });
    expect(answer.status).toBe(201);
    const { id } = answer.body as { id: string };
    expect(answer.headers['location']).toBe(
      `${api.baseUrl}/api/partners/v2.0/org/${api.own.orgId}/users/${id}`,
    );
    expect(answer.body).toEqual({
      ...full,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      org_id: api.own.orgId,
      organization_id: api.own.orgId,
      location_last_updated: '2026-06-15T12:00:00.000Z',
      num_electric_vehicles: 0,
      num_heat_pumps: 0,
      num_inverters: 0,
      num_wallboxes: 0,
      created_at: '2026-06-15T12:00:00.000Z',
      updated_at: '2026-06-15T12:00:00.000Z',
      deleted_at: null,
    });
    const read = await api.call('getUser', { path: { user_id: id } });
    expect([read.status, read.body]).toEqual([200, answer.body]);
  });

  test('with null as with nothing, optional fields are null', async () => {
    const user = await create({ first_name: null, latitude: null, longitude: null, org_id: api.own.orgId });
    expect(user).toMatchObject({ first_name: null, town: null, latitude: null, location_last_updated: null });
  });

  test('another letter case does not make another email', async () => {
    const { email } = await create();
    const answer = await api.call('createUser', { body: { email: email.toUpperCase(), role: 'user' } });
    expect([answer.status, answer.body.code]).toEqual([409, 'email_taken']);
    expect(answer.body.errors).toEqual([
      { pointer: '/email', code: 'email_taken', detail: 'Another user of the organization has this email.' },
    ]);
  });

  test('of twenty at once with one email in different letter case exactly one is created', async () => {
    const name = randomUUID();
    const bodies = Array.from({ length: 20 }, (_, i) => ({
      email:
        [...name].map((letter, at) => ((i >> (at % 5)) & 1 ? letter.toUpperCase() : letter)).join('') +
        '@example.com',
      role: 'user',
    }));
    const answers = await Promise.all(bodies.map((body) => api.call('createUser', { body })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array<number>(19).fill(409)]);
  });

  test('the same email serves in another organization', async () => {
    const { email } = await create();
    const answer = await api.call('createUser', {
      path: { org_id: api.foreign.orgId },
      token: api.foreign.admin.token,
      body: { email, role: 'user' },
    });
    expect(answer.status).toBe(201);
  });

  test('an external_user_id is unique', async () => {
    await create({ external_user_id: 'taken' });
    const body = { email: 'other@example.com', role: 'user', external_user_id: 'taken' };
    const answer = await api.call('createUser', { body });
    expect([answer.status, answer.body.code, answer.body.errors[0].pointer]).toEqual([
      409,
      'external_user_id_taken',
      '/external_user_id',
    ]);
  });

  test('every fault beyond the schema is named at once', async () => {
    const body = {
      email: 'x@example.com',
      role: 'user',
      country: 'XX',
      latitude: 1,
      org_id: api.foreign.orgId,
    };
    const answer = await api.call('createUser', { body });
    expect([answer.status, faults(answer.body)]).toEqual([
      422,
      ['/longitude coordinates_incomplete', '/country country_unknown', '/org_id org_id_mismatch'],
    ]);
  });

  test('faults of the schema are named at once', async () => {
    const body = {
      email: 'nobody',
      role: 'owner',
      first_name: '',
      latitude: 91,
      shoe_size: 43,
      country: 'at',
    };
    const answer = await api.call('createUser', { body });
    expect([answer.status, faults(answer.body).toSorted()]).toEqual([
      422,
      [
        '/country pattern',
        '/email format',
        '/first_name min_length',
        '/latitude maximum',
        '/role enum',
        '/shoe_size unknown_property',
      ],
    ]);
  });
});

describe('changing', () => {
  test('changes what the body holds and clears what is null', async () => {
    const { id } = await create({ first_name: 'Eva', town: 'Wels', latitude: 1, longitude: 2 });
    api.clock.advance(1000);
    const answer = await api.call('updateUser', {
      path: { user_id: id },
      body: { first_name: null, last_name: 'Maier', latitude: 1.5 },
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      first_name: null,
      last_name: 'Maier',
      town: 'Wels',
      latitude: 1.5,
      longitude: 2,
      created_at: '2026-06-15T12:00:00.000Z',
      updated_at: '2026-06-15T12:00:01.000Z',
      location_last_updated: '2026-06-15T12:00:01.000Z',
    });
    api.clock.advance(1000);
    const again = await api.call('updateUser', {
      path: { user_id: id },
      body: { latitude: 1.5, town: 'Enns' },
    });
    expect(again.body).toMatchObject({
      location_last_updated: '2026-06-15T12:00:01.000Z',
      updated_at: '2026-06-15T12:00:02.000Z',
    });
    const nothing = await api.call('updateUser', { path: { user_id: id }, body: {} });
    expect(nothing.body).toEqual(again.body);
  });

  test('coordinates are judged on the merged record', async () => {
    const { id } = await create({ latitude: 1, longitude: 2 });
    const { id: without } = await create();
    const put = (user: string, body: object) => api.call('updateUser', { path: { user_id: user }, body });
    expect(faults((await put(id, { latitude: null })).body)).toEqual(['/latitude coordinates_incomplete']);
    expect(faults((await put(without, { latitude: 3 })).body)).toEqual(['/longitude coordinates_incomplete']);
    expect((await put(id, { latitude: null, longitude: null })).body).toMatchObject({
      latitude: null,
      longitude: null,
    });
  });

  test('email and role cannot be null, the organization cannot be changed', async () => {
    const { id } = await create();
    const body = { email: null, role: null, org_id: api.own.orgId };
    const answer = await api.call('updateUser', { path: { user_id: id }, body });
    const pointers = new Set(faults(answer.body).map((fault) => fault.split(' ')[0]));
    expect([answer.status, pointers]).toEqual([422, new Set(['/email', '/org_id', '/role'])]);
  });

  test('a taken email or external_user_id is a conflict', async () => {
    const { email } = await create({ external_user_id: 'first' });
    const { id } = await create();
    const put = (body: object) => api.call('updateUser', { path: { user_id: id }, body });
    const byEmail = await put({ email: email.toUpperCase() });
    expect([byEmail.status, faults(byEmail.body)]).toEqual([409, ['/email email_taken']]);
    const byExternalId = await put({ external_user_id: 'first' });
    expect([byExternalId.status, faults(byExternalId.body)]).toEqual([
      409,
      ['/external_user_id external_user_id_taken'],
    ]);
  });

  test("a user that is not there, or another organization's, is 404 before anything else", async () => {
    for (const user_id of [randomUUID(), api.foreign.user.id]) {
      const good = await api.call('updateUser', { path: { user_id }, body: { town: 'Linz' } });
      const faulty = await api.call('updateUser', { path: { user_id }, body: { town: 7 } });
      expect([good.status, faulty.status, faulty.body.code]).toEqual([404, 404, 'not_found']);
    }
  });
});

describe('reading', () => {
  test('by external_user_id, exactly as it was written', async () => {
    const { id } = await create({ external_user_id: 'a/b c+d%' });
    const found = await api.call('getUserByExternalId', { path: { external_user_id: 'a/b c+d%' } });
    expect([found.status, found.body.id]).toEqual([200, id]);
    const missing = await api.call('getUserByExternalId', { path: { external_user_id: 'A/b c+d%' } });
    expect(missing.status).toBe(404);
  });

  test('a faulty parameter is 422, of a user that is not there 404', async () => {
    const query = { include_deleted: 'perhaps' };
    const { id } = await create({ external_user_id: 'with faults' });
    const one = await api.call('getUser', { path: { user_id: id }, query });
    const none = await api.call('getUser', { path: { user_id: randomUUID() }, query });
    const byId = await api.call('getUserByExternalId', { path: { external_user_id: 'with faults' }, query });
    const byNoId = await api.call('getUserByExternalId', { path: { external_user_id: 'nobody' }, query });
    expect([one.status, none.status, byId.status, byNoId.status]).toEqual([422, 404, 422, 404]);
    const odd = await api.call('getUser', { path: { user_id: 'me' } });
    expect(odd.status).toBe(422);
  });

  test('devices are counted', async () => {
    const { id } = await create();
    for (const device_type of [
      'heat_pump',
      'heat_pump',
      'inverter',
      'wallbox',
      'electric_vehicle',
    ] as const) {
      const device = { org_id: api.own.orgId, id: randomUUID(), user_id: id, device_type };
      const words = { name: 'x', manufacturer: 'x', model: 'x', ratings: '{}', created_at: api.clock.now() };
      await api.db
        .insertInto('devices')
        .values({ ...device, ...words })
        .execute();
    }
    const counts = { num_heat_pumps: 2, num_inverters: 1, num_wallboxes: 1, num_electric_vehicles: 1 };
    expect((await api.call('getUser', { path: { user_id: id } })).body).toMatchObject(counts);
    const put = await api.call('updateUser', { path: { user_id: id }, body: { town: 'Linz' } });
    expect(put.body).toMatchObject(counts);
  });
});

describe('deleting', () => {
  test('hides the user, frees its email and external_user_id, and keeps the record', async () => {
    const before = await create({ email: 'gone@example.com', external_user_id: 'gone' });
    const path = { user_id: before.id };
    expect((await api.call('deleteUser', { path })).status).toBe(204);
    for (const id of ['getUser', 'deleteUser'] as const)
      expect((await api.call(id, { path })).status).toBe(404);
    expect((await api.call('updateUser', { path, body: {} })).status).toBe(404);
    expect((await api.call('getUserByExternalId', { path: { external_user_id: 'gone' } })).status).toBe(404);
    const query = { include_deleted: true };
    const shown = await api.call('getUser', { path, query });
    expect([shown.status, shown.body]).toEqual([
      200,
      { ...before, updated_at: api.clock.now().toISOString(), deleted_at: api.clock.now().toISOString() },
    ]);
    const lists = await Promise.all([api.call('listUsers'), api.call('listUsers', { query })]);
    expect(lists.map(({ body }) => (body as { id: string }[]).some(({ id }) => id === before.id))).toEqual([
      false,
      true,
    ]);

    const after = await create({ email: 'Gone@example.com', external_user_id: 'gone' });
    const byExternalId = (): Promise<{ body: { id: string } }> =>
      api.call('getUserByExternalId', { path: { external_user_id: 'gone' }, query });
    expect((await byExternalId()).body.id).toBe(after.id);
    api.clock.advance(1000);
    await api.call('deleteUser', { path: { user_id: after.id } });
    expect((await byExternalId()).body.id).toBe(after.id);
  });
});

function faults(body: { errors: { pointer?: string; parameter?: string; code: string }[] }): string[] {
  return body.errors.map(({ pointer, parameter, code }) => `${pointer ?? parameter ?? ''} ${code}`);
}
