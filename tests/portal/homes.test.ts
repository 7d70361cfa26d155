// A simulated home and its devices: what they do, what is asked of them, and what happens to them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import document from '../../generated/openapi.json' with { type: 'json' };
import { DAY_MS } from '../../src/domain/api/durations.ts';
import type { DeviceType } from '../../src/domain/fleets/devices.ts';
import { addHome, SEGMENTS } from './portal-fleets.ts';
import type { SiteFleet } from './portal-fleets.ts';
import { startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';
import type { Visitor } from './visitor.ts';

let site: PortalSite;
let admin: Person;
let browser: Visitor;
let fleet: SiteFleet;
let userId: string;
let devices: ReadonlyMap<DeviceType, string>;
const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);

beforeAll(async () => {
  site = await startPortal();
  admin = await site.addPerson(await site.addOrganization(), 'admin');
  browser = await site.signedIn(admin);
  ({ fleet, userId, devices } = await addHome(site, admin));
});
afterAll(() => site.close());

const scope = (): string => `?org=${fleet.simulationOrgId}`;
const homePath = (): string => `/portal/homes/${userId}/${scope()}`;
const devicePath = (type: DeviceType, page = ''): string =>
  `/portal/homes/${userId}/${SEGMENTS[type]}/${devices.get(type) ?? ''}/${page}${scope()}`;

test('a home tells what it did on a day, and what each of its devices does', async () => {
  const { status, text } = await browser.get(`${homePath()}&day=${yesterday}`);
  expect(status).toBe(200);
  expect(text).toMatch(new RegExp(`On ${yesterday} this home took [\\d.]+ kWh from the grid`));
  for (const type of devices.keys()) expect(text).toContain(devicePath(type).replaceAll('&', '&amp;'));
  expect(text.match(/In order/g)).toHaveLength(devices.size);
  expect(text).toContain('"zone":"Europe/Vienna"');
});

test.each([...Object.keys(SEGMENTS)] as DeviceType[])(
  'a device (%s) has a page with state and condition',
  async (type) => {
    const { status, text } = await browser.get(devicePath(type));
    expect([status, text.includes('It can be read and steered.')]).toEqual([200, true]);
    expect(text.includes('>Preferences<')).toBe(type !== 'wallbox');
  },
);

describe('what happens to a device', () => {
  test('is triggered, shown with what follows from it, and ended by a reconnect', async () => {
    const [page, path] = [devicePath('inverter'), devicePath('inverter', 'event/')];
    const triggered = await browser.submit(page, { code: 'device_offline' }, path);
    expect([triggered.status, triggered.headers['location']]).toEqual([
      303,
      `${page}&notice=event_triggered`,
    ]);
    const offline = await browser.get(page);
    expect(offline.text).toContain('Its values stand still until it is back');
    expect((await browser.get(homePath())).text).toContain('Offline');
    expect((await browser.get(`/portal/fleets/${fleet.id}/`)).text).toContain('1 device<');
    await browser.submit(page, { code: 'reconnect' }, path);
    expect((await browser.get(page)).text).toContain('It can be read and steered.');
  });

  test('is refused as a whole when there is no such event', async () => {
    const sent = await browser.submit(
      devicePath('inverter'),
      { code: 'explode' },
      devicePath('inverter', 'event/'),
    );
    expect([sent.status, sent.text.includes('Nothing was changed.')]).toEqual([422, true]);
  });
});

describe('what is asked of a device', () => {
  test.each([
    ['electric_vehicle', 'ElectricVehiclePreferencesUpdate'],
    ['heat_pump', 'HeatPumpPreferencesUpdate'],
    ['inverter', 'InverterPreferencesUpdate'],
  ] as const)('has a field for each preference of the document (%s)', async (type, schema) => {
    const names = Object.keys(document.components.schemas[schema].properties).flatMap((name) =>
      name === 'ready_by'
        ? Object.keys(document.components.schemas.ReadyByUpdate.properties).map((day) => `ready_by/${day}`)
        : [name],
    );
    const { text } = await browser.get(devicePath(type));
    expect(names.filter((name) => !text.includes(` name="${name}"`))).toEqual([]);
  });

  test('is saved, and told at its field when it is not possible', async () => {
    const [page, path] = [devicePath('electric_vehicle'), devicePath('electric_vehicle', 'preferences/')];
    const saved = await browser.submit(
      page,
      { charge_policy: 'smart', target_soc_percent: '80', 'ready_by/monday': '06:30' },
      path,
    );
    expect(saved.status).toBe(303);
    const { text } = await browser.get(page);
    expect(text).toContain('<option value="smart" selected>');
    expect(text).toMatch(/name="target_soc_percent"[^>]*value="80"/);
    expect(text).toMatch(/name="ready_by\/monday"[^>]*value="06:30"/);
    const wrong = await browser.submit(
      page,
      { minimum_soc_percent: '12,5', 'ready_by/tuesday': 'noon' },
      path,
    );
    expect(wrong.status).toBe(422);
    expect(wrong.text).toMatch(/id="error_minimum_soc_percent">Must be a number, such as 20\.5\.</);
    expect(wrong.text).toMatch(
      /id="error_ready_by\/tuesday">Must be a time from 00:00 to 23:59, such as 06:30\.</,
    );
    expect(wrong.text).toContain('value="noon"');
    const above = await browser.submit(page, { minimum_soc_percent: '95' }, path);
    expect(above.text).toMatch(/id="error_minimum_soc_percent">Must be at most the target, which is 80\.</);
  });

  test('is not saved over what somebody else has saved meanwhile: both are shown', async () => {
    const [page, path] = [devicePath('inverter'), devicePath('inverter', 'preferences/')];
    const stale = await browser.submit(page, { reserve_percent: '30', version: 'another' }, path);
    expect(stale.status).toBe(412);
    expect(stale.text).toMatch(/Stored now: 5/);
    expect(stale.text).toMatch(/name="reserve_percent"[^>]*value="30"/);
  });

  test('a boost begins and ends', async () => {
    const [page, path] = [devicePath('heat_pump'), devicePath('heat_pump', 'boost/')];
    expect((await browser.submit(page, { hours: '4' }, path)).status).toBe(303);
    for (const hours of ['', ' ', 'x']) {
      const answer = await browser.submit(page, { hours }, path);
      expect([hours, answer.status]).toEqual([hours, 422]);
    }
    expect((await browser.get(page)).text).toContain('End the boost');
    expect((await browser.submit(page, { hours: '0' }, path)).status).toBe(303);
    expect((await browser.get(page)).text).not.toContain('End the boost');
    const wrong = await browser.submit(page, { hours: '48' }, path);
    expect([wrong.status, wrong.text.includes('a boost ends within 24 hours')]).toEqual([422, true]);
  });
});

test('nobody of another organization, and no user, comes to a home or a device', async () => {
  const user = await site.signedIn(await site.addPerson(admin.orgId, 'user'));
  const stranger = await site.signedIn(await site.addPerson(await site.addOrganization(), 'admin'));
  for (const path of [homePath(), devicePath('inverter')])
    expect([(await user.get(path)).status, (await stranger.get(path)).status]).toEqual([404, 404]);
  const other = devicePath('inverter').replace('/inverters/', '/heat-pumps/');
  expect((await browser.get(other)).status).toBe(404);
});
