import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';
import { refusal } from './refusal.ts';

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
  test('says which types are permitted', async () => {
    const body = { email: 'types@example.com', role: 'user', latitude: '48', longitude: 14 };
    expect((await api.call('createUser', { body })).body.errors).toEqual([
      { pointer: '/latitude', code: 'type', detail: 'Must be of type number or null.' },
    ]);
  });

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
    expect(refusal(answer)).toEqual([409, 'email_taken', '/email email_taken']);
  });

  test('of twenty at once with one email in different letter case exactly one is created', async () => {
    const name = randomUUID();
    const bodies = Array.from({ length: 20 }, (_, i) => ({
      email:
        Array.from(name, (letter, at) => ((i >> (at % 5)) & 1 ? letter.toUpperCase() : letter)).join('') +
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
    expect(refusal(answer)).toEqual([
      409,
      'external_user_id_taken',
      '/external_user_id external_user_id_taken',
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
    expect(refusal(answer)).toEqual([
      422,
      'validation_failed',
      '/longitude coordinates_incomplete',
      '/country country_unknown',
      '/org_id org_id_mismatch',
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
    expect(new Set(refusal(answer))).toEqual(
      new Set([
        422,
        'validation_failed',
        '/country pattern',
        '/email format',
        '/first_name min_length',
        '/latitude maximum',
        '/role enum',
        '/shoe_size unknown_property',
      ]),
    );
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

  test('coordinates are validated on the merged record', async () => {
    const { id } = await create({ latitude: 1, longitude: 2 });
    const { id: without } = await create();
    const put = (user: string, body: object) => api.call('updateUser', { path: { user_id: user }, body });
    expect(refusal(await put(id, { latitude: null }))).toEqual([
      422,
      'validation_failed',
      '/latitude coordinates_incomplete',
    ]);
    expect(refusal(await put(without, { latitude: 3 }))).toEqual([
      422,
      'validation_failed',
      '/longitude coordinates_incomplete',
    ]);
    expect((await put(id, { latitude: null, longitude: null })).body).toMatchObject({
      latitude: null,
      longitude: null,
    });
  });

  test('email and role cannot be null, the organization cannot be changed', async () => {
    const { id } = await create();
    const body = { email: null, role: null, org_id: api.own.orgId };
    const answer = await api.call('updateUser', { path: { user_id: id }, body });
    const [status, , ...faults] = refusal(answer);
    expect([status, new Set(faults.map((fault) => String(fault).split(' ')[0]))]).toEqual([
      422,
      new Set(['/email', '/org_id', '/role']),
    ]);
  });

  test('a taken email or external_user_id is a conflict', async () => {
    const { email } = await create({ external_user_id: 'first' });
    const { id } = await create();
    const put = (body: object) => api.call('updateUser', { path: { user_id: id }, body });
    const byEmail = await put({ email: email.toUpperCase() });
    expect(refusal(byEmail)).toEqual([409, 'email_taken', '/email email_taken']);
    const byExternalId = await put({ external_user_id: 'first' });
    expect(refusal(byExternalId)).toEqual([
      409,
      'external_user_id_taken',
      '/external_user_id external_user_id_taken',
    ]);
  });

  test("a user that is not there, or another organization's, is 404 before anything else", async () => {
    for (const user_id of [randomUUID(), api.foreign.user.id]) {
      const good = await api.call('updateUser', { path: { user_id }, body: { town: 'Linz' } });
      const faulty = await api.call('updateUser', { path: { user_id }, body: { town: 7 } });
      expect([good, faulty].map(refusal)).toEqual([
        [404, 'not_found'],
        [404, 'not_found'],
      ]);
    }
  });
});
