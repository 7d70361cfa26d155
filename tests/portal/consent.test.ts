import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import request from 'supertest';
import { signConsentQuery } from '../../src/domain/security/consent-links.ts';
import { resumePartner, suspendPartner } from '../../src/accounts/suspension.ts';
import { createConsentRequests } from '../../src/conditions/consent-requests.ts';
import type { ConsentRequests } from '../../src/conditions/consent-requests.ts';
import { raiseCondition } from '../../src/conditions/raise-condition.ts';
import { insertOrganization } from '../../src/queries/accounts/organizations.ts';
import { addPerson } from '../support/api.ts';
import {
  HOUR,
  isActive,
  isPending,
  addActionItem,
  refusal,
  resolve,
  resolutionFixture,
  RETURN_URLS,
  type Item,
} from '../support/resolution-fixture.ts';

const fixture = resolutionFixture();

describe('the consent page', () => {
  async function open(item?: Item): Promise<{ item: Item; path: string }> {
    const chosen = item ?? (await addActionItem(fixture.api, 'reauthenticate', fixture.owner));
    const { redirect_url } = (await resolve(fixture.api, chosen, { body: RETURN_URLS })).body;
    return { item: chosen, path: (redirect_url as string).slice(fixture.api.baseUrl.length) };
  }
  const get = (path: string) => request(fixture.api.server).get(path);
  const decide = (path: string, decision: string) =>
    request(fixture.api.server).post(path).type('form').send({ decision });

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
    fixture.api.clock.advance(60_000);
    const answer = await decide(path, 'approve');
    expect([answer.status, answer.headers['location']]).toEqual([303, RETURN_URLS.success_url]);
    expect(await isActive(fixture.api, item, 'reauthenticate')).toBe(false);
    const list = await fixture.api.call('listActions', { query: { device_id: item.deviceId } });
    expect(list.body.total).toBe(0);
    for (const again of [await get(path), await decide(path, 'approve'), await decide(path, 'decline')]) {
      expect([again.status, again.headers['location']]).toEqual([410, undefined]);
      expect(again.text).toContain('Nothing left to do');
    }
    expect(refusal(await resolve(fixture.api, item, { body: RETURN_URLS }))).toEqual([404, 'not_found']);
    expect(refusal(await resolve(fixture.api, item, { body: { x: 1 } }))).toEqual([404, 'not_found']);
  });

  test('approved ten times at once, takes one', async () => {
    const { path } = await open();
    const answers = await Promise.all(Array.from({ length: 10 }, () => decide(path, 'approve')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, ...Array<number>(9).fill(410)]);
  });

  test('approved, leaves other conditions of the device as they are', async () => {
    const { item, path } = await open();
    const event = {
      orgId: fixture.owner.orgId,
      deviceId: item.deviceId,
      code: 'device_offline' as const,
      now: fixture.start,
    };
    await fixture.api.db.transaction().execute((tx) => raiseCondition(tx, event));
    await decide(path, 'approve');
    expect(await isActive(fixture.api, item, 'device_offline')).toBe(true);
  });

  test('declined, leads to cancel_url, and the action stays', async () => {
    const { item, path } = await open();
    const answer = await decide(path, 'decline');
    expect([answer.status, answer.headers['location']]).toEqual([303, RETURN_URLS.cancel_url]);
    expect([await isPending(fixture.api, item), await isActive(fixture.api, item, 'reauthenticate')]).toEqual(
      [true, true],
    );
  });

  test('without a decision changes nothing', async () => {
    const { item, path } = await open();
    for (const answer of [await decide(path, 'maybe'), await request(fixture.api.server).post(path)]) {
      expect([answer.status, answer.headers['location']]).toEqual([400, undefined]);
    }
    expect(await isPending(fixture.api, item)).toBe(true);
    const other = await request(fixture.api.server).put(path);
    expect([other.status, other.headers['allow']]).toEqual([405, 'GET, HEAD, POST']);
  });

  test('refuses an expired or altered link and leads nowhere from it', async () => {
    const { item, path } = await open();
    const url = new URL(path, fixture.api.baseUrl);
    const altered = (name: string, value: string | undefined): string => {
      const copy = new URL(url);
      if (value === undefined) copy.searchParams.delete(name);
      else copy.searchParams.set(name, value);
      return copy.pathname + copy.search;
    };
    const evil = Buffer.from('https://evil.example/\nhttps://evil.example/').toString('base64url');
    const anothers = signConsentQuery(
      fixture.api.services.linkKey,
      { orgId: fixture.owner.orgId, itemId: item.id, ownerId: fixture.api.own.admin.id },
      { success: 'https://evil.example/', cancel: 'https://evil.example/' },
      fixture.start,
    );
    const paths = [
      altered('return', evil),
      altered('return', undefined),
      altered('secret', item.secret),
      altered('secret', undefined),
      altered('org', undefined),
      altered('org', 'x'),
      `${path}&org=${fixture.owner.orgId}`,
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
    fixture.api.clock.advance(HOUR + 1);
    for (const answer of [await get(path), await decide(path, 'approve')]) {
      expect([answer.status, answer.headers['location']]).toEqual([403, undefined]);
      expect(answer.text).toContain('older than one hour');
    }
    expect(await isPending(fixture.api, item)).toBe(true);
  });

  test.each(['partner', 'simulation'] as const)(
    'of a suspended partner (%s organization) refuses to show and to decide until it is resumed',
    async (kind) => {
      const { api, start } = fixture;
      const { orgId: ownId } = api.own;
      const orgId = kind === 'partner' ? ownId : randomUUID();
      if (kind === 'simulation')
        await insertOrganization(api.db, {
          id: orgId,
          name: 'Fleet',
          kind,
          parentOrgId: ownId,
          createdAt: start,
        });
      const owner = await addPerson(api.db, orgId, 'user', start);
      const { item, path } = await open(await addActionItem(api, 'reauthenticate', owner));
      await suspendPartner(api.db, ownId, start);
      try {
        for (const answer of [
          await get(path),
          await decide(path, 'approve'),
          await decide(path, 'decline'),
        ]) {
          expect([answer.status, answer.headers['location'], answer.type]).toEqual([
            403,
            undefined,
            'text/html',
          ]);
          expect(answer.text).toContain('Organization suspended');
        }
        // Who has no valid link is not told.
        expect((await get(path.split('?')[0] ?? '')).text).not.toContain('suspended');
      } finally {
        await resumePartner(api.db, ownId);
      }
      expect(await isActive(api, item, 'reauthenticate')).toBe(true);
      expect((await get(path)).status).toBe(200);
      expect((await decide(path, 'approve')).headers['location']).toBe(RETURN_URLS.success_url);
    },
  );

  test('a link as the version before made it, without an organization, finds its item until such links have ended', async () => {
    const { api, start, owner } = fixture;
    const end = new Date(start.getTime() + HOUR);
    const { id: itemId } = await addActionItem(api, 'reauthenticate', owner);
    const find = (requests: ConsentRequests, now: Date) => requests.find({ orgId: undefined, itemId }, now);
    const older = createConsentRequests(api.db, end);
    expect(await find(older, start)).toMatchObject({ itemId, orgId: owner.orgId, ownerId: owner.id });
    expect(await find(older, end)).toBeUndefined();
    expect(await find(createConsentRequests(api.db), start)).toBeUndefined();
  });

  test('of an item that is unknown, no action, or of another form is not found', async () => {
    const { path } = await open();
    const notice = await addActionItem(fixture.api, 'device_offline', fixture.owner);
    const query = path.slice(path.indexOf('?'));
    for (const id of [randomUUID(), notice.id, 'x', '%00']) {
      expect([id, (await get(`/portal/consent/${id}${query}`)).status]).toEqual([id, 404]);
    }
  });
});
