import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountVerifier } from '../support/verifier.ts';
import { findApplicationByClientId } from '../../src/accounts/applications.ts';
import { insertSignupRequest } from '../../src/queries/accounts/signup-requests.ts';
import { elementText, formOf } from './visitor.ts';
import type { Visitor } from './visitor.ts';
import { startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';

let site: PortalSite;
let orgId: string;
let admin: Person;
beforeAll(async () => {
  site = await startPortal();
  orgId = await site.addOrganization();
  admin = await site.addPerson(orgId, 'admin');
});
afterAll(() => site.close());

async function registered(browser: Visitor, name: string): Promise<string> {
  const page = await browser.submit('/oauth2/applications/register/', { name });
  const application = await findApplicationByClientId(site.db, elementText(page.text, 'client_id') ?? '');
  if (application === undefined) throw new Error('Nothing was registered.');
  return application.id;
}

test('admins see every application of the organization, staff only their own, strangers none', async () => {
  const adminBrowser = await site.signedIn(admin);
  const staffBrowser = await site.signedIn(await site.addPerson(orgId, 'staff'));
  const stranger = await site.signedIn(await site.addPerson(await site.addOrganization(), 'admin'));
  const ofAdmin = await registered(adminBrowser, 'Of the admin');
  const ofStaff = await registered(staffBrowser, 'Of the staff');
  const names = async (browser: Visitor) =>
    (await browser.get('/oauth2/applications/')).text.match(/(?<=>)Of the (?:admin|staff)(?=<)/g) ?? [];
  expect(await names(adminBrowser)).toEqual(['Of the staff', 'Of the admin']);
  expect(await names(staffBrowser)).toEqual(['Of the staff']);
  expect(await names(stranger)).toEqual([]);

  const status = async (browser: Visitor, id: string) => {
    const token =
      formOf((await browser.get('/accounts/logout/')).text, '/accounts/logout/')['csrf_token'] ?? '';
    const paths = ['', 'update/', 'delete/', 'secret/'].map((page) => `/oauth2/applications/${id}/${page}`);
    const gets = await Promise.all(paths.map((path) => browser.get(path)));
    const posts = await Promise.all(
      paths.slice(1).map((path) => browser.post(path, { csrf_token: token, name: 'Stolen' })),
    );
    return [...new Set([...gets, ...posts].map((answer) => answer.status))];
  };
  for (const [browser, id] of [
    [staffBrowser, ofAdmin],
    [stranger, ofAdmin],
    [stranger, ofStaff],
    [adminBrowser, randomUUID()],
    [adminBrowser, 'not-an-id'],
  ] as const)
    expect(await status(browser, id)).toEqual([404]);
  expect((await adminBrowser.get(`/oauth2/applications/${ofStaff}/`)).status).toBe(200);
  expect(await names(adminBrowser)).toEqual(['Of the staff', 'Of the admin']);
});

test('a user signs in to change the password and sees no management page', async () => {
  const browser = await site.signedIn(await site.addPerson(orgId, 'user'));
  expect((await browser.get('/accounts/password_change/')).status).toBe(200);
  for (const path of [
    '/oauth2/applications/',
    '/oauth2/applications/register/',
    '/portal/users/',
    '/portal/x',
  ])
    expect([path, (await browser.get(path)).status]).toEqual([path, 403]);
  const token =
    formOf((await browser.get('/accounts/logout/')).text, '/accounts/logout/')['csrf_token'] ?? '';
  const posted = await browser.post('/oauth2/applications/register/', { csrf_token: token, name: 'Mine' });
  expect(posted.status).toBe(403);
});

test('staff see end users and themselves, and may do nothing to anybody else', async () => {
  const person = await site.addPerson(orgId, 'staff');
  const endUser = await site.addPerson(orgId, 'user');
  const staff = await site.signedIn(person);
  const list = (await staff.get('/portal/users/')).text;
  const isListed = [person, endUser, admin].map(({ username }) => list.includes(username));
  expect(isListed).toEqual([true, true, false]);
  const pages = ['', 'update/', 'delete/'];
  const statusOf = async ({ userId }: Person) =>
    Promise.all(pages.map(async (page) => (await staff.get(`/portal/users/${userId}/${page}`)).status));
  expect([await statusOf(endUser), await statusOf(admin)]).toEqual([
    [200, 200, 200],
    [404, 404, 404],
  ]);
  for (const { userId } of [endUser, admin])
    expect((await staff.get(`/portal/users/${userId}/initial-password/`)).status).toBe(403);
});

test('no page shows sign-up requests, whose invite tokens are for the operator alone', async () => {
  const inviteToken = randomUUID();
  const request = { email: 'new@example.com', url: 'https://example.com/', inviteToken };
  await insertSignupRequest(site.db, request, new Date());
  const browser = await site.signedIn(admin);
  const page = await browser.get('/portal/signup-requests/');
  expect([page.status, page.text.includes(inviteToken)]).toEqual([404, false]);
  expect((await browser.get('/portal/users/')).text).not.toContain('signup-requests');
});

test('an admin issues an initial password, shown once, that ends the sessions of the person', async () => {
  const person = await site.addPerson(orgId, 'user');
  const theirs = await site.signedIn(person);
  const browser = await site.signedIn(admin);
  const path = `/portal/users/${person.userId}/initial-password/`;
  const form = formOf((await browser.get(path)).text, path);
  const issued = await browser.post(path, form);
  expect([issued.status, issued.headers['cache-control']]).toEqual([200, 'no-store']);
  expect(elementText(issued.text, 'username')).toBe(person.username);
  const password = elementText(issued.text, 'initial_password') ?? '';
  expect(await accountVerifier(site.db)(person.username, password)).toMatchObject({
    passwordChangeRequired: true,
  });
  expect((await theirs.get('/accounts/password_change/')).headers['location']).toMatch(/^\/accounts\/login/);
  expect((await browser.post(path, form)).headers['location']).toBe('/portal/users/?notice=password_stale');
  expect(await accountVerifier(site.db)(person.username, password)).toBeDefined();
  expect(site.logged.join('\n')).not.toContain(password);
});

test('no initial password for a user of another organization, nor for oneself', async () => {
  const stranger = await site.addPerson(await site.addOrganization(), 'user');
  const browser = await site.signedIn(admin);
  const token =
    formOf((await browser.get('/accounts/logout/')).text, '/accounts/logout/')['csrf_token'] ?? '';
  for (const { userId } of [stranger, admin]) {
    const path = `/portal/users/${userId}/initial-password/`;
    expect((await browser.get(path)).status).toBe(404);
    expect((await browser.post(path, { csrf_token: token })).status).toBe(404);
  }
});

test('the list of users goes on page by page, by email', async () => {
  const crowd = await site.addOrganization();
  const leader = await site.addPerson(crowd, 'admin');
  const now = new Date();
  await site.db
    .insertInto('users')
    .values(
      Array.from({ length: 60 }, (_, index) => ({
        org_id: crowd,
        id: randomUUID(),
        email: `${index % 2 === 0 ? 'Crowd' : 'crowd'}-${String(index).padStart(2, '0')}@example.com`,
        role: 'user' as const,
        created_at: now,
        updated_at: now,
      })),
    )
    .execute();
  const browser = await site.signedIn(leader);
  const first = await browser.get('/portal/users/?q=crowd-');
  const more = /rel="next" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const second = await browser.get(more);
  const emails = [first, second].map((page) => page.text.match(/>crowd-\d\d/gi)?.length);
  expect(emails).toEqual([50, 10]);
  expect(second.text).not.toContain('rel="next"');
});
