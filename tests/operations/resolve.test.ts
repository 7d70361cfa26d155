import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import request from 'supertest';
import { signLink } from '../../src/domain/security/signed-links.ts';
import type { Answer } from '../support/api-client.ts';
import {
  HOUR,
  isActive,
  isPending,
  addActionItem,
  refusal,
  resolve,
  resolutionFixture,
  RETURN_URLS,
} from '../support/resolution-fixture.ts';
import { addFleet, addUser } from '../support/fleet-records.ts';

const fixture = resolutionFixture();

describe('a notice', () => {
  test('is dismissed by the call alone; again is a no-op', async () => {
    const item = await addActionItem(fixture.api, 'device_offline', fixture.owner);
    for (const body of [undefined, {}]) {
      const answer = await resolve(fixture.api, item, body === undefined ? {} : { body });
      expect([answer.status, answer.body]).toEqual([200, {}]);
      fixture.api.clock.advance(1000);
    }
    const row = await fixture.api.db
      .selectFrom('notification_items')
      .select(['dismissed_at', 'cleared_at'])
      .where('id', '=', item.id)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ dismissed_at: fixture.start, cleared_at: null });
  });

  test.each([
    ['device_offline', true],
    ['steering_recovery_failed', false],
    ['subscription_required', false],
  ] as const)('of %s, once dismissed, leaves the condition active: %s', async (code, active) => {
    const item = await addActionItem(fixture.api, code, fixture.owner);
    await resolve(fixture.api, item);
    expect(await isActive(fixture.api, item, code)).toBe(active);
  });

  test('dismissed late does not end a newer condition', async () => {
    const item = await addActionItem(fixture.api, 'subscription_required', fixture.owner);
    await fixture.api.db
      .updateTable('notification_items')
      .set({ cleared_at: fixture.start })
      .where('id', '=', item.id)
      .execute();
    expect((await resolve(fixture.api, item)).status).toBe(200);
    expect(await isActive(fixture.api, item, 'subscription_required')).toBe(true);
  });
});

describe('the link', () => {
  test('works for one hour after the answer that carried it, and not a millisecond longer', async () => {
    const item = await addActionItem(fixture.api, 'device_offline', fixture.owner);
    fixture.api.clock.advance(HOUR + 1);
    expect(refusal(await resolve(fixture.api, item))).toEqual([403, 'link_expired']);
    expect(await isPending(fixture.api, item)).toBe(true);
    fixture.api.clock.advance(-1);
    expect((await resolve(fixture.api, item)).status).toBe(200);
  });

  test('is refused when it was made for another item, owner or purpose, or was altered', async () => {
    const [item, other] = [
      await addActionItem(fixture.api, 'device_offline', fixture.owner),
      await addActionItem(fixture.api, 'reauthenticate', fixture.owner),
    ];
    const sign = (itemId: string, ownerId: string, purpose: 'resolve' | 'consent' = 'resolve') =>
      signLink(fixture.api.services.linkKey, { purpose, itemId, ownerId }, fixture.start);
    const [expiry = '', signature = ''] = item.secret.split('.');
    const later = (Number.parseInt(expiry, 36) + HOUR).toString(36);
    const secrets = [
      other.secret,
      sign(item.id, fixture.api.own.admin.id),
      sign(item.id, fixture.owner.id, 'consent'),
      `${later}.${signature}`,
      `${item.secret}x`,
      `${item.secret}~${fixture.owner.id}`,
      `${expiry}.${signature}.${signature}`,
      'nonsense',
      '~',
    ];
    for (const secret of secrets) {
      expect([secret, ...refusal(await resolve(fixture.api, item, { secret }))]).toEqual([
        secret,
        403,
        'link_invalid',
      ]);
    }
    expect((await resolve(fixture.api, item, { secret: sign(item.id, fixture.owner.id) })).status).toBe(200);
  });

  test('is required', async () => {
    const item = await addActionItem(fixture.api, 'device_offline', fixture.owner);
    const answer = await fixture.api.call('resolveNotificationItem', { path: { item_id: item.id } });
    expect([answer.status, answer.body.errors]).toMatchObject([
      422,
      [{ parameter: 'secret', code: 'required' }],
    ]);
  });
});

describe('who may resolve', () => {
  test('the owner and the admins; nobody else finds the item', async () => {
    const item = await addActionItem(fixture.api, 'device_offline', fixture.owner);
    const { staff, user, admin } = fixture.api.own;
    for (const { token } of [staff, user, fixture.api.foreign.admin]) {
      expect(refusal(await resolve(fixture.api, item, { token }))).toEqual([404, 'not_found']);
      expect(refusal(await resolve(fixture.api, item, { token, secret: 'bad', body: { x: 1 } }))).toEqual([
        404,
        'not_found',
      ]);
    }
    expect(refusal(await resolve(fixture.api, item, { token: null }))).toEqual([401, 'unauthenticated']);
    expect(refusal(await resolve(fixture.api, item, { token: fixture.owner.readToken }))).toEqual([
      403,
      'insufficient_scope',
    ]);
    expect(await isPending(fixture.api, item)).toBe(true);
    expect((await resolve(fixture.api, item, { token: fixture.owner.token })).status).toBe(200);
    expect((await resolve(fixture.api, item, { token: admin.token })).status).toBe(200);
  });

  test('of a simulation organization, the admin of the partner', async () => {
    const fleet = await addFleet(fixture.api.db, fixture.api.own.orgId, fixture.start);
    const item = await addActionItem(fixture.api, 'device_offline', {
      id: await addUser(fixture.api.db, fleet.orgId, fixture.start),
      orgId: fleet.orgId,
    });
    for (const token of [fixture.api.own.staff.token, fixture.api.foreign.admin.token]) {
      expect(refusal(await resolve(fixture.api, item, { token }))).toEqual([404, 'not_found']);
    }
    expect((await resolve(fixture.api, item)).status).toBe(200);
  });

  test('an item that is unknown or whose owner was deleted is not found', async () => {
    const item = await addActionItem(fixture.api, 'device_offline', fixture.owner);
    expect((await resolve(fixture.api, { ...item, id: randomUUID() })).status).toBe(404);
    await fixture.api.db
      .updateTable('users')
      .set({ deleted_at: fixture.start })
      .where('id', '=', fixture.owner.id)
      .execute();
    expect((await resolve(fixture.api, item)).status).toBe(404);
  });
});

describe('a lost session', () => {
  const faults = (answer: Answer): unknown[] =>
    answer.body.errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]);

  test('needs both return addresses', async () => {
    const item = await addActionItem(fixture.api, 'reauthenticate', fixture.owner);
    const both = [
      ['/success_url', 'required'],
      ['/cancel_url', 'required'],
    ];
    // Past the contract validator: for the document, which knows no item, the fields are optional.
    const send = async (body: object | undefined): Promise<unknown[]> => {
      const answer = await request(fixture.api.server)
        .post(`/api/partners/v2.0/notifications/items/${item.id}/resolve`)
        .query({ secret: item.secret })
        .set('authorization', `Bearer ${fixture.api.own.admin.token}`)
        .send(body);
      return [answer.status, faults(answer)];
    };
    expect(await send(undefined)).toEqual([422, both]);
    expect(await send({})).toEqual([422, both]);
    expect(await send({ success_url: RETURN_URLS.success_url })).toEqual([422, [both[1]]]);
    expect(await send({ cancel_url: RETURN_URLS.cancel_url })).toEqual([422, [both[0]]]);
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
    const item = await addActionItem(fixture.api, 'reauthenticate', fixture.owner);
    const answer = await resolve(fixture.api, item, { body: { success_url: address, cancel_url: address } });
    expect([answer.status, faults(answer)]).toEqual([
      422,
      [
        ['/success_url', code],
        ['/cancel_url', code],
      ],
    ]);
    expect(await isPending(fixture.api, item)).toBe(true);
  });

  test('leads to the consent page and stays until consent is given', async () => {
    const item = await addActionItem(fixture.api, 'reauthenticate', fixture.owner);
    const answer = await resolve(fixture.api, item, { body: RETURN_URLS });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body)).toEqual(['redirect_url']);
    expect(answer.body.redirect_url).toMatch(
      new RegExp(`^${fixture.api.baseUrl}/portal/consent/${item.id}\\?secret=`),
    );
    expect(await isPending(fixture.api, item)).toBe(true);
  });
});
