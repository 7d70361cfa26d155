// The search for pages, fleets, users and devices, as a page and as JSON, by who asks.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addQueuedFleet, buildFleets } from './portal-fleets.ts';
import type { SiteFleet } from './portal-fleets.ts';
import { startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';
import type { Visitor } from './visitor.ts';

let site: PortalSite;
let admin: Person;
let browser: Visitor;
let fleet: SiteFleet;
let device: { readonly id: string; readonly user_id: string };
beforeAll(async () => {
  site = await startPortal();
  admin = await site.addPerson(await site.addOrganization(), 'admin');
  browser = await site.signedIn(admin);
  fleet = await addQueuedFleet(site, admin, { name: 'Vienna pilot', count: 2 });
  await buildFleets(site);
  device = await site.db
    .selectFrom('devices')
    .select(['id', 'user_id'])
    .where('org_id', '=', fleet.simulationOrgId)
    .where('device_type', '=', 'inverter')
    .executeTakeFirstOrThrow();
});
afterAll(() => site.close());

async function find(sought: string, visitor = browser, org?: string): Promise<string[]> {
  const query = new URLSearchParams({ q: sought, ...(org === undefined ? {} : { org }) });
  const { body } = await visitor.get(`/portal/search.json?${query.toString()}`);
  return (body as { places: { href: string }[] }).places.map(({ href }) => href);
}
const inFleet = (path: string): string => `${path}?org=${fleet.simulationOrgId}`;

test('finds pages and fleets by a part of the name, whatever the letter case', async () => {
  expect(await find('vIENn')).toEqual([`/portal/fleets/${fleet.id}/`]);
  expect(await find('create a')).toEqual(['/portal/fleets/create/', '/portal/users/create/']);
  expect(await find('')).toEqual(
    expect.arrayContaining([`/portal/fleets/${fleet.id}/`, '/portal/', '/oauth2/applications/', '/docs/']),
  );
});

test('finds users of the scope by the beginning of the email', async () => {
  expect(await find(admin.username.slice(0, 12).toUpperCase())).toEqual([`/portal/users/${admin.userId}/`]);
  const { email } = await site.db
    .selectFrom('users')
    .select('email')
    .where('id', '=', device.user_id)
    .executeTakeFirstOrThrow();
  expect(await find(email)).toEqual([]);
  expect(await find(email, browser, fleet.simulationOrgId)).toEqual([
    inFleet(`/portal/users/${device.user_id}/`),
  ]);
});

test('finds fleets, users and devices by their ids, those of fleets too', async () => {
  expect(await find(fleet.id)).toEqual([`/portal/fleets/${fleet.id}/`]);
  expect(await find(admin.userId)).toEqual([`/portal/users/${admin.userId}/`]);
  expect(await find(device.user_id.toUpperCase())).toEqual([inFleet(`/portal/users/${device.user_id}/`)]);
  expect(await find(device.id)).toEqual([inFleet(`/portal/homes/${device.user_id}/inverters/${device.id}/`)]);
  expect(await find('b3f0c2d1-5b6e-4f70-8a91-b2c3d4e5f607')).toEqual([]);
});

test('shows nobody what the role or the organization keeps away', async () => {
  const staff = await site.signedIn(await site.addPerson(admin.orgId, 'staff'));
  const stranger = await site.signedIn(await site.addPerson(await site.addOrganization(), 'admin'));
  const user = await site.signedIn(await site.addPerson(admin.orgId, 'user'));
  for (const sought of [admin.userId, admin.username]) expect(await find(sought, staff)).toEqual([]);
  expect(await find(device.id, staff)).toHaveLength(1);
  for (const sought of [admin.userId, admin.username, fleet.id, 'Vienna', device.id, device.user_id])
    expect(await find(sought, stranger)).toEqual([]);
  for (const path of ['/portal/search/', '/portal/search.json?q=a'])
    expect([(await user.get(path)).status, (await site.visitor().get(path)).status]).toEqual([403, 303]);
});

test('is a page with a form where no script runs', async () => {
  const { status, text } = await browser.get('/portal/search/?q=%3Cb%3Evienna');
  expect([status, text.includes('Nothing is called “&lt;b&gt;vienna”.')]).toEqual([200, true]);
  const found = await browser.get('/portal/search/?q=vienna');
  expect(found.text).toContain('1 place found.');
  expect(found.text).toContain(`href="/portal/fleets/${fleet.id}/"`);
});
