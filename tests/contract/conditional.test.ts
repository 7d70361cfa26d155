import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../generated/routes.ts';
import type { OperationId } from '../../generated/routes.ts';
import { insertMessageWithDeliveries } from '../../src/queries/deliveries/deliveries.ts';
import { fleetApi } from '../fleets/fleet-api.ts';
import { addDevice } from '../support/fleet-records.ts';
import type { Answer, Call } from '../support/api-client.ts';
import { refusal } from '../operations/refusal.ts';

const fleets = fleetApi();
/** What each path needs to name something that is there. */
let path: Record<string, string>;

beforeAll(async () => {
  const { api } = fleets;
  const { own, db } = api;
  const fleet = await fleets.running({ count: 1, pv_rating_kw: 5 });
  const external = { email: 'tagged@example.com', role: 'user', external_user_id: 'tagged' };
  const { body: user } = await api.call('createUser', { body: external });
  const owner = { orgId: own.orgId, userId: user.id as string };
  const device = (type: Parameters<typeof addDevice>[3]) => addDevice(db, owner, api.clock.now(), type);
  const topics = ['device.information'];
  const webhook = await api.call('createWebhook', {
    body: { url: 'https://partner.example.com/hook', topics },
  });
  const [id, now] = [randomUUID(), api.clock.now()];
  const message = { org_id: own.orgId, id, message_type: 'device.information', occurred_at: now };
  await db
    .transaction()
    .execute((tx) => insertMessageWithDeliveries(tx, { ...message, payload: Buffer.from('{}') }, now));
  path = {
    user_id: owner.userId,
    external_user_id: 'tagged',
    heat_pump_id: await device('heat_pump'),
    inverter_id: await device('inverter'),
    electric_vehicle_id: await device('electric_vehicle'),
    wallbox_id: await device('wallbox'),
    job_id: fleet.job_id as string,
    webhook_id: webhook.body.id as string,
    message_id: id,
  };
});

/** Where an operation needs the devices of a fleet. */
async function pathOf(id: OperationId): Promise<Record<string, string>> {
  if (id !== 'getInverterSimulatorLocation') return path;
  const devices = await fleets.devices(path['job_id'] ?? '');
  const inverter = devices.find(({ device_type }) => device_type === 'inverter');
  const { simulation_org_id: org_id } = await fleets.get(path['job_id'] ?? '');
  return {
    org_id: org_id as string,
    user_id: inverter.user_id as string,
    inverter_id: inverter.device_id as string,
  };
}

const tagged = ROUTES.filter(({ isTagged }) => isTagged);
const READS = tagged.filter(({ method }) => method === 'get').map(({ operationId }) => operationId);
const CHANGES = {
  updateUser: ['getUser', (value: number) => ({ first_name: `Name ${value}` })],
  updateWebhook: ['getWebhook', (value: number) => ({ enabled: value % 2 === 0 })],
  updateElectricVehiclePreferences: [
    'getElectricVehiclePreferences',
    (value: number) => ({ target_soc_percent: 60 + value }),
  ],
  updateHeatPumpPreferences: [
    'getHeatPumpPreferences',
    (value: number) => ({ comfort_temperature_c: 18 + value / 4 }),
  ],
  updateInverterPreferences: ['getInverterPreferences', (value: number) => ({ reserve_percent: 20 + value })],
} as const satisfies Partial<Record<OperationId, readonly [OperationId, (value: number) => object]>>;
type Change = keyof typeof CHANGES;

test('every single object has an entity tag, and no list', () => {
  expect(READS.filter((id) => id.startsWith('list'))).toEqual([]);
  const single = ROUTES.filter(
    ({ method, operationId }) =>
      method === 'get' && operationId.startsWith('get') && !/Data$|Schedules$/.test(operationId),
  );
  expect([...READS].sort()).toEqual(single.map(({ operationId }) => operationId).sort());
  const changes = ROUTES.filter(({ method }) => method === 'put' || method === 'patch');
  const without = changes.filter(({ isTagged }) => !isTagged).map(({ operationId }) => operationId);
  expect(without).toEqual(['uploadDayAheadPrices']);
  expect(tagged.map(({ operationId }) => operationId).sort()).toEqual(
    [...READS, ...Object.keys(CHANGES)].sort(),
  );
});

test.each(READS)('%s is 304 for a client that has it, and whole for all others', async (id) => {
  const call = { path: await pathOf(id) };
  const first = await fleets.api.call(id, call);
  const tag = first.headers['etag'] ?? '';
  expect([first.status, tag]).toEqual([200, expect.stringMatching(/^"[\w-]{22}"$/)]);
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
    const again = await fleets.api.call(id, { ...call, headers: { 'if-none-match': known } });
    expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', tag]);
    expect(again.headers['content-type']).toBeUndefined();
  }
  const other = await fleets.api.call(id, { ...call, headers: { 'if-none-match': '"other"' } });
  expect([other.status, other.text]).toEqual([200, first.text]);
});

describe.each(Object.keys(CHANGES) as Change[])('%s', (id) => {
  const [read, bodyOf] = CHANGES[id];
  const change = (value: number, more: Call = {}): Promise<Answer> =>
    fleets.api.call(id, { path, body: bodyOf(value), ...more });
  const withTag = (tag: string | undefined): Call => ({ headers: { 'if-match': tag ?? '' } });

  test('is done on what the client has seen, and not on what it has not', async () => {
    const seen = (await fleets.api.call(read, { path })).headers['etag'];
    const done = await change(1, withTag(seen));
    expect(done.status).toBe(200);
    const now = await fleets.api.call(read, { path });
    expect([now.headers['etag'], now.text]).toEqual([done.headers['etag'], done.text]);
    expect(refusal(await change(2, withTag(seen)))).toEqual([412, 'precondition_failed']);
    for (const wrong of ['"other"', `W/${done.headers['etag'] ?? ''}`, 'no tag'])
      expect((await change(2, withTag(wrong))).status).toBe(412);
    expect((await fleets.api.call(read, { path })).text).toBe(now.text);
    expect((await change(2, withTag('*'))).status).toBe(200);
    expect((await change(3)).status).toBe(200);
  });

  test('of ten at once from the same answer one is done', async () => {
    const seen = (await fleets.api.call(read, { path })).headers['etag'];
    const values = Array.from({ length: 10 }, (_, value) => (id === 'updateWebhook' ? 2 : value + 4));
    const answers = await Promise.all(values.map((value) => change(value, withTag(seen))));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array.from({ length: 9 }, () => 412),
    ]);
    const done = answers.find(({ status }) => status === 200);
    expect((await fleets.api.call(read, { path })).text).toBe(done?.text);
  });

  test('of what is not there is 404, whatever tag is sent', async () => {
    const nothing = Object.fromEntries(Object.keys(path).map((name) => [name, randomUUID()]));
    expect((await change(1, { path: nothing, ...withTag('"other"') })).status).toBe(404);
  });
});

describe.each([
  [
    'deleteUser',
    'updateUser',
    { first_name: 'Anna' },
    async () => {
      const body = { email: `${randomUUID()}@example.com`, role: 'user' };
      return { user_id: (await fleets.api.call('createUser', { body })).body.id as string };
    },
  ],
  [
    'deleteWebhook',
    'updateWebhook',
    { enabled: false },
    async () => {
      const body = { url: 'https://partner.example.com/hook', topics: ['device.information'] };
      return { webhook_id: (await fleets.api.call('createWebhook', { body })).body.id as string };
    },
  ],
] as const)('%s', (remove, update, body, create) => {
  test('takes away what the client has seen, and not what it has not', async () => {
    const made = await create();
    const seen = (await fleets.api.call(CHANGES[update][0], { path: made })).headers['etag'] ?? '';
    expect((await fleets.api.call(update, { path: made, body })).status).toBe(200);
    const removeWith = (tag: string): Promise<Answer> =>
      fleets.api.call(remove, { path: made, headers: { 'if-match': tag } });
    expect(refusal(await removeWith(seen))).toEqual([412, 'precondition_failed']);
    const now = await fleets.api.call(CHANGES[update][0], { path: made });
    expect(now.status).toBe(200);
    expect((await removeWith(now.headers['etag'] ?? '')).status).toBe(204);
    expect((await removeWith('*')).status).toBe(404);
  });
});

test('an upload of prices takes no tag but *, since their list has none', async () => {
  const upload = (tag: string): Promise<Answer> =>
    fleets.api.call('uploadDayAheadPrices', { body: { data: [] }, headers: { 'if-match': tag } });
  expect(refusal(await upload('"any"'))).toEqual([412, 'precondition_failed']);
  expect((await upload('*')).status).toBe(200);
});

test.each([
  ['startElectricVehicleBoost', 'endElectricVehicleBoost'],
  ['startHeatPumpBoost', 'endHeatPumpBoost'],
  ['startInverterBoost', 'endInverterBoost'],
] as const)('the end of what %s began takes no tag but *, since a boost has none', async (start, end) => {
  const { clock } = fleets.api;
  const body = { ends_at: new Date(clock.now().getTime() + 3_600_000).toISOString() };
  const first = await fleets.api.call(start, { path, body });
  expect(first.status).toBe(200);
  const endWith = (tag: string): Promise<Answer> =>
    fleets.api.call(end, { path, headers: { 'if-match': tag } });
  expect(refusal(await endWith('"any"'))).toEqual([412, 'precondition_failed']);
  expect((await fleets.api.call(start, { path, body })).body).toEqual(first.body);
  expect((await endWith('*')).status).toBe(204);
});

test('every change of what is there says which If-Match it takes', () => {
  const changes = ROUTES.filter(({ method }) => ['put', 'patch', 'delete'].includes(method));
  const silent = changes.filter(({ headers }) => !headers.includes('If-Match'));
  expect(silent.map(({ operationId }) => operationId)).toEqual([]);
});

test('the document can be read and asked for its methods, and nothing else', async () => {
  const answer = await fleets.api.fetch('put', '/api/partners/v2.0/openapi.json');
  expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

test.each(['json', 'yaml'])('the document as %s has an entity tag', async (extension) => {
  const url = `/api/partners/v2.0/openapi.${extension}`;
  const { headers } = await fleets.api.fetch('get', url);
  const again = await fleets.api.fetch('get', url, { 'if-none-match': headers['etag'] ?? '' });
  expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', headers['etag']]);
});
