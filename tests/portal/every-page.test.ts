// What holds of every page of the portal, those that are added later too: the routes are those that the portal has asked for.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectPages } from './page-routes.ts';
import type { PageRoute } from './page-routes.ts';
import { startPortal } from './portal-site.ts';
import type { PortalSite } from './portal-site.ts';
import { formOf } from './visitor.ts';
import type { Visitor } from './visitor.ts';

/** Pages that strangers see, or that lead them to the login by themselves. */
const OPEN = ['/', '/accounts/login'];
/** Pages of everybody who is signed in. */
const OF_EVERYBODY = ['/accounts/logout', '/accounts/password_change'];
const OF_ADMINS = [
  '/portal/users/:id/initial-password',
  '/portal/webhooks/create',
  '/portal/webhooks/:id/state',
  '/portal/webhooks/:id/update',
  '/portal/webhooks/:id/secret',
  '/portal/webhooks/:id/test',
  '/portal/webhooks/:id/deliveries',
  '/portal/webhooks/:id/deliveries/:message/redeliver',
  '/portal/webhooks/:id/redeliver',
  '/portal/webhooks/:id/delete',
  '/portal/notifications/broadcast',
];
const PARAMETERS = {
  id: '6f1f2a0e-0000-4000-8000-000000000000',
  device: '6f1f2a0e-0000-4000-8000-000000000001',
  message: '6f1f2a0e-0000-4000-8000-000000000002',
  item: '6f1f2a0e-0000-4000-8000-000000000003',
  type: 'inverters',
};

let site: PortalSite;
let people: Readonly<Record<'admin' | 'staff' | 'user', Visitor>>;
let pages: readonly PageRoute[];
beforeAll(async () => {
  ({ started: site, pages } = await collectPages(() => startPortal()));
  const orgId = await site.addOrganization();
  const signIn = async (role: 'admin' | 'staff' | 'user') => site.signedIn(await site.addPerson(orgId, role));
  people = { admin: await signIn('admin'), staff: await signIn('staff'), user: await signIn('user') };
});
afterAll(() => site.close());

const fill = (path: string): string =>
  path.replaceAll(/:(\w+)/g, (_, name: keyof typeof PARAMETERS) => PARAMETERS[name]);
const tokenOf = async (visitor: Visitor): Promise<string> =>
  formOf((await visitor.get('/accounts/logout/')).text, '/accounts/logout/')['csrf_token'] ?? '';

test('the pages are known', () => {
  expect(pages.length).toBeGreaterThan(30);
  expect(pages.filter(({ hasForm }) => hasForm).length).toBeGreaterThan(15);
});

test('strangers are led to the login', async () => {
  const answers = [];
  for (const { path } of pages.filter(({ path }) => !OPEN.includes(path))) {
    const { status, headers } = await site.visitor().get(fill(path));
    if (status !== 303 && status !== 405) answers.push([path, status]);
    else if (status === 303) expect(headers['location']).toMatch(/^\/accounts\/login\//);
  }
  expect(answers).toEqual([]);
});

describe('roles', () => {
  test('a user sees its password and nothing to manage, and sends no form there', async () => {
    const token = await tokenOf(people.user);
    const found = [];
    for (const { path } of pages.filter(({ path }) => ![...OPEN, ...OF_EVERYBODY].includes(path))) {
      const seen = (await people.user.get(fill(path))).status;
      const sent = (await people.user.post(fill(path), { csrf_token: token })).status;
      if (seen !== 403 || sent !== 403) found.push([path, seen, sent]);
    }
    expect(found).toEqual([]);
  });

  test('staff come to all but what is for admins', async () => {
    const refused = [];
    for (const { path } of pages.filter(({ hasForm }) => hasForm))
      if ((await people.staff.get(fill(path))).status === 403) refused.push(path);
    expect(refused).toEqual(OF_ADMINS);
  });
});

test('no form is taken without the token of its session', async () => {
  const stolen = await tokenOf(people.staff);
  const taken = [];
  for (const { path } of pages.filter(({ hasForm }) => hasForm))
    for (const fields of [{ name: 'x' }, { csrf_token: '' }, { csrf_token: stolen }]) {
      const { status, text } = await people.admin.post(fill(path), fields);
      if (status !== 403 || !text.includes('Form refused')) taken.push([path, status]);
    }
  expect(taken).toEqual([]);
});

test('every page forbids what it does not need, is not stored, and has no script or style of its own', async () => {
  const odd = [];
  for (const { path } of pages.filter(({ path }) => path !== '/portal/changes')) {
    const { headers, text } = await people.admin.get(fill(path));
    const policy = headers['content-security-policy'] ?? '';
    const isStrict =
      policy.startsWith("default-src 'none';style-src 'self';") &&
      policy.includes("frame-ancestors 'none'") &&
      !policy.includes('unsafe');
    const hasOwn =
      /<style| style="| on[a-z]+="|<script(?![^>]* src="\/assets\/| type="application\/json")/.test(text);
    if (!isStrict || hasOwn || headers['cache-control'] !== 'no-store') odd.push([path, policy]);
  }
  expect(odd).toEqual([]);
});
