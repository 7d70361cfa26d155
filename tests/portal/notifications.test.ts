import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { triggerDeviceEvent } from '../../src/operations/fleets/device-events.ts';
import { addQueuedFleet, buildFleets } from './portal-fleets.ts';
import { startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';
import { formOf } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const LIST = '/portal/notifications/';

interface SiteDevice {
  readonly id: string;
  readonly user_id: string;
  readonly device_type: string;
}

let site: PortalSite;
let admin: Person;
let browser: Visitor;
let fleet: { readonly id: string; readonly simulationOrgId: string };
let vehicle: SiteDevice;
let other: SiteDevice;
let scope: string;
beforeAll(async () => {
  site = await startPortal();
  admin = await site.addPerson(await site.addOrganization(), 'admin');
  browser = await site.signedIn(admin);
  fleet = await addQueuedFleet(site, admin, { count: 2, ev_ownership_fraction: 1, history_days: 1 });
  await buildFleets(site);
  scope = `?org=${fleet.simulationOrgId}`;
  const [first, second] = await site.db
    .selectFrom('devices')
    .select(['id', 'user_id', 'device_type'])
    .where('org_id', '=', fleet.simulationOrgId)
    .where('device_type', '=', 'electric_vehicle')
    .orderBy('id')
    .execute();
  if (first === undefined || second === undefined) throw new Error('There are two vehicles.');
  [vehicle, other] = [first, second];
});
afterAll(() => site.close());

type Code = 'reauthenticate' | 'device_offline' | 'subscription_required';

/** Lets something happen to a vehicle; the item that tells of it. */
async function trigger(code: Code, { id: deviceId } = vehicle): Promise<string> {
  const { services, db } = site;
  const { orgId, userId } = admin;
  await triggerDeviceEvent(
    {
      ...services,
      db,
      clock: () => new Date(),
      now: new Date(),
      requestId: randomUUID(),
      actor: {
        applicationId: '',
        tokenDigest: '',
        userId,
        orgId,
        partnerId: orgId,
        role: 'admin',
        scope: 'read write',
      },
      orgId,
    },
    {
      path: { org_id: orgId, job_id: fleet.id, device_id: deviceId },
      query: {},
      headers: {},
      body: { code },
    },
  );
  const { id } = await site.db
    .selectFrom('notification_items')
    .select('id')
    .where('org_id', '=', fleet.simulationOrgId)
    .where('code', '=', code)
    .orderBy('occurred_at', 'desc')
    .executeTakeFirstOrThrow();
  return id;
}

const listed = (text: string): string[] => [
  ...new Set([...text.matchAll(/notifications\/([0-9a-f-]{36})\//g)].map(([, id]) => id ?? '')),
];

test('what is open is listed with the filters of the API, and leads to its item, device and history', async () => {
  const action = await trigger('reauthenticate');
  const notice = await trigger('subscription_required');
  const list = async (query: string) => listed((await browser.get(`${LIST}${scope}${query}`)).text);
  const found = {
    all: await list(''),
    code: await list('&code=reauthenticate'),
    device: await list(`&device_id=${vehicle.id}`),
    another: await list(`&device_id=${randomUUID()}`),
    type: await list('&device_type=heat_pump'),
    owner: await list(`&owner_id=${vehicle.user_id}&device_type=electric_vehicle`),
    before: await list('&created_before=2020-01-01T00:00'),
    after: await list('&created_after=2020-01-01T00:00&code=subscription_required'),
  };
  expect(found).toEqual({
    all: [notice, action],
    code: [action],
    device: [notice, action],
    another: [],
    type: [],
    owner: [notice, action],
    before: [],
    after: [notice],
  });
  for (const query of ['&code=lost', '&device_type=fridge', '&device_id=1', '&created_after=then'])
    expect((await browser.get(`${LIST}${scope}${query}`)).status).toBe(422);
  await site.db
    .updateTable('users')
    .set({ first_name: 'Ada', last_name: null })
    .where('org_id', '=', fleet.simulationOrgId)
    .where('id', '=', vehicle.user_id)
    .execute();
  const device = `/portal/homes/${vehicle.user_id}/electric-vehicles/${vehicle.id}/`;
  for (const page of [LIST, `${LIST}information/`]) {
    const { text } = await browser.get(`${page}${scope}`);
    expect(text).toContain(`href="${device}${scope}"`);
    expect(text).toContain('<small class="detail">of Ada</small>');
  }
  const item = await browser.get(`${LIST}${action}/${scope}`);
  expect(item.text).toContain(`href="${device}${scope}"`);
  expect(item.text).toContain('>Ada</a></dd>');
  expect((await browser.get(`${device}${scope}`)).text).toContain(`href="${device}history/${scope}"`);
  const history = await browser.get(`${device}history/${scope}`);
  expect([history.status, listed(history.text)]).toEqual([200, [notice, action]]);
});

test('a notice is put away, and stays in the list of all', async () => {
  const id = await trigger('device_offline');
  const page = `${LIST}${id}/${scope}`;
  const put = await browser.submit(page, {}, `${LIST}${id}/resolve/${scope}`);
  expect(put.headers['location']).toBe(`${page}&notice=item_dismissed`);
  const shown = (await browser.get(page)).text;
  expect([shown.includes('Put away 2'), shown.includes('resolve/')]).toEqual([true, false]);
  expect(listed((await browser.get(`${LIST}${scope}&code=device_offline`)).text)).toEqual([]);
  expect(listed((await browser.get(`${LIST}information/${scope}&code=device_offline`)).text)).toEqual([id]);
});

test('an action leads to the page of the manufacturer, and from there back to the item', async () => {
  const id = await trigger('reauthenticate');
  const page = `${LIST}${id}/${scope}`;
  const home = await browser.get(`/portal/${scope}`);
  const [, open = ''] = /href="([^"]*)">1 device to be connected again</.exec(home.text) ?? [];
  const device = await browser.get(
    `/portal/homes/${vehicle.user_id}/electric-vehicles/${vehicle.id}/${scope}`,
  );
  expect(device.text).toContain(`<a href="${LIST}${id}/${scope}">To the sign-in</a>`);
  const staff = await site.signedIn(await site.addPerson(admin.orgId, 'staff'));
  const theirs = await staff.get(`/portal/homes/${vehicle.user_id}/electric-vehicles/${vehicle.id}/${scope}`);
  expect([theirs.status, theirs.text.includes('To the sign-in')]).toEqual([200, false]);
  expect(listed((await browser.get(open.replaceAll('&amp;', '&'))).text)).toEqual([id]);
  const resolve = await browser.submit(page, {}, `${LIST}${id}/resolve/${scope}`);
  const consent = new URL(resolve.headers['location'] ?? '');
  expect([resolve.status, consent.origin, consent.pathname]).toEqual([
    303,
    site.baseUrl,
    `/portal/consent/${id}`,
  ]);
  const [success, cancel] = Buffer.from(consent.searchParams.get('return') ?? '', 'base64url')
    .toString()
    .split('\n');
  expect([success, cancel]).toEqual([
    `${site.baseUrl}${page}&notice=item_resolved`,
    `${site.baseUrl}${page}`,
  ]);
});

test('a notice is written to everybody or to one user, and read and put away by each', async () => {
  const user = await site.addPerson(admin.orgId, 'user');
  const staff = await site.signedIn(await site.addPerson(admin.orgId, 'staff'));
  const write = `${LIST}broadcast/`;
  const faulty = await browser.submit(write, { message: '', owner_id: 'x' });
  expect(faulty.status).toBe(422);
  const unknown = await browser.submit(write, { message: 'Hello', owner_id: randomUUID() });
  expect([unknown.status, unknown.text.includes('There is no such user.')]).toEqual([422, true]);
  const everybody = await browser.submit(write, { message: 'Devices rest <tonight>.' });
  expect(everybody.headers['location']).toBe(`${LIST}information/?notice=notice_sent`);
  await browser.submit(write, { message: 'For one.', owner_id: user.userId });
  const [one = '', all = ''] = listed((await browser.get(LIST)).text);
  expect((await browser.get(`${LIST}${all}/`)).text).toContain('Devices rest &lt;tonight&gt;.');
  expect(listed((await staff.get(LIST)).text)).toEqual([all]);
  expect([(await staff.get(`${LIST}${all}/`)).status, (await staff.get(`${LIST}${one}/`)).status]).toEqual([
    200, 404,
  ]);
  const put = await staff.submit(`${LIST}${all}/`, {}, `${LIST}${all}/resolve/`);
  expect(put.status).toBe(303);
  expect([listed((await staff.get(LIST)).text), listed((await browser.get(LIST)).text)]).toEqual([
    [],
    [one, all],
  ]);
  expect((await staff.get(write)).status).toBe(403);
});

test('a notice may be as long as the API allows in any alphabet', async () => {
  const sent = await browser.submit(`${LIST}broadcast/`, { message: '\u{1f50c}'.repeat(2_000) });
  expect(sent.headers['location']).toBe(`${LIST}information/?notice=notice_sent`);
});

test('what belongs to others is not there', async () => {
  const id = await trigger('subscription_required').catch(() => '');
  const stranger = await site.signedIn(await site.addPerson(await site.addOrganization(), 'admin'));
  const staff = await site.signedIn(await site.addPerson(admin.orgId, 'staff'));
  const { id: item } = await site.db
    .selectFrom('notification_items')
    .select('id')
    .where('org_id', '=', fleet.simulationOrgId)
    .executeTakeFirstOrThrow();
  const token = formOf((await stranger.get('/accounts/logout/')).text, '/accounts/logout/')['csrf_token'];
  for (const visitor of [stranger, staff])
    for (const path of [`${LIST}${item}/`, `${LIST}${item}/${scope}`, `${LIST}${id || 'x'}/`])
      expect([path, (await visitor.get(path)).status]).toEqual([path, 404]);
  const posted = await stranger.post(`${LIST}${item}/resolve/`, { csrf_token: token ?? '' });
  expect(posted.status).toBe(404);
});

test.each([
  [
    'reauthenticate',
    'It cannot be put away: it ends once the owner of the device has signed in',
    'Each that was enabled and took device.action_required was told that it began; none is told that it ends.',
  ],
  [
    'device_offline',
    'It ends by itself once the device is back; in a simulation &quot;Reconnect&quot;',
    'Each that was enabled and took device.information was told',
  ],
  [
    'subscription_required',
    'It ends once somebody puts it away, for everybody',
    'Each that was enabled and took device.information was told',
  ],
] as const)('an item of %s says how it ends and who is told', async (code, end, told) => {
  const id = await trigger(code, other);
  const { text } = await browser.get(`${LIST}${id}/${scope}`);
  expect(text).toContain(end);
  expect(text).toContain(told);
  expect(text).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d UTC \(/);
});
