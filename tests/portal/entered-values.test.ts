// What was typed into a form that is refused before it is read: it is shown, and nothing is lost.
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownPassword, startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';
import { formOf } from './visitor.ts';

const CREATE = '/portal/users/create/';
let site: PortalSite;
let admin: Person;
beforeAll(async () => {
  site = await startPortal();
  admin = await site.addPerson(await site.addOrganization(), 'admin');
});
afterAll(() => site.close());

async function signIn(): Promise<string> {
  const login = await site.visitor().login(admin.username, ownPassword);
  return String(login.headers['set-cookie']?.[0]).split(';')[0] ?? '';
}

async function send(
  cookie: string,
  fields: Readonly<Record<string, string>>,
  fetchSite = 'same-origin',
): Promise<{ status: number | undefined; location: string | undefined; text: string }> {
  const headers = {
    cookie,
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': fetchSite,
  };
  const body = new URLSearchParams(fields).toString();
  const sent = request(`${site.baseUrl}${CREATE}`, {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
  }).end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const text = (await answer.setEncoding('utf8').toArray()).join('');
  return { status: answer.statusCode, location: answer.headers.location, text };
}

/** The fields of the form as they stand on its page, in this session. */
async function fieldsIn(cookie: string): Promise<Record<string, string>> {
  const page = await fetch(`${site.baseUrl}${CREATE}`, { headers: { cookie } });
  return { ...formOf(await page.text(), CREATE), first_name: 'Ada <b>', email: 'ada@example.com' };
}

const SHOWN = ['readonly>Ada &lt;b&gt;</textarea>', 'readonly>ada@example.com</textarea>'];

test('a form of a former session is refused with what was typed', async () => {
  const fields = await fieldsIn(await signIn());
  const { status, text } = await send(await signIn(), fields);
  expect([status, ...SHOWN.map((part) => text.includes(part))]).toEqual([403, true, true]);
  expect(text).toContain('you have signed in again since it was opened');
  expect(text).not.toContain(fields['csrf_token']);
});

test('a form whose session has ended shows what was typed, and leads back to the form by the login', async () => {
  const cookie = await signIn();
  const fields = await fieldsIn(cookie);
  await site.db.deleteFrom('portal_sessions').where('org_id', '=', admin.orgId).execute();
  const { status, text } = await send(cookie, fields);
  expect([status, ...SHOWN.map((part) => text.includes(part))]).toEqual([403, true, true]);
  expect(text).toContain('/accounts/login/?next=%2Fportal%2Fusers%2Fcreate%2F');
});

test('a long notice is not refused for its length either when its session has ended', async () => {
  const cookie = await signIn();
  await site.db.deleteFrom('portal_sessions').where('org_id', '=', admin.orgId).execute();
  const message = '\u{1f50c}'.repeat(2_000);
  const { status, text } = await send(cookie, { message });
  expect([status, text.includes(message)]).toEqual([403, true]);
});

test.each(['cross-site', 'same-site', 'none'])(
  'what comes from elsewhere (%s) is shown to nobody',
  async (from) => {
    const refused = await send(await signIn(), { first_name: 'Ada' }, from);
    expect([refused.status, refused.text.includes('Ada')]).toEqual([403, false]);
    const signedOut = await send('', { first_name: 'Ada' }, from);
    expect([signedOut.status, signedOut.location]).toEqual([303, '/accounts/login/']);
  },
);

test('no password is shown, nor more than 16,384 characters', async () => {
  const { text } = await send(await signIn(), {
    old_password: 'a secret one',
    username: 'ada',
    long: 'x'.repeat(16_200),
    more: 'y'.repeat(200),
  });
  const isShown = ['a secret one', '>ada<', 'xxx', 'yyy'].map((part) => text.includes(part));
  expect(isShown).toEqual([false, true, true, false]);
});
