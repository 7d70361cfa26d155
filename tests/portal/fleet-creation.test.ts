// The form for a fleet: every field of the definition, its errors, its preview, and what it makes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import document from '../../generated/openapi.json' with { type: 'json' };
import { FIELD_SETS, GROUP_ROWS } from '../../src/portal/fleet-fields.ts';
import { buildFleets } from './portal-fleets.ts';
import { startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';
import { formOf } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const PATH = '/portal/fleets/create/';

let site: PortalSite;
let admin: Person;
let browser: Visitor;
beforeAll(async () => {
  site = await startPortal();
  admin = await site.addPerson(await site.addOrganization(), 'admin');
  browser = await site.signedIn(admin);
});
afterAll(() => site.close());

const countFleets = async (): Promise<number> =>
  (await site.db.selectFrom('fleets').select('id').where('org_id', '=', admin.orgId).execute()).length;
const errorOf = (html: string, name: string): string | undefined =>
  new RegExp(`id="error_${name}">([^<]*)<`).exec(html)?.[1];

/** The paths of all values that a body may have; those of lists with `0`. */
function listPaths(name: string, at = ''): string[] {
  const schemas = document.components.schemas as Record<string, { properties?: Record<string, any> }>;
  return Object.entries(schemas[name]?.properties ?? {}).flatMap(([property, schema]) => {
    const path = at === '' ? property : `${at}/${property}`;
    const inner = schema.$ref ?? schema.anyOf?.[0]?.$ref;
    if (inner !== undefined) return listPaths(inner.split('/').at(-1), path);
    const item = schema.items?.$ref;
    return item === undefined ? [path] : listPaths(item.split('/').at(-1), `${path}/0`);
  });
}

test('has a field for every value of the definition', () => {
  const fields = [
    ...FIELD_SETS.flatMap(({ rows }) => rows.flat()).map(({ path }) => path),
    ...GROUP_ROWS.flat().map(({ path }) => `groups/0/${path}`),
  ];
  expect(['request_id', ...fields].sort()).toEqual(listPaths('FleetDefinition').sort());
});

test('a preview shows totals, the average day, groups, warnings and the JSON, and stores nothing', async () => {
  const page = await browser.submit(PATH, {
    do: 'preview',
    name: 'Graz <1>',
    count: '6',
    'pv_rating_kw_range/min': '90',
    'pv_rating_kw_range/max': '120',
    'groups/0/name': 'Half',
    'groups/0/percentage': '50',
  });
  expect(page.status).toBe(200);
  expect(page.text).toMatch(/6 homes that use [\d.]+ MWh a year; their panels give [\d.]+ MWh\./);
  expect(page.text).toContain('role="alert"');
  expect(page.text).toContain('&quot;name&quot;: &quot;Graz &lt;1&gt;&quot;');
  expect(page.text).toContain('Average day of a home');
  expect(page.text).toContain('The first 6 homes');
  expect(page.text).toContain('/device-simulator/fleets');
  expect(await countFleets()).toBe(0);
});

test('the map of a preview has every home, by group and place', async () => {
  const page = await browser.submit(PATH, {
    do: 'preview',
    count: '50',
    latitude: '48.2',
    longitude: '16.4',
    'groups/0/name': 'North <1>',
    'groups/0/count': '30',
    'groups/1/name': 'South',
  });
  const [, json = ''] = /<script type="application\/json" data-map>([^<]*)</.exec(page.text) ?? [];
  expect(JSON.parse(json)).toEqual({
    points: [
      [48.2, 16.4, 0, 30],
      [48.2, 16.4, 1, 20],
    ],
  });
  expect(page.text).toContain('<span>North &lt;1&gt;</span> <b>30</b>');
  expect(page.text).toContain('The first 20 homes');
});

test('each error stands at its field, what was typed stays, and nothing is stored', async () => {
  const page = await browser.submit(PATH, {
    do: 'create',
    count: '2000',
    latitude: 'north',
    'pv_rating_kw_range/min': '9',
    'pv_rating_kw_range/max': '3',
    'density/country': 'AT',
    'groups/0/name': 'One',
    'groups/0/weights': '1, x',
    'groups/1/profile': 'single_retired',
  });
  expect(page.status).toBe(422);
  for (const name of [
    'count',
    'latitude',
    'density/weights',
    'density/grid/origin_lat',
    'groups/0/weights',
    'groups/1/name',
  ])
    expect([name, errorOf(page.text, name)]).toEqual([name, expect.stringMatching(/\w/)]);
  expect(page.text).toContain('value="north"');
  expect(await countFleets()).toBe(0);
  const range = await browser.submit(PATH, { 'pv_rating_kw_range/min': '9', 'pv_rating_kw_range/max': '3' });
  expect([range.status, errorOf(range.text, 'pv_rating_kw_range/min')]).toEqual([
    422,
    expect.stringMatching(/\w/),
  ]);
});

test('a script gets the form with its errors as an answer that has not failed', async () => {
  const page = await browser.submit(PATH, { do: 'refresh', count: '2000' });
  expect([page.status, errorOf(page.text, 'count')]).toEqual([200, expect.stringMatching(/\w/)]);
  const preview = await browser.submit(PATH, { do: 'refresh', count: '7' });
  expect(preview.text).toMatch(/7 homes that use .* All stand in Frankfurt am Main\./);
  expect(await countFleets()).toBe(0);
});

/** A density of Austria of so many characters, which unpack to its grid. */
function toDensity(characters: number): Record<string, string> {
  const cells = Math.floor((characters * 3) / 4);
  return {
    'density/country': 'AT',
    'density/dataset_version': 'painted',
    'density/boundary_version': 'any',
    'density/grid/origin_lat': '48.5',
    'density/grid/origin_lon': '13.5',
    'density/grid/cell_deg': '0.001',
    'density/grid/rows': String(cells / 500),
    'density/grid/cols': '500',
    'density/weights': Buffer.alloc(cells, 1).toString('base64url'),
  };
}

test('the form takes the longest density of the API, is shown without its weights, and sends them as a file', async () => {
  const density = toDensity(340_000);
  const page = await browser.submit(PATH, { do: 'preview', ...density });
  expect([page.status, page.text.includes('10 homes that use')]).toEqual([200, true]);
  expect(page.text).toContain('@fleet.json');
  expect(page.text.split(density['density/weights'] ?? '').length - 1).toBe(1);
  const file = await browser.submit(PATH, { do: 'download', ...density });
  expect(file.headers['content-disposition']).toBe('attachment; filename=fleet.json');
  expect(file.body.density.weights).toBe(density['density/weights']);
  expect(await countFleets()).toBe(0);
});

test('a longer form is refused, and one of who may not create is as short as all others', async () => {
  const user = await site.signedIn(await site.addPerson(admin.orgId, 'user'));
  const statuses = [
    await browser.post(PATH, { do: 'preview', name: 'x'.repeat(400_001) }),
    await user.post(PATH, { do: 'preview', name: 'x'.repeat(32_769) }),
    await browser.post('/portal/users/create/', { email: 'x'.repeat(32_769) }),
  ].map(({ status }) => status);
  expect(statuses).toEqual([413, 413, 413]);
});

test('a further group is offered, and one in which nothing stands is none', async () => {
  const page = await browser.submit(PATH, { do: 'add', 'groups/1/name': 'Second' });
  expect([page.status, page.text.includes('name="groups/0/name" type="text" value="Second"')]).toEqual([
    200,
    true,
  ]);
  expect(page.text).toContain('<legend>Group 2</legend>');
  expect(page.text).not.toContain('<legend>Group 3</legend>');
});

test('the fleet is created once however often the form is sent, and runs', async () => {
  const fields = formOf((await browser.get(PATH)).text, PATH);
  const locations: string[] = [];
  for (let time = 0; time < 2; time += 1) {
    const answer = await browser.post(PATH, {
      ...fields,
      do: 'create',
      name: 'Linz',
      count: '3',
      history_days: '2',
    });
    expect(answer.status).toBe(303);
    locations.push(String(answer.headers['location']));
  }
  expect(locations[1]).toBe(locations[0]);
  expect(await countFleets()).toBe(1);
  const [location = ''] = locations;
  const before = await browser.get(location);
  expect([before.status, before.text.includes('The fleet is being built.')]).toEqual([200, true]);
  await buildFleets(site);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const page = await browser.get(`${location.split('?')[0]}?day=${yesterday}`);
  expect(page.text).toContain('3 homes took');
});

test('who comes back to the form and changes it creates another fleet, when it is sent once more', async () => {
  const fields = formOf((await browser.get(PATH)).text, PATH);
  const send = (more: Readonly<Record<string, string>>) =>
    browser.post(PATH, { ...fields, name: 'First', history_days: '0', ...more });
  const idOf = ({ text }: { readonly text: string }) => formOf(text, PATH)['request_id'];
  const first = await send({ do: 'create', count: '1' });
  const before = await countFleets();
  const preview = await send({ do: 'preview', count: '2' });
  expect([preview.status, preview.text.includes('2 homes that use')]).toEqual([200, true]);
  expect(idOf(preview)).not.toBe(fields['request_id']);
  const refused = await send({ do: 'create', count: '2' });
  expect(refused.status).toBe(422);
  expect(refused.text).toContain('Send it again to do this too.');
  expect(await countFleets()).toBe(before);
  const second = await send({ do: 'create', count: '2', request_id: idOf(refused) ?? '' });
  expect(second.status).toBe(303);
  expect(second.headers['location']).not.toBe(first.headers['location']);
  expect(await countFleets()).toBe(before + 1);
});

test('a form whose first answer was lost creates no second fleet, whatever was refused in between', async () => {
  const fields = formOf((await browser.get(PATH)).text, PATH);
  const send = (more: Readonly<Record<string, string>>) =>
    browser.post(PATH, { ...fields, name: 'Lost', history_days: '0', ...more });
  const lost = await send({ do: 'create', count: '1' });
  for (const asked of ['refresh', 'preview', 'create']) {
    const refused = await send({ do: asked, count: 'x' });
    expect(refused.text).toContain('id="error_count"');
    expect(formOf(refused.text, PATH)['request_id']).toBe(fields['request_id']);
  }
  const repeated = await send({ do: 'create', count: '1' });
  expect([repeated.status, repeated.headers['location']]).toEqual([303, lost.headers['location']]);
});

test.each(['', 'no id', '\u0007'])('a form whose request_id is %j says so and gets one', async (broken) => {
  const fields = formOf((await browser.get(PATH)).text, PATH);
  const send = (id: string) => browser.post(PATH, { ...fields, count: '1', do: 'create', request_id: id });
  const before = await countFleets();
  const refused = await send(broken);
  expect([refused.status, refused.text.includes('The form came without its request_id')]).toEqual([
    422,
    true,
  ]);
  expect(await countFleets()).toBe(before);
  expect((await send(formOf(refused.text, PATH)['request_id'] ?? '')).status).toBe(303);
});

test('staff may create a fleet, users may not', async () => {
  const [staff, user] = [
    await site.signedIn(await site.addPerson(admin.orgId, 'staff')),
    await site.signedIn(await site.addPerson(admin.orgId, 'user')),
  ];
  expect([(await staff.get(PATH)).status, (await user.get(PATH)).status]).toEqual([200, 403]);
});
