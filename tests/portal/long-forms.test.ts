// Long forms are read in the turn of their partner: many at once would fill the memory of the process.
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSession } from '../../src/accounts/sessions.ts';
import { until } from '../process/partner.ts';
import { largestDefinition } from '../../bench/abuse/attacks/bodies.ts';
import { startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';
import { formOf } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const UPLOAD = '/portal/prices/upload/';
const CREATION = '/portal/fleets/create/';
/** As many callers of a partner as may wait for its turn. */
const MOST_WAITING = 8;

let site: PortalSite;
let admin: Person;
let browser: Visitor;
beforeAll(async () => {
  // Each partner has one page at once.
  site = await startPortal({ hasOtherPartners: () => true });
  admin = await site.addPerson(await site.addOrganization(), 'admin');
  browser = await site.signedIn(admin);
});
afterAll(() => site.close());

const waiting = (): number => site.services.compute.usage.turns.waiting;
const text = `2031-01-01 00:00,1,${'5.25 '.repeat(16_000)}`;
const sendPrices = async (visitor = browser) => {
  const form = formOf((await visitor.get(UPLOAD)).text, UPLOAD);
  return visitor.post(UPLOAD, { ...form, text });
};

test('a long form waits for the turn of its partner, eight at a time, and no other partner does', async () => {
  const other = await site.signedIn(await site.addPerson(await site.addOrganization('Other'), 'admin'));
  const release = await site.services.compute.acquireTurn(admin.orgId);
  const sent = Array.from({ length: MOST_WAITING }, () => sendPrices());
  await until(waiting, (count) => count === MOST_WAITING);
  const refused = await sendPrices();
  expect([refused.status, refused.headers['retry-after'], refused.headers['connection']]).toEqual([
    503,
    expect.any(String),
    'close',
  ]);
  expect((await browser.submit(UPLOAD, { text: '2031-01-01 00:00,1', zone: 'UTC' })).status).toBe(200);
  expect((await sendPrices(other)).status).toBe(422);
  release();
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  expect(statuses).toEqual(Array.from({ length: MOST_WAITING }, () => 422));
  expect(site.services.compute.usage.turns.held).toBe(0);
});

test('a long form waits for no turn of a page: a page that has it may wait for that in which the form is read', async () => {
  const form = formOf((await browser.get(UPLOAD)).text, UPLOAD);
  const release = await site.pageTurns.acquire(admin.orgId);
  expect((await browser.post(UPLOAD, { ...form, text })).status).toBe(422);
  release();
});

test('a fleet with a density is previewed in the turn in which its form was read', async () => {
  const { density } = JSON.parse(largestDefinition()) as { density: { grid: Record<string, number> } };
  const { grid, ...rest } = density;
  const fields = Object.fromEntries([
    ...Object.entries(rest as Record<string, string>).map(([name, value]) => [`density/${name}`, value]),
    ...Object.entries(grid).map(([name, value]) => [`density/grid/${name}`, String(value)]),
  ]) as Record<string, string>;
  const form = formOf((await browser.get(CREATION)).text, CREATION);
  const padding = 'x'.repeat(70_000);
  const preview = await browser.post(CREATION, { ...form, ...fields, padding, count: '10', do: 'preview' });
  expect([preview.status, preview.text.includes('Average day of a home')]).toEqual([200, true]);
  expect(site.services.compute.usage.turns.held).toBe(0);
});

test('a browser that leaves while its form waits, or is not read to its end, leaves no turn behind', async () => {
  const { compute } = site.services;
  const release = await compute.acquireTurn(admin.orgId);
  const gone = new AbortController();
  const cookie = `partner_session=${await createSession(site.db, admin, site.now())}`;
  const send = fetch(`${site.baseUrl}${UPLOAD}`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ text }).toString(),
    signal: gone.signal,
  }).catch(() => undefined);
  await until(waiting, (count) => count === 1);
  gone.abort();
  await send;
  await until(waiting, (count) => count === 0);
  release();
  await setImmediate();
  expect(compute.usage.turns.held).toBe(0);
});
