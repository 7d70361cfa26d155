import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';
import { formOf } from './visitor.ts';
import type { Visitor } from './visitor.ts';

let site: PortalSite;
let admin: Person;
let browser: Visitor;
beforeAll(async () => {
  site = await startPortal();
  admin = await site.addPerson(await site.addOrganization(), 'admin');
  browser = await site.signedIn(admin);
});
afterAll(() => site.close());

const create = '/portal/users/create/';

async function created(fields: Readonly<Record<string, string>>): Promise<string> {
  const answer = await browser.submit(create, { email: `${randomUUID()}@example.com`, ...fields });
  expect(answer.status).toBe(303);
  return (answer.headers['location'] ?? '').split('?')[0] ?? '';
}

const stored = (path: string) =>
  site.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', path.split('/').at(-2) ?? '')
    .executeTakeFirstOrThrow();

test('a user is created from a form, shown, changed and deleted', async () => {
  const path = await created({
    first_name: 'Anna',
    last_name: 'Huber',
    latitude: '48.3',
    longitude: '14.29',
  });
  expect(await stored(path)).toMatchObject({
    first_name: 'Anna',
    role: 'user',
    town: null,
    latitude: 48.3,
    longitude: 14.29,
  });
  expect((await browser.get(path)).text).toContain('<h1>Anna Huber</h1>');
  const changed = await browser.submit(`${path}update/`, { town: 'Linz', country: 'at', role: 'staff' });
  expect(changed.headers['location']).toBe(`${path}?notice=user_updated`);
  expect(await stored(path)).toMatchObject({
    town: 'Linz',
    country: 'AT',
    role: 'staff',
    first_name: 'Anna',
  });
  const cleared = await browser.submit(`${path}update/`, { town: '' });
  expect([cleared.status, (await stored(path)).town]).toEqual([303, null]);
  const deleted = await browser.submit(`${path}delete/`, {});
  expect(deleted.headers['location']).toBe('/portal/users/?notice=user_deleted');
  expect((await stored(path)).deleted_at).not.toBeNull();
  expect((await browser.get(path)).status).toBe(404);
});

test('what is wrong is said once, at its field, and what was typed stays', async () => {
  const faulty = await browser.submit(create, {
    email: admin.username,
    first_name: 'Kept',
    latitude: 'north',
    country: 'QQ',
  });
  expect(faulty.status).toBe(422);
  expect(faulty.text.match(/class="error" id="error_(\w+)"/g)).toEqual(['class="error" id="error_latitude"']);
  expect(faulty.text).toContain('One field needs another value.');
  expect(formOf(faulty.text, create)).toMatchObject({ first_name: 'Kept', latitude: 'north' });
  const taken = await browser.submit(create, { email: admin.username });
  expect([
    taken.status,
    taken.text.match(/Another user of the organization has this email/g)?.length,
  ]).toEqual([422, 1]);
});

test('a form that somebody else was faster with shows both values, and saves on the second try', async () => {
  const path = await created({ first_name: 'Anna', town: 'Linz' });
  const form = formOf((await browser.get(`${path}update/`)).text, `${path}update/`);
  await browser.submit(`${path}update/`, { first_name: 'Berta' });
  const stale = await browser.post(`${path}update/`, { ...form, first_name: 'Clara' });
  expect(stale.status).toBe(412);
  expect((await stored(path)).first_name).toBe('Berta');
  expect(stale.text).toContain('Stored now: Berta');
  expect(stale.text.match(/Stored now/g)).toHaveLength(1);
  const again = formOf(stale.text, `${path}update/`);
  expect(again['first_name']).toBe('Clara');
  expect((await browser.post(`${path}update/`, again)).status).toBe(303);
  expect((await stored(path)).first_name).toBe('Clara');
});

test('a stale form of an application shows both values too', async () => {
  await browser.submit('/oauth2/applications/register/', { name: 'One' });
  const { id } = await site.db
    .selectFrom('applications')
    .select('id')
    .where('name', '=', 'One')
    .executeTakeFirstOrThrow();
  const path = `/oauth2/applications/${id}/update/`;
  const form = formOf((await browser.get(path)).text, path);
  await browser.submit(path, { name: 'Two' });
  const stale = await browser.post(path, { ...form, name: 'Three' });
  expect([stale.status, stale.text.includes('Stored now: Two')]).toEqual([412, true]);
  expect((await browser.post(path, formOf(stale.text, path))).status).toBe(303);
  const { name } = await site.db
    .selectFrom('applications')
    .select('name')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(name).toBe('Three');
});

test('the last admin is neither deleted nor demoted, and the page says why', async () => {
  const path = `/portal/users/${admin.userId}/`;
  const deleted = await browser.submit(`${path}delete/`, {});
  const demoted = await browser.submit(`${path}update/`, { role: 'user' });
  expect([deleted.status, demoted.status]).toEqual([409, 422]);
  for (const { text } of [deleted, demoted]) expect(text).toContain('last admin cannot be');
});

test('an initial password is asked for before it is issued', async () => {
  const path = await created({});
  const page = await browser.get(`${path}initial-password/`);
  expect(page.text).toContain('sign in once and choose a password, within 72 hours');
  expect((await stored(path)).password_hash).toBeNull();
  expect((await browser.submit(`${path}initial-password/`, {})).status).toBe(200);
  expect((await stored(path)).password_hash).not.toBeNull();
});

test('a page on which nothing is found shows its call once', async () => {
  const { text } = await browser.get('/portal/users/?q=nobody.of.this.name');
  expect(text).toContain('No email starts with');
  expect(text.match(/<summary>As API call<\/summary>/g)).toHaveLength(1);
});
