import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import type { ConditionCode } from '../../src/domain/conditions.ts';
import { consentQuery } from '../../src/domain/consent-links.ts';
import { signLink } from '../../src/domain/signed-links.ts';
import { raiseCondition } from '../../src/queries/conditions.ts';
import { addPerson, startApi, type Api, type Person } from '../support/api.ts';
import type { Answer } from '../support/api-client.ts';
import { addDevice, addFleet, addUser } from '../support/simulated.ts';

const HOUR = 3_600_000;
const returns = {
  success_url: 'https://app.partner.example.com:8443/connected?state=a%20b&x=1#done',
  cancel_url: 'http://localhost:3000/devices',
};

let api: Api;
let start: Date;
let owner: Person;

beforeAll(async () => {
  api = await startApi();
  start = api.clock.now();
});
afterAll(() => api.close());
beforeEach(async () => {
  api.clock.set(start);
  owner = await addPerson(api.db, api.own.orgId, 'user', start);
});

interface Item {
  readonly id: string;
  readonly ownerId: string;
  readonly deviceId: string;
  readonly secret: string;
}

/** An item of a fresh device, with the secret that the owner's partner reads from the list. */
async function itemOf(
  code: ConditionCode,
  { id, orgId }: { id: string; orgId: string } = owner,
): Promise<Item> {
  const deviceId = await addDevice(api.db, { orgId, userId: id }, start, 'electric_vehicle');
  const event = { orgId, deviceId, code, now: api.clock.now() };
  await api.db.transaction().execute((tx) => raiseCondition(tx, event));
  const query = { device_id: deviceId };
  const { items } = (await api.call('listActions', { path: { org_id: orgId }, query })).body;
  const url = new URL(items[0].resolution.url as string, api.baseUrl);
  const secret = url.searchParams.get('secret') ?? '';
  expect(url.pathname).toBe(`/api/partners/v2.0/notifications/items/${items[0].id}/resolve`);
  return { id: items[0].id, ownerId: id, deviceId, secret };
}

function resolve(
  item: Item,
  call: { body?: object; token?: string | null; secret?: string } = {},
): Promise<Answer> {
  const { secret = item.secret, ...rest } = call;
  return api.call('resolveNotificationItem', { path: { item_id: item.id }, query: { secret }, ...rest });
}

const refusal = ({ status, body }: Answer): unknown[] => [status, body.code];

async function isPending(item: Item): Promise<boolean> {
  const row = await api.db
    .selectFrom('notification_items')
    .select(['cleared_at', 'dismissed_at'])
    .where('id', '=', item.id)
    .executeTakeFirstOrThrow();
  return row.cleared_at === null && row.dismissed_at === null;
}

async function isActive(item: Item, code: ConditionCode): Promise<boolean> {
  const row = await api.db
    .selectFrom('device_conditions')
    .select('active')
    .where('device_id', '=', item.deviceId)
    .where('code', '=', code)
    .executeTakeFirstOrThrow();
  return row.active;
}

describe('a notice', () => {
  test('is dismissed by the call alone; again is a no-op', async () => {
    const item = await itemOf('device_offline');
    for (const body of [undefined, {}]) {
      const answer = await resolve(item, body === undefined ? {} : { body });
      expect([answer.status, answer.body]).toEqual([200, {}]);
      api.clock.advance(1000);
    }
    const row = await api.db
      .selectFrom('notification_items')
      .select(['dismissed_at', 'cleared_at'])
      .where('id', '=', item.id)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ dismissed_at: start, cleared_at: null });
  });

  test.each([
    ['device_offline', true],
    ['steering_recovery_failed', false],
    ['subscription_required', false],
  ] as const)('of %s, once dismissed, leaves the condition active: %s', async (code, active) => {
    const item = await itemOf(code);
    await resolve(item);
    expect(await isActive(item, code)).toBe(active);
  });

  test('dismissed late does not end a newer condition', async () => {
    const item = await itemOf('subscription_required');
    await api.db
      .updateTable('notification_items')
      .set({ cleared_at: start })
      .where('id', '=', item.id)
      .execute();
    expect((await resolve(item)).status).toBe(200);
    expect(await isActive(item, 'subscription_required')).toBe(true);
  });
});

describe('the link', () => {
  test('works for one hour after the answer that carried it, and not a millisecond longer', async () => {
    const item = await itemOf('device_offline');
    api.clock.advance(HOUR + 1);
    expect(refusal(await resolve(item))).toEqual([403, 'link_expired']);
    expect(await isPending(item)).toBe(true);
    api.clock.advance(-1);
    expect((await resolve(item)).status).toBe(200);
  });

  test('is refused when it was made for another item, owner or purpose, or was altered', async () => {
    const [item, other] = [await itemOf('device_offline'), await itemOf('reauthenticate')];
    const sign = (itemId: string, ownerId: string, purpose: 'resolve' | 'consent' = 'resolve') =>
      signLink(api.services.linkKey, { purpose, itemId, ownerId }, start);
    const [expiry = '', signature = ''] = item.secret.split('.');
    const later = (Number.parseInt(expiry, 36) + HOUR).toString(36);
    const secrets = [
      other.secret,
      sign(item.id, api.own.admin.id),
      sign(item.id, owner.id, 'consent'),
      `${later}.${signature}`,
      `${item.secret}x`,
      `${item.secret}~${owner.id}`,
      `${expiry}.${signature}.${signature}`,
      'nonsense',
      '~',
    ];
    for (const secret of secrets) {
      expect([secret, ...refusal(await resolve(item, { secret }))]).toEqual([secret, 403, 'link_invalid']);
    }
    expect((await resolve(item, { secret: sign(item.id, owner.id) })).status).toBe(200);
  });

  test('is required', async () => {
    const item = await itemOf('device_offline');
    const answer = await api.call('resolveNotificationItem', { path: { item_id: item.id } });
    expect([answer.status, answer.body.errors]).toMatchObject([
      422,
      [{ parameter: 'secret', code: 'required' }],
    ]);
  });
});

describe('who may resolve', () => {
  test('the owner and the admins; nobody else finds the item', async () => {
    const item = await itemOf('device_offline');
    const { staff, user, admin } = api.own;
    for (const { token } of [staff, user, api.foreign.admin]) {
      expect(refusal(await resolve(item, { token }))).toEqual([404, 'not_found']);
      expect(refusal(await resolve(item, { token, secret: 'bad', body: { x: 1 } }))).toEqual([
        404,
        'not_found',
      ]);
    }
    expect(refusal(await resolve(item, { token: null }))).toEqual([401, 'unauthenticated']);
    expect(refusal(await resolve(item, { token: owner.readToken }))).toEqual([403, 'insufficient_scope']);
    expect(await isPending(item)).toBe(true);
    expect((await resolve(item, { token: owner.token })).status).toBe(200);
    expect((await resolve(item, { token: admin.token })).status).toBe(200);
  });

  test('of a simulation organization, the admin of the partner', async () => {
    const fleet = await addFleet(api.db, api.own.orgId, start);
    const item = await itemOf('device_offline', {
      id: await addUser(api.db, fleet.orgId, start),
      orgId: fleet.orgId,
    });
    for (const token of [api.own.staff.token, api.foreign.admin.token]) {
      expect(refusal(await resolve(item, { token }))).toEqual([404, 'not_found']);
    }
    expect((await resolve(item)).status).toBe(200);
  });

  test('an item that is unknown or whose owner was deleted is not found', async () => {
    const item = await itemOf('device_offline');
    expect((await resolve({ ...item, id: randomUUID() })).status).toBe(404);
    await api.db.updateTable('users').set({ deleted_at: start }).where('id', '=', owner.id).execute();
    expect((await resolve(item)).status).toBe(404);
  });
});

describe('a lost session', () => {
  const faults = (answer: Answer): unknown[] =>
    answer.body.errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]);

  test('needs both return addresses', async () => {
    const item = await itemOf('reauthenticate');
    const both = [
      ['/success_url', 'required'],
      ['/cancel_url', 'required'],
    ];
    // Past the oracle: for the document, which knows no item, the fields are optional.
    const send = async (body: object | undefined): Promise<unknown[]> => {
      const answer = await request(api.server)
        .post(`/api/partners/v2.0/notifications/items/${item.id}/resolve`)
        .query({ secret: item.secret })
        .set('authorization', `Bearer ${api.own.admin.token}`)
        .send(body);
      return [answer.status, faults(answer as unknown as Answer)];
    };
    expect(await send(undefined)).toEqual([422, both]);
    expect(await send({})).toEqual([422, both]);
    expect(await send({ success_url: returns.success_url })).toEqual([422, [both[1]]]);
    expect(await send({ cancel_url: returns.cancel_url })).toEqual([422, [both[0]]]);
  });

  test.each([
    ['http://app.example.com/', 'https_required'],
    ['http://127.0.0.1/', 'https_required'],
    ['http://localhost.example.com/', 'https_required'],
    ['ftp://localhost/', 'https_required'],
    ['javascript:alert(1)', 'invalid_url'],
    ['https://app.example.com/a b', 'invalid_url'],
    ['https://a;script-src.example.com/', 'invalid_url'],
    ['https://user:pass@app.example.com/', 'credentials_forbidden'],
    [`https://app.example.com/${'é'.repeat(400)}`, 'invalid_url'],
  ])('refuses %s', async (address, code) => {
    const item = await itemOf('reauthenticate');
    const answer = await resolve(item, { body: { success_url: address, cancel_url: address } });
    expect([answer.status, faults(answer)]).toEqual([
      422,
      [
        ['/success_url', code],
        ['/cancel_url', code],
      ],
    ]);
    expect(await isPending(item)).toBe(true);
  });

  test('leads to the consent page and stays until consent is given', async () => {
    const item = await itemOf('reauthenticate');
    const answer = await resolve(item, { body: returns });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body)).toEqual(['redirect_url']);
    expect(answer.body.redirect_url).toMatch(
      new RegExp(`^${api.baseUrl}/portal/consent/${item.id}\\?secret=`),
    );
    expect(await isPending(item)).toBe(true);
  });
});

describe('the consent page', () => {
  async function open(item?: Item): Promise<{ item: Item; path: string }> {
    const chosen = item ?? (await itemOf('reauthenticate'));
    const { redirect_url } = (await resolve(chosen, { body: returns })).body;
    return { item: chosen, path: (redirect_url as string).slice(api.baseUrl.length) };
  }
  const get = (path: string) => request(api.server).get(path);
  const decide = (path: string, decision: string) =>
    request(api.server).post(path).type('form').send({ decision });

  test('names device and manufacturer and has a form for either answer, without token or script', async () => {
    const { path } = await open();
    const page = await get(path);
    expect(page.status).toBe(200);
    expect(page.text).toContain('Connect Roof &amp; &lt;shed&gt; again');
    expect(page.text).toContain('Helio Works');
    expect(page.text).toContain('value="approve">Approve');
    expect(page.text).toMatch(/value="decline"[^>]*>Decline/);
    expect(page.text).not.toMatch(/<script|csrf_token/);
    expect(page.headers['cache-control']).toBe('no-store');
    expect(page.headers['referrer-policy']).toBe('no-referrer');
    expect(page.headers['content-security-policy']).toContain(
      "form-action 'self' https://app.partner.example.com:8443 http://localhost:3000;",
    );
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  });

  test('approved, brings the device back, removes the action and leads to success_url, once', async () => {
    const { item, path } = await open();
    api.clock.advance(60_000);
    const answer = await decide(path, 'approve');
    expect([answer.status, answer.headers['location']]).toEqual([303, returns.success_url]);
    expect(await isActive(item, 'reauthenticate')).toBe(false);
    const list = await api.call('listActions', { query: { device_id: item.deviceId } });
    expect(list.body.total).toBe(0);
    for (const again of [await get(path), await decide(path, 'approve'), await decide(path, 'decline')]) {
      expect([again.status, again.headers['location']]).toEqual([410, undefined]);
      expect(again.text).toContain('Nothing left to do');
    }
    expect(refusal(await resolve(item, { body: returns }))).toEqual([404, 'not_found']);
    expect(refusal(await resolve(item, { body: { x: 1 } }))).toEqual([404, 'not_found']);
  });

  test('approved ten times at once, takes one', async () => {
    const { path } = await open();
    const answers = await Promise.all(Array.from({ length: 10 }, () => decide(path, 'approve')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, ...Array<number>(9).fill(410)]);
  });

  test('approved, leaves other conditions of the device as they are', async () => {
    const { item, path } = await open();
    const event = {
      orgId: owner.orgId,
      deviceId: item.deviceId,
      code: 'device_offline' as const,
      now: start,
    };
    await api.db.transaction().execute((tx) => raiseCondition(tx, event));
    await decide(path, 'approve');
    expect(await isActive(item, 'device_offline')).toBe(true);
  });

  test('declined, leads to cancel_url, and the action stays', async () => {
    const { item, path } = await open();
    const answer = await decide(path, 'decline');
    expect([answer.status, answer.headers['location']]).toEqual([303, returns.cancel_url]);
    expect([await isPending(item), await isActive(item, 'reauthenticate')]).toEqual([true, true]);
  });

  test('without a decision changes nothing', async () => {
    const { item, path } = await open();
    for (const answer of [await decide(path, 'maybe'), await request(api.server).post(path)]) {
      expect([answer.status, answer.headers['location']]).toEqual([400, undefined]);
    }
    expect(await isPending(item)).toBe(true);
    const other = await request(api.server).put(path);
    expect([other.status, other.headers['allow']]).toEqual([405, 'GET, HEAD, POST']);
  });

  test('refuses an expired or altered link and leads nowhere from it', async () => {
    const { item, path } = await open();
    const url = new URL(path, api.baseUrl);
    const altered = (name: string, value: string | undefined): string => {
      const copy = new URL(url);
      if (value === undefined) copy.searchParams.delete(name);
      else copy.searchParams.set(name, value);
      return copy.pathname + copy.search;
    };
    const evil = Buffer.from('https://evil.example/\nhttps://evil.example/').toString('base64url');
    const anothers = consentQuery(
      api.services.linkKey,
      { itemId: item.id, ownerId: api.own.admin.id },
      { success: 'https://evil.example/', cancel: 'https://evil.example/' },
      start,
    );
    const paths = [
      altered('return', evil),
      altered('return', undefined),
      altered('secret', item.secret),
      altered('secret', undefined),
      `${path}&return=${evil}`,
      `${url.pathname}?${anothers}`,
      url.pathname,
    ];
    for (const bad of paths) {
      for (const answer of [await get(bad), await decide(bad, 'approve'), await decide(bad, 'decline')]) {
        expect([bad, answer.status, answer.headers['location']]).toEqual([bad, 403, undefined]);
        expect(answer.text).not.toContain('evil');
      }
    }
    api.clock.advance(HOUR + 1);
    for (const answer of [await get(path), await decide(path, 'approve')]) {
      expect([answer.status, answer.headers['location']]).toEqual([403, undefined]);
      expect(answer.text).toContain('older than one hour');
    }
    expect(await isPending(item)).toBe(true);
  });

  test('of an item that is unknown, no action, or of another form is not found', async () => {
    const { path } = await open();
    const notice = await itemOf('device_offline');
    const query = path.slice(path.indexOf('?'));
    for (const id of [randomUUID(), notice.id, 'x', '%00']) {
      expect([id, (await get(`/portal/consent/${id}${query}`)).status]).toEqual([id, 404]);
    }
  });
});
