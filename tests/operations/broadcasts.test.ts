import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startApi, type Api } from '../support/api.ts';
import { NotificationFixture } from '../support/notification-fixture.ts';

let api: Api;
let content: NotificationFixture;
beforeAll(async () => {
  api = await startApi();
  content = new NotificationFixture(api);
});
afterAll(() => api.close());
beforeEach(() => content.reset());

const message = 'Devices cannot be steered tonight.';

test('a notice for everybody reaches every user, each puts it away alone, and no webhook tells of it', async () => {
  const { status, body } = await api.call('broadcastInformation', { body: { message } });
  expect([status, body]).toEqual([
    201,
    {
      id: expect.any(String),
      code: null,
      message,
      sent_at: api.clock.now().toISOString(),
      dismissed: false,
      cleared_at: null,
      device_id: null,
      device_type: null,
      owner_id: null,
      resolution_link: { url: expect.stringContaining(body.id), required_parameters: [] },
    },
  ]);
  for (const role of ['admin', 'staff', 'user'] as const) {
    expect(await content.ids('listInformation', {}, api.own[role].token)).toEqual([body.id]);
    expect(await content.ids('listActions', {}, api.own[role].token)).toEqual([body.id]);
  }
  expect(await content.ids('listInformation', { code: 'information' })).toEqual([]);
  const counts = (await api.call('getNotificationStatus')).body;
  expect(counts.inverter).toEqual({ action_required: 0, information_available: 0 });
  expect(await api.db.selectFrom('messages').selectAll().execute()).toEqual([]);

  expect((await content.resolve(body.resolution_link)).status).toBe(200);
  expect(await content.ids('listActions')).toEqual([]);
  expect(await content.ids('listActions', {}, api.own.user.token)).toEqual([body.id]);
});

test('a notice for one user reaches it and the admin alone', async () => {
  const owner_id = api.own.user.id.toUpperCase();
  const { body } = await api.call('broadcastInformation', { body: { message, owner_id } });
  expect(body).toMatchObject({ code: null, owner_id: api.own.user.id, device_id: null });
  expect(await content.ids('listActions', {}, api.own.user.token)).toEqual([body.id]);
  expect(await content.ids('listActions', {}, api.own.staff.token)).toEqual([]);
  expect(await content.ids('listInformation')).toEqual([body.id]);
  expect((await content.resolve(body.resolution_link, api.own.user.token)).status).toBe(200);
  expect(await content.ids('listActions', {}, api.own.user.token)).toEqual([]);
});

test('null names no user', async () => {
  const answer = await api.call('broadcastInformation', { body: { message, owner_id: null } });
  expect([answer.status, answer.body.owner_id]).toEqual([201, null]);
});

test.each([
  ['required', '/message', {}],
  ['pattern', '/message', { message: ' \n' }],
  ['min_length', '/message', { message: '' }],
  ['max_length', '/message', { message: 'x'.repeat(2001) }],
  ['format', '/owner_id', { message, owner_id: 'me' }],
  ['unknown_property', '/code', { message, code: 'device_offline' }],
])('%s at %s is refused, and nothing is written', async (code, pointer, body) => {
  const answer = await api.call('broadcastInformation', { body });
  expect(answer.status).toBe(422);
  expect(answer.body.errors).toContainEqual(expect.objectContaining({ code, pointer }));
  expect(await content.ids('listInformation')).toEqual([]);
});

test('a user of another organization, or of none, is not found', async () => {
  for (const owner_id of [api.foreign.user.id, randomUUID()]) {
    const answer = await api.call('broadcastInformation', { body: { message, owner_id } });
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
  }
  expect(await content.ids('listInformation')).toEqual([]);
});
