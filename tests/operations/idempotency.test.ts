import { createHash, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ROUTES } from '../../generated/routes.ts';
import type { SecuredOperationId } from '../../generated/routes.ts';
import { changeQuotas } from '../../src/accounts/quotas.ts';
import type { OperationReply } from '../../src/contract/handlers.ts';
import { insertOrganization } from '../../src/queries/accounts/organizations.ts';
import { removeExpiredData } from '../../src/maintenance/sweeper.ts';
import type { Context } from '../../src/operations/context.ts';
import { IdempotentAnswers } from '../../src/operations/idempotency.ts';
import { tryLockKey } from '../../src/queries/accounts/idempotency-keys.ts';
import { unknownObjects } from '../contract/operation-calls.ts';
import { addPerson, startApi } from '../support/api.ts';
import type { Api, Person } from '../support/api.ts';
import type { Answer, Call } from '../support/api-client.ts';
import { refusal } from './refusal.ts';

const DAY = 86_400_000;
let api: Api;
let start: Date;

beforeAll(async () => {
  api = await startApi();
  start = api.clock.now();
});
afterAll(() => api.close());
beforeEach(() => api.clock.set(start));
afterEach(async () => {
  await api.db.deleteFrom('idempotency_keys').execute();
});

const keyed = (key: string, call: Call = {}): Call => ({
  ...call,
  headers: { ...call.headers, 'idempotency-key': key },
});
const newUser = () => ({ email: `${randomUUID()}@example.com`, role: 'user' });
const create = (key: string, body: object, more: Call = {}): Promise<Answer> =>
  api.call('createUser', keyed(key, { ...more, body }));
const countUsers = async (email: string): Promise<number> =>
  (await api.db.selectFrom('users').select('id').where('email', '=', email).execute()).length;
const isReplayed = ({ headers }: Answer): boolean => headers['idempotent-replayed'] === 'true';

/** What problems alone have. */
const requestIdOf = ({ body }: Answer) =>
  body.request_id === undefined ? {} : { request_id: body.request_id as string };

/** Bodies that the document takes, of operations that need one. */
const BODIES: Partial<Record<SecuredOperationId, () => object>> = {
  createUser: newUser,
  startElectricVehicleBoost: () => ({ ends_at: '2026-06-15T14:00:00Z' }),
  startHeatPumpBoost: () => ({ ends_at: '2026-06-15T14:00:00Z' }),
  startInverterBoost: () => ({ ends_at: '2026-06-15T14:00:00Z' }),
  triggerDeviceEvent: () => ({ code: 'device_offline' }),
  testWebhook: () => ({ topic: 'device.information' }),
  broadcastInformation: () => ({ message: randomUUID() }),
};
const KEYED = ROUTES.flatMap((route) =>
  route.access === 'token' && route.headers.includes('Idempotency-Key') ? [route] : [],
);

/** Holds a key of a person as a request does that runs; `work` is done meanwhile. */
async function whileRunning(person: Person, key: string, work: () => Promise<void>): Promise<void> {
  const key_hash = createHash('sha256').update(key).digest();
  await api.db.transaction().execute(async (tx) => {
    expect(await tryLockKey(tx, { org_id: person.orgId, user_id: person.id, key_hash })).toBe(true);
    await work();
  });
}

describe('every operation that takes a key', () => {
  test('is a POST without a request_id, whose answer shows no secret for once', () => {
    expect(KEYED.map(({ operationId }) => operationId).sort()).toEqual([
      'broadcastInformation',
      'cancelFleet',
      'cleanupFleet',
      'createUser',
      'purgeFleet',
      'redeliver',
      'resolveNotificationItem',
      'startElectricVehicleBoost',
      'startHeatPumpBoost',
      'startInverterBoost',
      'stopFleet',
      'testWebhook',
      'triggerDeviceEvent',
    ]);
  });

  test.each(KEYED.map((route) => [route.operationId, route] as const))(
    '%s repeats its answer, and refuses the key while it runs and for another request',
    async (id, route) => {
      const query = id === 'resolveNotificationItem' ? { secret: 'x'.repeat(40) } : {};
      const call = { path: unknownObjects(route), query, body: BODIES[id]?.() };
      await whileRunning(api.own.admin, 'a key', async () => {
        const answer = await api.call(id, keyed('"a key"', call));
        expect(refusal(answer)).toEqual([409, 'idempotency_key_in_use']);
        expect(answer.headers['retry-after']).toBe('1');
      });
      const first = await api.call(id, keyed('"a key"', call));
      expect([id === 'createUser' || id === 'broadcastInformation' ? 201 : 404, false]).toEqual([
        first.status,
        isReplayed(first),
      ]);
      const repeat = await api.call(id, keyed('"a key"', call));
      expect(repeat.body).toEqual({ ...first.body, ...requestIdOf(repeat) });
      expect([repeat.status, isReplayed(repeat)]).toEqual([first.status, true]);
      const other = {
        ...call,
        path: { ...unknownObjects(route), org_id: api.own.orgId },
        body: BODIES[id]?.(),
      };
      expect(refusal(await api.call(id, keyed('"a key"', other)))).toEqual([422, 'idempotency_key_reused']);
    },
  );

  test.each(
    KEYED.filter((route) => !(route.operationId in BODIES)).map(
      (route) => [route.operationId, route] as const,
    ),
  )('%s takes no body and an empty one for the same request', async (id, route) => {
    const query = id === 'resolveNotificationItem' ? { secret: 'x'.repeat(40) } : {};
    const call = { path: unknownObjects(route), query };
    const first = await api.call(id, keyed('"a key"', call));
    const repeat = await api.call(id, keyed('"a key"', { ...call, body: {} }));
    expect([repeat.status, isReplayed(repeat)]).toEqual([first.status, true]);
  });
});

test('of fifty equal keys at once one has an effect; each gets its answer or 409, and its repeat the answer', async () => {
  const body = newUser();
  const answers = await Promise.all(Array.from({ length: 50 }, () => create('fifty', body)));
  const done = answers.filter(({ status }) => status === 201);
  expect(done.filter((answer) => !isReplayed(answer))).toHaveLength(1);
  const busy = answers.filter(({ status }) => status !== 201);
  expect(busy.map(refusal)).toEqual(busy.map(() => [409, 'idempotency_key_in_use']));
  expect(await countUsers(body.email)).toBe(1);
  const repeats = await Promise.all(Array.from({ length: 50 }, () => create('fifty', body)));
  const texts = new Set(repeats.filter(({ status }) => status === 201).map(({ text }) => text));
  expect([...texts]).toEqual([done[0]?.text]);
  expect(await countUsers(body.email)).toBe(1);
});

test('fifty different keys at once make fifty users, and one after the other too', async () => {
  const bodies = Array.from({ length: 50 }, newUser);
  const answers = await Promise.all(bodies.map((body, index) => create(`key-${index}`, body)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(answers.map(({ body }) => body.id as string)).size).toBe(50);
});

test('a refusal of the operation is repeated with the request id of the repeat; what comes before it uses no key', async () => {
  const body = newUser();
  await api.call('createUser', { body });
  const first = await create('taken', body);
  const repeat = await create('taken', body);
  expect([refusal(first), isReplayed(first)]).toEqual([[409, 'email_taken', '/email email_taken'], false]);
  expect([refusal(repeat), isReplayed(repeat)]).toEqual([[409, 'email_taken', '/email email_taken'], true]);
  expect(repeat.body.errors).toEqual(first.body.errors);
  expect(repeat.body.request_id).toBe(repeat.headers['x-request-id']);
  expect(repeat.body.request_id).not.toBe(first.body.request_id);
  expect((await create('early', { role: 'user' })).status).toBe(422);
  expect((await create('early', newUser(), { token: api.own.admin.readToken })).status).toBe(403);
  expect((await create('early', newUser())).status).toBe(201);
});

test('after an answer of 500 and above nothing has been done, and the key is free', async () => {
  const body = newUser();
  const failing = "create function fail() returns trigger language plpgsql as $$ begin raise 'no'; end $$";
  await api.pool.query(failing);
  await api.pool.query(
    'create trigger fail before insert on idempotency_keys for each row execute function fail()',
  );
  try {
    expect((await create('failing', body)).status).toBe(500);
    expect(await countUsers(body.email)).toBe(0);
  } finally {
    await api.pool.query('drop function fail cascade');
  }
  const answer = await create('failing', body);
  expect([answer.status, isReplayed(answer)]).toEqual([201, false]);
});

test('a key is its caller’s: others of the organization and of another partner have the same one for themselves', async () => {
  const { own, foreign } = api;
  const first = newUser();
  expect((await create('mine', first)).status).toBe(201);
  await whileRunning(own.admin, 'mine', async () => {
    for (const { token, orgId } of [own.staff, foreign.admin]) {
      const answer = await create('mine', newUser(), { token, path: { org_id: orgId } });
      expect([answer.status, isReplayed(answer)]).toEqual([201, false]);
    }
  });
});

test('bare and quoted, a key is the same; one that is empty, too long or something else is refused', async () => {
  const body = newUser();
  expect((await create('a"b\\c', body)).status).toBe(422);
  expect((await create('"a\\"b\\\\c"', body)).status).toBe(201);
  const [long, other] = ['x'.repeat(255), newUser()];
  expect((await create(long, other)).status).toBe(201);
  expect(isReplayed(await create(`"${long}"`, other))).toBe(true);
  for (const key of ['', '""', `${long}x`, `"${long}x"`, 'a b', '"a', 'ä', '"a\\b"'])
    expect([key, (await create(key, newUser())).status]).toEqual([key, 422]);
});

test('the order of properties makes no other request; the query does', async () => {
  const { email, role } = newUser();
  const first = await create('order', { email, role });
  expect((await create('order', { role, email })).text).toBe(first.text);
});

test('a key is remembered for 24 hours, and swept then', async () => {
  const body = newUser();
  await create('day', body);
  api.clock.set(new Date(start.getTime() + DAY - 1).toISOString());
  expect(isReplayed(await create('day', body))).toBe(true);
  api.clock.set(new Date(start.getTime() + DAY).toISOString());
  expect(refusal(await create('day', body))).toEqual([409, 'email_taken', '/email email_taken']);
  const rows = () => api.db.selectFrom('idempotency_keys').select('created_at').execute();
  const days = Object.fromEntries(
    [
      'messages',
      'attempts',
      'items',
      'deleted',
      'priceRevisions',
      'tokens',
      'sessions',
      'signups',
      'requests',
    ].map((name) => [name, 1_000]),
  ) as unknown as Parameters<typeof removeExpiredData>[0]['days'];
  const sweep = (now: Date) =>
    removeExpiredData({ db: api.db, clock: () => now, days, rateLimitWindowMs: DAY }, () => false);
  await sweep(new Date(start.getTime() + 2 * DAY - 1));
  expect(await rows()).toHaveLength(1);
  await sweep(new Date(start.getTime() + 2 * DAY));
  expect(await rows()).toEqual([]);
});

test('beyond its quota of keys a partner is refused, but not what it has asked before, nor another partner', async () => {
  // A partner of its own: for ten seconds a process goes by what it has counted of one.
  const orgId = randomUUID();
  await insertOrganization(api.db, {
    id: orgId,
    name: 'Full',
    kind: 'partner',
    parentOrgId: null,
    createdAt: start,
  });
  const { token } = await addPerson(api.db, orgId, 'admin', start);
  await changeQuotas(api.db, orgId, new Map([['idempotency_keys', 3]]));
  const bodies = Array.from({ length: 5 }, newUser);
  const mine = { token, path: { org_id: orgId } };
  const answers: Answer[] = [];
  for (const [index, body] of bodies.entries()) answers.push(await create(`quota-${index}`, body, mine));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 422, 422]);
  const detail = expect.stringContaining('The quota "idempotency_keys" is 3 keys') as unknown;
  expect(answers[3]?.body).toMatchObject({ code: 'quota_reached', detail });
  expect(await countUsers(bodies[3]?.email ?? '')).toBe(0);
  expect(isReplayed(await create('quota-0', bodies[0] ?? {}, mine))).toBe(true);
  expect((await create('quota-9', newUser())).status).toBe(201);
  expect((await api.call('createUser', { ...mine, body: bodies[3] })).status).toBe(201);
});

test('a test message that could not be sent leaves its key and its place in the quota', async () => {
  const { orgId: partnerId, admin } = api.own;
  const actor = { partnerId, userId: admin.id };
  const quotas = { idempotency_keys: 1 };
  const context = { ...api.services, db: api.db, actor, quotas, now: start } as unknown as Context;
  let nowMs = 0;
  const answers = new IdempotentAnswers(() => nowMs);
  const fail = (): Promise<never> => Promise.reject(new Error('No room.'));
  const send = (key: string, run: () => Promise<OperationReply>): Promise<OperationReply> =>
    answers.answer(context, { operation: 'testWebhook', key, path: {}, query: {}, body: {} }, run);
  for (const key of ['lost', 'lost', 'lost too']) await expect(send(key, fail)).rejects.toThrow('No room.');
  // Meanwhile the keys are counted anew, this one among them.
  const counting = send('late', async () => {
    nowMs += 10_000;
    await expect(send('beside it', fail)).rejects.toMatchObject({ code: 'quota_reached' });
    return fail();
  });
  await expect(counting).rejects.toThrow('No room.');
  expect(await send('sent', () => Promise.resolve({ status: 200, body: {} }))).toMatchObject({ status: 200 });
  await expect(send('more', fail)).rejects.toMatchObject({ code: 'quota_reached' });
});
