// The list of fleets, a fleet's page, and what can become of a fleet.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../src/domain/api/durations.ts';
import { formatEnergy } from '../../src/portal/quantities.ts';
import { addQueuedFleet, buildFleets } from './portal-fleets.ts';
import type { SiteFleet } from './portal-fleets.ts';
import { startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';
import { formOf } from './visitor.ts';
import type { Visitor } from './visitor.ts';

let site: PortalSite;
let admin: Person;
let browser: Visitor;
let fleet: SiteFleet;
const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);

beforeAll(async () => {
  site = await startPortal();
  admin = await site.addPerson(await site.addOrganization(), 'admin');
  browser = await site.signedIn(admin);
  const groups = [{ name: 'Commuters', count: 3 }, { name: 'Retired' }];
  const definition = { name: 'Vienna', count: 5, history_days: 3, latitude: 48.2, longitude: 16.4, groups };
  fleet = await addQueuedFleet(site, admin, { ...definition, ev_ownership_fraction: 1 });
  await buildFleets(site);
});
afterAll(() => site.close());

const pathOf = ({ id }: SiteFleet, page = ''): string => `/portal/fleets/${id}/${page}`;
const statusOf = async ({ id }: SiteFleet): Promise<string> => {
  const row = await site.db.selectFrom('fleets').select('status').where('id', '=', id).executeTakeFirst();
  return row?.status ?? 'gone';
};
const chartOf = (html: string): { times: number[]; clocks: string[]; known: number; zone: string } =>
  JSON.parse(/<script type="application\/json">([^<]*)<\/script>/.exec(html)?.[1] ?? 'null');

test('the list tells what runs, and names the cells that change by themselves', async () => {
  const page = await browser.get('/portal/fleets/');
  expect(page.text).toContain('1 fleet runs with 5 homes.');
  expect(page.text).toContain(`href="${pathOf(fleet)}"`);
  expect(page.text).toContain('data-live-seconds="30"');
  for (const name of ['status', 'homes', 'actions']) expect(page.text).toContain(`${fleet.id}-${name}"`);
});

test('a list with a fleet under construction is looked at more often', async () => {
  const other = await site.addPerson(await site.addOrganization(), 'admin');
  await addQueuedFleet(site, other, { count: 2 });
  const page = await (await site.signedIn(other)).get('/portal/fleets/');
  expect(page.text).toContain('data-live-seconds="2"');
  expect(page.text).toContain('1 fleet under construction or removal.');
});

describe('the page of a fleet', () => {
  test('tells in a sentence, in numbers, in a chart and in a table what the homes did on a day', async () => {
    const { status, text } = await browser.get(`${pathOf(fleet)}?day=${yesterday}`);
    expect(status).toBe(200);
    expect(text).toMatch(new RegExp(`On ${yesterday} 5 homes took [\\d.]+ kWh from the grid and fed in `));
    expect(text).toMatch(/They drew most at \d\d:\d\d, [\d.]+ k?W; \d+ % of what was used then went to /);
    expect(text).toMatch(/class="shell simulation"/);
    const chart = chartOf(text);
    expect([chart.known, chart.zone, chart.clocks.at(0), chart.clocks.at(-1)]).toEqual([
      96,
      'Europe/Vienna',
      '00:00',
      '24:00',
    ]);
    expect(text.match(/<td role="cell"[^>]*>\d\d:\d\d\s*<\/td>/g)).toHaveLength(96);
    for (const name of ['Commuters', 'Retired']) expect(text).toContain(`<h3>${name}</h3>`);
    expect(text).toContain('drew most in ');
    expect(text).toContain('Every device can be read and steered');
  });

  test('shows the same numbers as the API: the file is its answer', async () => {
    const file = await browser.get(`${pathOf(fleet, 'data.csv')}?day=${yesterday}`);
    expect(file.headers['content-type']).toMatch(/^text\/csv/);
    const [head, ...lines] = file.text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(96);
    const column = (head ?? '').split(',').indexOf('grid_import_kwh');
    const sum = lines.reduce((total, line) => total + Number(line.split(',')[column]), 0);
    const { text } = await browser.get(`${pathOf(fleet)}?day=${yesterday}`);
    expect(text).toContain(`took ${formatEnergy(sum)} from the grid`);
  });

  test('shows UTC when asked for it, and days without values as such', async () => {
    const utc = await browser.get(`${pathOf(fleet)}?day=${yesterday}&zone=utc`);
    expect(chartOf(utc.text).zone).toBe('UTC');
    expect(utc.text).toContain('data.csv?day=' + yesterday + '&amp;zone=utc');
    const early = await browser.get(`${pathOf(fleet)}?day=2020-02-30`);
    expect(early.status).toBe(200);
    const before = await browser.get(`${pathOf(fleet)}?day=2020-02-03`);
    expect(before.text).toContain('On 2020-02-03 the fleet has no values: it did not run then.');
    expect(before.text).not.toContain('0.0 kWh imported');
  });

  test('names the devices in a condition, with what follows from it', async () => {
    const device = await site.db
      .selectFrom('devices')
      .select(['id', 'user_id'])
      .where('org_id', '=', fleet.simulationOrgId)
      .where('device_type', '=', 'wallbox')
      .executeTakeFirstOrThrow();
    const condition = {
      org_id: fleet.simulationOrgId,
      device_id: device.id,
      code: 'reauthenticate' as const,
    };
    const values = { ...condition, active: true, changed_at: new Date() };
    await site.db
      .insertInto('device_conditions')
      .values(values)
      .onConflict((on) => on.columns(['org_id', 'device_id', 'code']).doUpdateSet({ active: true }))
      .execute();
    const { text } = await browser.get(pathOf(fleet));
    const { first_name: first, last_name: last } = await site.db
      .selectFrom('users')
      .select(['first_name', 'last_name'])
      .where('org_id', '=', fleet.simulationOrgId)
      .where('id', '=', device.user_id)
      .executeTakeFirstOrThrow();
    expect(text).toContain(`<small class="detail">of ${first ?? ''} ${last ?? ''}</small>`);
    expect(text).toContain('Neither read nor steered until its owner signs in again.');
    expect(text).toContain(
      `/portal/homes/${device.user_id}/wallboxes/${device.id}/?org=${fleet.simulationOrgId}`,
    );
    await site.db.deleteFrom('device_conditions').where('device_id', '=', device.id).execute();
  });

  test('is there for staff, and for nobody of another organization', async () => {
    const staff = await site.signedIn(await site.addPerson(admin.orgId, 'staff'));
    expect((await staff.get(pathOf(fleet))).status).toBe(200);
    const user = await site.signedIn(await site.addPerson(admin.orgId, 'user'));
    const stranger = await site.signedIn(await site.addPerson(await site.addOrganization(), 'admin'));
    for (const page of ['', 'data.csv', 'stop/', 'expand/'])
      expect([
        (await user.get(pathOf(fleet, page))).status,
        (await stranger.get(pathOf(fleet, page))).status,
      ]).toEqual([403, 404]);
    const sent = await stranger.post(pathOf(fleet, 'stop/'), {
      ...formOf((await stranger.get('/accounts/logout/')).text, '/accounts/logout/'),
      name: 'Vienna',
    });
    expect([sent.status, await statusOf(fleet)]).toEqual([404, 'running']);
  });
});

describe('what becomes of a fleet', () => {
  test('is offered by its status', async () => {
    const { text } = await browser.get(pathOf(fleet));
    const offered = ['expand', 'stop', 'cancel', 'cleanup', 'purge'].filter((page) =>
      text.includes(`href="${pathOf(fleet, `${page}/`)}"`),
    );
    expect(offered).toEqual(['expand', 'stop']);
  });

  test('more homes come by a form, once however often it is sent, and a wrong number is told at its field', async () => {
    const path = pathOf(fleet, 'expand/');
    const wrong = await browser.submit(path, { count: 'many' });
    expect([wrong.status, wrong.text.includes('id="error_count"')]).toEqual([422, true]);
    const broken = await browser.submit(path, { count: '2', request_id: 'no id' });
    expect([broken.status, broken.text.includes('without its request_id')]).toEqual([422, true]);
    const fields = formOf((await browser.get(path)).text, path);
    for (let time = 0; time < 2; time += 1)
      expect((await browser.post(path, { ...fields, count: '2' })).headers['location']).toBe(
        `${pathOf(fleet)}?notice=fleet_expanding`,
      );
    const changed = await browser.post(path, { ...fields, count: '1' });
    expect([changed.status, changed.text.includes('Send it again to do this too.')]).toEqual([422, true]);
    expect(formOf(changed.text, path)['request_id']).not.toBe(fields['request_id']);
    await buildFleets(site);
    expect((await browser.get('/portal/fleets/')).text).toContain('7 of 7');
  });

  test('what cannot be taken back asks for the name and does nothing without it', async () => {
    const doomed = await addQueuedFleet(site, admin, { name: 'Short-lived', count: 2 });
    await buildFleets(site);
    for (const [ending, status] of [
      ['stop', 'stopped'],
      ['cleanup', 'cleaned'],
      ['purge', 'purging'],
    ] as const) {
      const before = await statusOf(doomed);
      const path = pathOf(doomed, `${ending}/`);
      const refused = await browser.submit(path, { name: 'Vienna' });
      expect([
        refused.status,
        refused.text.includes('not the name of the fleet'),
        await statusOf(doomed),
      ]).toEqual([422, true, before]);
      const done = await browser.submit(path, { name: 'Short-lived' });
      expect([done.status, await statusOf(doomed)]).toEqual([303, status]);
    }
  });

  test('a fleet that has moved on meanwhile is told of', async () => {
    const queued = await addQueuedFleet(site, admin, { name: 'Waiting\nfor  long', count: 2 });
    const sent = await browser.submit(pathOf(queued, 'stop/'), { name: 'Waitingfor long' });
    expect([sent.status, sent.text.includes('stop is possible when it is running')]).toEqual([409, true]);
    const cancelled = await browser.submit(pathOf(queued, 'cancel/'), { name: 'Waitingfor long' });
    expect([cancelled.status, await statusOf(queued)]).toEqual([303, 'cancelled']);
  });
});
