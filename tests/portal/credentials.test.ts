import { afterAll, beforeAll, expect, test } from 'vitest';
import { matchesDigest } from '../../src/domain/security/credentials.ts';
import { accountVerifier } from '../support/verifier.ts';
import { findApplicationByClientId } from '../../src/accounts/applications.ts';
import { findClient } from '../../src/queries/accounts/clients.ts';
import { elementText, formOf } from './visitor.ts';
import { initialPassword, ownPassword, startPortal } from './portal-site.ts';
import type { PortalSite } from './portal-site.ts';

let site: PortalSite;
beforeAll(async () => {
  site = await startPortal();
});
afterAll(() => site.close());

const register = '/oauth2/applications/register/';

test('beyond the quota of applications the form says so, and a form that was sent before leads to what it made', async () => {
  const bounded = await startPortal({ applications: 2 });
  try {
    const admin = await bounded.addPerson(await bounded.addOrganization(), 'admin');
    const browser = await bounded.signedIn(admin);
    const forms = [];
    for (let i = 0; i < 4; i++)
      forms.push({ ...formOf((await browser.get(register)).text, register), name: `A${i}` });
    const answers = await Promise.all(forms.map((form) => browser.post(register, form)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 422, 422]);
    const refused = answers.findIndex(({ status }) => status === 422);
    expect(answers[refused]?.text).toContain(
      'there are 2, and 1 more would exceed it. Delete applications that are not needed',
    );
    expect(formOf(answers[refused]?.text ?? '', register)['name']).toBe(`A${refused}`);
    const made = answers.findIndex(({ status }) => status === 200);
    const again = await browser.post(register, forms[made] ?? {});
    expect([again.status, again.headers['location']]).toEqual([
      303,
      expect.stringContaining('secret_unchanged'),
    ]);
  } finally {
    await bounded.close();
  }
});

test('an initial password leads through the password change to an application whose secret is shown once', async () => {
  const admin = await site.addPerson(await site.addOrganization(), 'admin', false);
  const browser = site.visitor();
  const login = await browser.login(admin.username, initialPassword, register);
  expect([login.status, login.headers['location']]).toEqual([303, '/accounts/password_change/']);

  const changed = await browser.submit('/accounts/password_change/', {
    old_password: initialPassword,
    new_password1: ownPassword,
    new_password2: ownPassword,
  });
  expect([changed.status, changed.headers['location']]).toEqual([303, '/portal/?notice=password_changed']);
  expect(await accountVerifier(site.db)(admin.username, ownPassword)).toMatchObject({
    passwordChangeRequired: false,
  });
  expect(await accountVerifier(site.db)(admin.username, initialPassword)).toBeUndefined();

  const form = formOf((await browser.get(register)).text, register);
  expect(form).toMatchObject({
    name: '',
    client_type: 'confidential',
    authorization_grant_type: 'client-credentials',
    redirect_uris: '',
  });
  const registered = await browser.post(register, { ...form, name: 'Billing <script>' });
  expect(registered.status).toBe(200);
  expect(registered.headers['cache-control']).toBe('no-store');
  expect(registered.text).toContain('Billing &lt;script&gt;');
  const clientId = elementText(registered.text, 'client_id') ?? '';
  const secret = elementText(registered.text, 'client_secret') ?? '';
  expect([clientId, secret]).toEqual([
    expect.stringMatching(/^[A-Za-z0-9]{40}$/),
    expect.stringMatching(/^[A-Za-z0-9]{128}$/),
  ]);
  const client = await findClient(site.db, admin.orgId, clientId);
  expect(client?.application).toMatchObject({ ownerUserId: admin.userId, grantType: 'client-credentials' });
  expect(client !== undefined && matchesDigest(secret, client.secretHash)).toBe(true);

  const link = /download="partner\.env" href="data:text\/plain;charset=utf-8;base64,([^"]+)"/.exec(
    registered.text,
  );
  expect(Buffer.from(link?.[1] ?? '', 'base64').toString()).toBe(
    [
      `PARTNER_BASE_URL=${site.baseUrl}`,
      `PARTNER_TOKEN_URL=${site.baseUrl}/oauth2/token/`,
      `PARTNER_ORG_ID=${admin.orgId}`,
      `PARTNER_CLIENT_ID=${clientId}`,
      `PARTNER_CLIENT_SECRET=${secret}`,
      '',
    ].join('\n'),
  );

  const reloaded = await browser.post(register, { ...form, name: 'Billing <script>' });
  const detail = `/oauth2/applications/${client?.application.id ?? ''}/`;
  expect([reloaded.status, reloaded.headers['location']]).toEqual([303, `${detail}?notice=secret_unchanged`]);
  for (const path of [
    detail,
    detail.slice(0, -1),
    '/oauth2/applications/',
    `${detail}update/`,
    `${detail}secret/`,
  ]) {
    const page = await browser.get(path);
    expect([path, page.status, page.text.includes(secret), elementText(page.text, 'client_secret')]).toEqual([
      path,
      200,
      false,
      undefined,
    ]);
  }
  expect(site.logged.join('\n')).not.toContain(secret);
});

test('until the password is changed every page leads there, by GET and POST, known and unknown', async () => {
  const admin = await site.addPerson(await site.addOrganization(), 'admin', false);
  const browser = site.visitor();
  await browser.login(admin.username, initialPassword);
  const { csrf_token: token = '' } = formOf(
    (await browser.get('/accounts/password_change')).text,
    '/accounts/logout/',
  );
  const paths = [
    '/',
    '/accounts/login/',
    '/accounts/logout/',
    '/accounts/nothing',
    '/oauth2/applications',
    register,
    '/oauth2/applications/nothing/at/all/',
    '/oauth2/applications/6f1f2a0e-0000-4000-8000-000000000000/secret/',
    '/portal/',
    '/portal/users/',
    '/portal/nothing',
  ];
  for (const path of paths) {
    const page = await browser.get(path);
    expect([path, page.headers['location']]).toEqual([path, '/accounts/password_change/']);
  }
  const posted = await browser.post(register, { csrf_token: token, name: 'Too early' });
  expect(posted.headers['location']).toBe('/accounts/password_change/');
  const rows = await site.db
    .selectFrom('applications')
    .select('id')
    .where('org_id', '=', admin.orgId)
    .execute();
  expect(rows).toEqual([]);
  const logout = await browser.post('/accounts/logout/', { csrf_token: token });
  expect(logout.headers['location']).toBe('/accounts/login/');
});

test('the session survives the password change under a new id, and all other sessions end', async () => {
  const admin = await site.addPerson(await site.addOrganization(), 'admin', false);
  const [here, elsewhere] = [site.visitor(), site.visitor()];
  const login = await here.login(admin.username, initialPassword);
  await elsewhere.login(admin.username, initialPassword);
  const changed = await here.submit('/accounts/password_change/', {
    old_password: initialPassword,
    new_password1: ownPassword,
    new_password2: ownPassword,
  });
  const [before, after] = [login, changed].map((answer) => String(answer.headers['set-cookie']));
  expect(after).toMatch(/^partner_session=/);
  expect(after?.split(';')[0]).not.toBe(before?.split(';')[0]);
  expect((await here.get('/oauth2/applications/')).status).toBe(200);
  expect((await elsewhere.get('/oauth2/applications/')).headers['location']).toMatch(/^\/accounts\/login\//);
});

test('each rule for passwords is told beside its field, and nothing changes', async () => {
  const admin = await site.addPerson(await site.addOrganization(), 'admin', false);
  const browser = site.visitor();
  await browser.login(admin.username, initialPassword);
  const change = (old: string, first: string, second = first) =>
    browser.submit('/accounts/password_change/', {
      old_password: old,
      new_password1: first,
      new_password2: second,
    });
  const cases: readonly (readonly [Promise<{ status: number; text: string }>, string])[] = [
    [change(initialPassword, 'elevenchars'), 'error_new_password1">Use at least 12 characters.'],
    [change(initialPassword, 'x'.repeat(1_025)), 'error_new_password1">Use at most 1024 characters.'],
    [change(initialPassword, initialPassword), 'error_new_password1">Choose one that differs'],
    [
      change(initialPassword, admin.username.toUpperCase()),
      'error_new_password1">Choose one that is not your username.',
    ],
    [change(initialPassword, ownPassword, `${ownPassword}!`), 'error_new_password2">The two new passwords'],
    [change('wrong', ownPassword), 'error_old_password">This is not your current password.'],
  ];
  for (const [answer, message] of cases) {
    const page = await answer;
    expect(page.status).toBe(422);
    expect(page.text).toContain(message);
    expect(page.text).toContain('<h1>New password</h1>');
  }
  expect(await accountVerifier(site.db)(admin.username, initialPassword)).toMatchObject({
    passwordChangeRequired: true,
  });
});

test('an application can be edited and deleted, and a faulty form says what is wrong', async () => {
  const browser = await site.signedIn(await site.addPerson(await site.addOrganization(), 'staff'));
  const faulty = await browser.submit(register, {
    name: ' ',
    client_type: 'public',
    authorization_grant_type: 'implicit',
    redirect_uris: 'https://example.com/',
  });
  expect(faulty.status).toBe(422);
  expect(faulty.text.match(/class="error"/g)).toHaveLength(4);
  const registered = await browser.submit(register, { name: 'One' });
  const clientId = elementText(registered.text, 'client_id') ?? '';
  const detail = `/oauth2/applications/${(await findApplicationByClientId(site.db, clientId))?.id ?? ''}/`;
  const updated = await browser.submit(`${detail}update/`, {
    name: 'Two',
    authorization_grant_type: 'password',
  });
  expect(updated.headers['location']).toBe(`${detail}?notice=application_updated`);
  expect(await findApplicationByClientId(site.db, clientId)).toMatchObject({
    name: 'Two',
    grantType: 'password',
  });
  const deleted = await browser.submit(`${detail}delete/`, {});
  expect(deleted.headers['location']).toBe('/oauth2/applications/?notice=application_deleted');
  expect((await browser.get(detail)).status).toBe(404);
  expect(site.forgotten.at(-1)).toBe(detail.split('/').at(-2));
});
