// The token of the page that tries the API out: whose it is, how long it lasts, and what ends it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MINUTE_MS } from '../../src/domain/api/durations.ts';
import { readOrganizationId, sha256Digest } from '../../src/domain/security/credentials.ts';
import { findActiveToken } from '../../src/queries/accounts/access-tokens.ts';
import { issueInitialPassword } from '../../src/accounts/passwords.ts';
import { ownPassword, startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';
import { formOf } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const PAGE = '/portal/explorer/';
const TOKEN = '/portal/explorer/token/';

let site: PortalSite;
beforeAll(async () => {
  site = await startPortal();
});
afterAll(() => site.close());

async function open(role: 'admin' | 'staff' = 'admin'): Promise<{ person: Person; browser: Visitor }> {
  const person = await site.addPerson(await site.addOrganization(), role);
  return { person, browser: await site.signedIn(person) };
}

interface Issued {
  readonly access_token: string;
  readonly expires_at: string;
}

async function issue(browser: Visitor): Promise<Issued> {
  const answer = await browser.submit(PAGE, {}, TOKEN);
  expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
  return answer.body as Issued;
}

const find = (token: string) =>
  findActiveToken(site.db, { orgId: readOrganizationId(token) ?? '', tokenHash: sha256Digest(token) });

test.each(['admin', 'staff'] as const)(
  'a token acts as the person, who is %s, for 15 minutes',
  async (role) => {
    const { person, browser } = await open(role);
    const { access_token: token, expires_at: expiresAt } = await issue(browser);
    expect(await find(token)).toEqual({
      orgId: person.orgId,
      partnerId: person.orgId,
      userId: person.userId,
      applicationId: null,
      applicationOwnerId: null,
      role,
      scope: 'read write',
      expiresAt: new Date(expiresAt),
      isSuspended: false,
    });
    const stored = await site.db
      .selectFrom('access_tokens')
      .select(['created_at', 'expires_at'])
      .where('user_id', '=', person.userId)
      .execute();
    expect(stored.map(({ created_at: from, expires_at: to }) => to.getTime() - from.getTime())).toEqual([
      15 * MINUTE_MS,
    ]);
    expect(site.logged.join('\n')).not.toContain(token);
  },
);

test('it ends with the session: by logging out, and by a new password', async () => {
  const { person, browser } = await open();
  const endings: readonly (() => Promise<unknown>)[] = [
    () => browser.submit(PAGE, {}, '/accounts/logout/'),
    () => issueInitialPassword(site.db, { orgId: person.orgId, email: person.username }, new Date()),
  ];
  for (const end of endings) {
    const { access_token: token } = await issue(browser);
    expect(await find(token)).toBeDefined();
    await end();
    expect(await find(token)).toBeUndefined();
    if (end === endings[0]) await browser.login(person.username, ownPassword);
  }
  expect(site.forgotten).toContain(person.userId);
});

test('a token expires no later than its session', async () => {
  const { person, browser } = await open();
  const endsAt = new Date(Date.now() + 5 * MINUTE_MS);
  // The session was used a moment ago, and its seven days are nearly over.
  await site.db
    .updateTable('portal_sessions')
    .set({ created_at: new Date(endsAt.getTime() - 7 * 24 * 60 * MINUTE_MS), expires_at: endsAt })
    .where('user_id', '=', person.userId)
    .execute();
  expect((await issue(browser)).expires_at).toBe(endsAt.toISOString());
});

test('of a session four tokens work at most', async () => {
  const { browser } = await open();
  const tokens: string[] = [];
  for (let i = 0; i < 6; i++) tokens.push((await issue(browser)).access_token);
  const found = await Promise.all(tokens.map(async (token) => (await find(token)) !== undefined));
  expect(found).toEqual([false, false, true, true, true, true]);
});

test('no token without a form of the session, nor in a page', async () => {
  const { person, browser } = await open();
  const page = await browser.get(PAGE);
  expect(page.text).not.toContain('pat_');
  const { csrf_token: token = '' } = formOf(page.text, TOKEN);
  const stranger = await open();
  for (const [visitor, fields] of [
    [browser, {}],
    [stranger.browser, { csrf_token: token }],
  ] as const)
    expect((await visitor.post(TOKEN, fields)).status).toBe(403);
  expect((await site.visitor().post(TOKEN, { csrf_token: token })).status).toBe(303);
  expect((await browser.get(TOKEN)).headers['location']).toBe(PAGE);
  const stored = await site.db
    .selectFrom('access_tokens')
    .select('user_id')
    .where('user_id', '=', person.userId)
    .execute();
  expect(stored).toEqual([]);
});
