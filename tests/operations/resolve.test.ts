import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import request from 'supertest';
import { signLink } from '../../src/domain/security/signed-links.ts';
import type { Answer } from '../support/api-client.ts';
import {
  HOUR,
  isActive,
  isPending,
  itemOf,
  refusal,
  resolve,
  resolvingStage,
  returns,
} from '../support/resolving.ts';
import { addFleet, addUser } from '../support/simulated.ts';

const on = resolvingStage();

describe('a notice', () => {
  test('is dismissed by the call alone; again is a no-op', async () => {
    const item = await itemOf(on.api, 'device_offline', on.owner);
    for (const body of [undefined, {}]) {
      const answer = await resolve(on.api, item, body === undefined ? {} : { body });
      expect([answer.status, answer.body]).toEqual([200, {}]);
      on.api.clock.advance(1000);
    }
    const row = await on.api.db
      .selectFrom('notification_items')
      .select(['dismissed_at', 'cleared_at'])
      .where('id', '=', item.id)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ dismissed_at: on.start, cleared_at: null });
  });

  test.each([
    ['device_offline', true],
    ['steering_recovery_failed', false],
    ['subscription_required', false],
  ] as const)('of %s, once dismissed, leaves the condition active: %s', async (code, active) => {
    const item = await itemOf(on.api, code, on.owner);
    await resolve(on.api, item);
    expect(await isActive(on.api, item, code)).toBe(active);
  });

  test('dismissed late does not end a newer condition', async () => {
    const item = await itemOf(on.api, 'subscription_required', on.owner);
    await on.api.db
      .updateTable('notification_items')
      .set({ cleared_at: on.start })
      .where('id', '=', item.id)
      .execute();
    expect((await resolve(on.api, item)).status).toBe(200);
    expect(await isActive(on.api, item, 'subscription_required')).toBe(true);
  });
});

describe('the link', () => {
  test('works for one hour after the answer that carried it, and not a millisecond longer', async () => {
    const item = await itemOf(on.api, 'device_offline', on.owner);
    on.api.clock.advance(HOUR + 1);
    expect(refusal(await resolve(on.api, item))).toEqual([403, 'link_expired']);
    expect(await isPending(on.api, item)).toBe(true);
    on.api.clock.advance(-1);
    expect((await resolve(on.api, item)).status).toBe(200);
  });

  test('is refused when it was made for another item, owner or purpose, or was altered', async () => {
    const [item, other] = [
      await itemOf(on.api, 'device_offline', on.owner),
      await itemOf(on.api, 'reauthenticate', on.owner),
    ];
    const sign = (itemId: string, ownerId: string, purpose: 'resolve' | 'consent' = 'resolve') =>
      signLink(on.api.services.linkKey, { purpose, itemId, ownerId }, on.start);
    const [expiry = '', signature = ''] = item.secret.split('.');
    const later = (Number.parseInt(expiry, 36) + HOUR).toString(36);
    const secrets = [
      other.secret,
      sign(item.id, on.api.own.admin.id),
      sign(item.id, on.owner.id, 'consent'),
      `${later}.${signature}`,
      `${item.secret}x`,
      `${item.secret}~${on.owner.id}`,
      `${expiry}.${signature}.${signature}`,
      'nonsense',
      '~',
    ];
    for (const secret of secrets) {
      expect([secret, ...refusal(await resolve(on.api, item, { secret }))]).toEqual([
        secret,
        403,
        'link_invalid',
      ]);
    }
    expect((await resolve(on.api, item, { secret: sign(item.id, on.owner.id) })).status).toBe(200);
  });

  test('is required', async () => {
    const item = await itemOf(on.api, 'device_offline', on.owner);
    const answer = await on.api.call('resolveNotificationItem', { path: { item_id: item.id } });
    expect([answer.status, answer.body.errors]).toMatchObject([
      422,
      [{ parameter: 'secret', code: 'required' }],
    ]);
  });
});

describe('who may resolve', () => {
  test('the owner and the admins; nobody else finds the item', async () => {
    const item = await itemOf(on.api, 'device_offline', on.owner);
    const { staff, user, admin } = on.api.own;
    for (const { token } of [staff, user, on.api.foreign.admin]) {
      expect(refusal(await resolve(on.api, item, { token }))).toEqual([404, 'not_found']);
      expect(refusal(await resolve(on.api, item, { token, secret: 'bad', body: { x: 1 } }))).toEqual([
        404,
        'not_found',
      ]);
    }
    expect(refusal(await resolve(on.api, item, { token: null }))).toEqual([401, 'unauthenticated']);
    expect(refusal(await resolve(on.api, item, { token: on.owner.readToken }))).toEqual([
      403,
      'insufficient_scope',
    ]);
    expect(await isPending(on.api, item)).toBe(true);
    expect((await resolve(on.api, item, { token: on.owner.token })).status).toBe(200);
    expect((await resolve(on.api, item, { token: admin.token })).status).toBe(200);
  });

  test('of a simulation organization, the admin of the partner', async () => {
    const fleet = await addFleet(on.api.db, on.api.own.orgId, on.start);
    const item = await itemOf(on.api, 'device_offline', {
      id: await addUser(on.api.db, fleet.orgId, on.start),
      orgId: fleet.orgId,
    });
    for (const token of [on.api.own.staff.token, on.api.foreign.admin.token]) {
      expect(refusal(await resolve(on.api, item, { token }))).toEqual([404, 'not_found']);
    }
    expect((await resolve(on.api, item)).status).toBe(200);
  });

  test('an item that is unknown or whose owner was deleted is not found', async () => {
    const item = await itemOf(on.api, 'device_offline', on.owner);
    expect((await resolve(on.api, { ...item, id: randomUUID() })).status).toBe(404);
    await on.api.db
      .updateTable('users')
      .set({ deleted_at: on.start })
      .where('id', '=', on.owner.id)
      .execute();
    expect((await resolve(on.api, item)).status).toBe(404);
  });
});

describe('a lost session', () => {
  const faults = (answer: Answer): unknown[] =>
    answer.body.errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]);

  test('needs both return addresses', async () => {
    const item = await itemOf(on.api, 'reauthenticate', on.owner);
    const both = [
      ['/success_url', 'required'],
      ['/cancel_url', 'required'],
    ];
    // Past the oracle: for the document, which knows no item, the fields are optional.
    const send = async (body: object | undefined): Promise<unknown[]> => {
      const answer = await request(on.api.server)
        .post(`/api/partners/v2.0/notifications/items/${item.id}/resolve`)
        .query({ secret: item.secret })
        .set('authorization', `Bearer ${on.api.own.admin.token}`)
        .send(body);
      return [answer.status, faults(answer)];
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
    const item = await itemOf(on.api, 'reauthenticate', on.owner);
    const answer = await resolve(on.api, item, { body: { success_url: address, cancel_url: address } });
    expect([answer.status, faults(answer)]).toEqual([
      422,
      [
        ['/success_url', code],
        ['/cancel_url', code],
      ],
    ]);
    expect(await isPending(on.api, item)).toBe(true);
  });

  test('leads to the consent page and stays until consent is given', async () => {
    const item = await itemOf(on.api, 'reauthenticate', on.owner);
    const answer = await resolve(on.api, item, { body: returns });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body)).toEqual(['redirect_url']);
    expect(answer.body.redirect_url).toMatch(
      new RegExp(`^${on.api.baseUrl}/portal/consent/${item.id}\\?secret=`),
    );
    expect(await isPending(on.api, item)).toBe(true);
  });
});
