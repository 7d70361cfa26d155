import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formOf } from './visitor.ts';
import { ownPassword, startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';
import { Problem } from '../../src/domain/api/problem.ts';
import { countStatements } from '../support/statement-count.ts';
import { recordProblemCode } from '../support/api-client.ts';

const hourMs = 3_600_000;
let site: PortalSite;
let admin: Person;
beforeAll(async () => {
  site = await startPortal();
  admin = await site.addPerson(await site.addOrganization(), 'admin');
});
afterAll(() => site.close());

test('the session cookie is out of reach of scripts and other sites, and only its digest is stored', async () => {
  const login = await site.visitor().login(admin.username, ownPassword);
  const cookie = String(login.headers['set-cookie']?.[0]);
  expect(cookie).toMatch(
    /^partner_session=[A-Za-z0-9_-]{43}; Max-Age=604800; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
  );
  const value = cookie.slice('partner_session='.length).split(';')[0] ?? '';
  const rows = await site.db.selectFrom('portal_sessions').selectAll().execute();
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain(value);
  expect(rows.every((row) => row.session_hash.length === 32)).toBe(true);
});

test('the first well-formed value of the session cookie counts, as it was written', async () => {
  const login = await site.visitor().login(admin.username, ownPassword);
  const [cookie = ''] = String(login.headers['set-cookie']?.[0]).split(';');
  const statusWith = async (cookies: string): Promise<number> =>
    (
      await fetch(`${site.baseUrl}/oauth2/applications/`, {
        redirect: 'manual',
        headers: { cookie: cookies },
      })
    ).status;
  const encoded = cookie.replace(/=(.)/, (_, first: string) => `=%${first.charCodeAt(0).toString(16)}`);
  expect(await statusWith(`partner_session=planted; ${cookie}`)).toBe(200);
  expect(await statusWith(encoded)).not.toBe(200);
});

test('under https both cookies are Secure and bound to the host by their names', async () => {
  const secure = await startPortal({ publicUrl: 'https://partner.example' });
  try {
    const page = await secure.visitor().get('/accounts/login/');
    expect(String(page.headers['set-cookie'])).toMatch(
      /^__Host-partner_login=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const person = await secure.addPerson(await secure.addOrganization(), 'admin');
    const token = formOf(page.text, '/accounts/login/')['csrf_token'] ?? '';
    const answer = await fetch(`${secure.baseUrl}/accounts/login/`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Cookie: `__Host-partner_login=${token}` },
      body: new URLSearchParams({ csrf_token: token, username: person.username, password: ownPassword }),
    });
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^__Host-partner_session=[^;]+; Max-Age=604800; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
    );
  } finally {
    await secure.close();
  }
});

test('a form that comes slowly changes nothing once its session has ended', async () => {
  const login = await site.visitor().login(admin.username, ownPassword);
  const [cookie = ''] = String(login.headers['set-cookie']?.[0]).split(';');
  const page = await fetch(`${site.baseUrl}/portal/users/create/`, { headers: { cookie } });
  const fields = { ...formOf(await page.text(), '/portal/users/create/'), email: 'slow@example.com' };
  const body = new URLSearchParams(fields).toString();
  const { started, running } = countStatements(site.pool);
  const sent = request(`${site.baseUrl}/portal/users/create/`, {
    method: 'POST',
    headers: {
      cookie,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': body.length,
    },
  });
  sent.write(body.slice(0, 10));
  await expect.poll(() => started() > 0 && running() === 0).toBe(true);
  await site.db.deleteFrom('portal_sessions').where('org_id', '=', admin.orgId).execute();
  site.advance(1_000);
  sent.end(body.slice(10));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  expect([answer.resume().statusCode, answer.headers.location]).toEqual([303, '/accounts/login/']);
  const made = await site.db
    .selectFrom('users')
    .select('id')
    .where('email', '=', 'slow@example.com')
    .execute();
  expect(made).toEqual([]);
});

test('a session ends at logout and with its user', async () => {
  const isIn = async (visitor: { get: (path: string) => Promise<{ status: number }> }) =>
    (await visitor.get('/oauth2/applications/')).status === 200;
  const [leaver, stayer] = [await site.signedIn(admin), await site.signedIn(admin)];
  const page = await leaver.get('/accounts/logout/');
  const cookieless = await leaver.post('/accounts/logout/', formOf(page.text, '/accounts/logout/'));
  expect(String(cookieless.headers['set-cookie'])).toMatch(
    /^partner_session=; Path=\/; Expires=Thu, 01 Jan 1970/,
  );
  expect([await isIn(leaver), await isIn(stayer)]).toEqual([false, true]);

  const mortal = await site.addPerson(admin.orgId, 'staff');
  const browser = await site.signedIn(mortal);
  expect(await isIn(browser)).toBe(true);
  const gone = { deleted_at: new Date() };
  await site.db.updateTable('users').set(gone).where('id', '=', mortal.userId).execute();
  expect(await isIn(browser)).toBe(false);
});

test('a session ends after twelve idle hours, and after seven days however much it is used', async () => {
  const isIn = async (visitor: { get: (path: string) => Promise<{ status: number }> }) =>
    (await visitor.get('/oauth2/applications/')).status === 200;
  const [idle, busy] = [await site.signedIn(admin), await site.signedIn(admin)];
  site.advance(12 * hourMs - 60_000);
  expect(await isIn(busy)).toBe(true);
  site.advance(60_000);
  expect([await isIn(idle), await isIn(busy)]).toEqual([false, true]);
  for (let hours = 12; hours < 7 * 24 - 11; hours += 11) {
    site.advance(11 * hourMs);
    expect([hours, await isIn(busy)]).toEqual([hours, true]);
  }
  site.advance(11 * hourMs);
  expect(await isIn(busy)).toBe(false);
});

test('every form is refused without the token of its session, and nothing happens', async () => {
  const browser = await site.signedIn(admin);
  const other = await site.signedIn(admin);
  const stolen = formOf((await other.get('/accounts/logout/')).text, '/accounts/logout/')['csrf_token'] ?? '';
  const id = '6f1f2a0e-0000-4000-8000-000000000000';
  const paths = [
    '/accounts/logout/',
    '/accounts/password_change/',
    '/oauth2/applications/register/',
    `/oauth2/applications/${id}/update/`,
    `/oauth2/applications/${id}/delete/`,
    `/oauth2/applications/${id}/secret/`,
    '/portal/users/create/',
    `/portal/users/${id}/update/`,
    `/portal/users/${id}/delete/`,
    `/portal/users/${id}/initial-password/`,
  ];
  for (const path of paths) {
    for (const fields of [{ name: 'x' }, { name: 'x', csrf_token: '' }, { name: 'x', csrf_token: stolen }]) {
      expect([path, (await browser.post(path, fields)).status]).toEqual([path, 403]);
    }
  }
  expect((await browser.get('/oauth2/applications/')).text).toContain('No application yet');
  const login = { username: admin.username, password: ownPassword };
  const bare = await site.visitor().post('/accounts/login/', { ...login, csrf_token: 'x'.repeat(43) });
  expect([bare.status, bare.headers['set-cookie']]).toEqual([403, undefined]);
  recordProblemCode('csrf_failed');
});

test('behind the login pages allow scripts of their own, from this service alone', async () => {
  const page = await (await site.signedIn(admin)).get('/portal/');
  expect(page.headers['content-security-policy']).toBe(
    "default-src 'none';style-src 'self';img-src 'self' data:;form-action 'self';frame-ancestors 'none';base-uri 'none';script-src 'self';connect-src 'self'",
  );
  expect(page.text).not.toMatch(/ style=| on[a-z]+="|<script(?! type="module" src="\/assets\/)/);
});

test('pages carry a policy that allows no script and no frame, and are not stored', async () => {
  const page = await site.visitor().get('/accounts/login');
  expect(page.headers).toMatchObject({
    'content-security-policy':
      "default-src 'none';style-src 'self';img-src 'self' data:;form-action 'self';frame-ancestors 'none';base-uri 'none'",
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
  });
  const stylesheet = /href="(\/assets\/[^"]+\.css)"/.exec(page.text)?.[1] ?? '';
  const styles = await site.visitor().get(stylesheet);
  expect([styles.status, styles.type]).toEqual([200, 'text/css']);
});

const ELSEWHERE = [
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example/',
  '/\t/evil.example/',
  '/..//evil.example/',
  '/.//evil.example/',
  '/..//..//evil.example/',
  '/%2e%2e//evil.example/',
  '/%5cevil.example/..//evil.example',
  '\\\\evil.example/',
  '/\n/evil.example/',
  '/\u0001//evil.example/',
  ' //evil.example/',
  'javascript:alert(1)',
];

test('after login the browser goes on to a page of this service only', async () => {
  const asked = await site.visitor().get('/oauth2/applications/register?x=1');
  expect(asked.headers['location']).toBe('/accounts/login/?next=%2Foauth2%2Fapplications%2Fregister%3Fx%3D1');
  const lands = async (next: string) =>
    (await site.visitor().login(admin.username, ownPassword, next)).headers['location'];
  expect(await lands('/oauth2/applications/register?x=1')).toBe('/oauth2/applications/register?x=1');
  expect(await lands('//evil.example/')).toBe('/portal/');
});

test('the form of the login may carry any next, and leads nowhere else', async () => {
  const visitor = site.visitor();
  const form = formOf((await visitor.get('/accounts/login/')).text, '/accounts/login/');
  const login = { ...form, username: admin.username, password: ownPassword, next: '/..//evil.example/' };
  expect((await visitor.post('/accounts/login/', login)).headers['location']).toBe('/portal/');
});

test('a login page with any next leads who is signed in already nowhere else', async () => {
  const browser = await site.signedIn(admin);
  for (const next of ELSEWHERE) {
    const answer = await browser.get(`/accounts/login/?next=${encodeURIComponent(next)}`);
    expect([next, answer.status, answer.headers['location']]).toEqual([next, 303, '/portal/']);
  }
});

test('an encoded slash stays a path of this service', async () => {
  const lands = await site.visitor().login(admin.username, ownPassword, '/%2f/evil.example/');
  const target = new URL(lands.headers['location'] ?? '', 'https://service.example');
  expect(target.origin).toBe('https://service.example');
});

test('malformed forms and foreign methods are answered with a page', async () => {
  const visitor = site.visitor();
  const huge = await visitor.post('/accounts/login/', { username: 'x'.repeat(16_385) });
  expect([huge.status, huge.type]).toEqual([413, 'text/html']);
  const answer = await fetch(`${site.baseUrl}/accounts/login/`, { method: 'DELETE' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  const odd = await visitor.login('a\0b', 'c\0d');
  expect(odd.status).toBe(422);
});

test('who signs in or changes the password behind an address that is flooded needs no turn of it for the next page', async () => {
  const lookupTurns = {
    run: () => Promise.reject(new Problem('overloaded', 'The address has no turn left.')),
  };
  const flooded = await startPortal({ lookupTurns });
  try {
    const person = await flooded.addPerson(await flooded.addOrganization(), 'admin');
    const browser = await flooded.signedIn(person);
    const form = {
      old_password: ownPassword,
      new_password1: 'another one of my own',
      new_password2: 'another one of my own',
    };
    const changed = await browser.submit('/accounts/password_change/', form);
    const after = await browser.get('/oauth2/applications/');
    const cookie = `partner_session=${'x'.repeat(43)}`;
    const unknown = await fetch(`${flooded.baseUrl}/oauth2/applications/`, {
      headers: { cookie },
      redirect: 'manual',
    });
    expect([changed.status, after.status, unknown.status]).toEqual([303, 200, 503]);
  } finally {
    await flooded.close();
  }
});
