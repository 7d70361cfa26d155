import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';
import { parts } from './refusal.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function create(body: object = {}): Promise<{ id: string; email: string }> {
  const answer = await api.call('createUser', {
    body: { email: `${randomUUID()}@example.com`, role: 'user', ...body },
  });
  expect(answer.status).toBe(201);
  return answer.body as { id: string; email: string };
}

describe('reading', () => {
  test('by external_user_id, exactly as it was written', async () => {
    const { id } = await create({ external_user_id: 'a/b c+d%' });
    const found = await api.call('getUserByExternalId', { path: { external_user_id: 'a/b c+d%' } });
    expect(parts(found, 'id')).toEqual([200, id]);
    const missing = await api.call('getUserByExternalId', { path: { external_user_id: 'A/b c+d%' } });
    expect(missing.status).toBe(404);
  });

  test.each(['.', '..'])('nobody is given the external_user_id %s, which no path can hold', async (text) => {
    const { id } = await create();
    const body = { email: `${randomUUID()}@example.com`, role: 'user', external_user_id: text };
    for (const refused of [
      await api.call('createUser', { body }),
      await api.call('updateUser', { path: { user_id: id }, body: { external_user_id: text } }),
    ]) {
      const detail = 'Must be another text than "." and "..", which the path of an address cannot hold.';
      expect([refused.status, refused.body.errors]).toEqual([
        422,
        [{ pointer: '/external_user_id', code: 'format', detail }],
      ]);
    }
    const near = `${text}.${text}`;
    await create({ external_user_id: near });
    const found = await api.call('getUserByExternalId', { path: { external_user_id: near } });
    expect(parts(found, 'external_user_id')).toEqual([200, near]);
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
