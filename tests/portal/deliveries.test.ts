import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { HOUR_MS } from '../../src/domain/api/durations.ts';
import { insertMessageWithDeliveries } from '../../src/queries/deliveries/deliveries.ts';
import { encodeEnvelope } from '../../src/domain/notifications/envelope.ts';
import type { Topic } from '../../src/domain/notifications/topics.ts';
import { finishDelivery } from '../support/webhook-fixture.ts';
import { startPortal } from './portal-site.ts';
import type { PortalSite } from './portal-site.ts';
import { elementText, formOf } from './visitor.ts';
import type { Visitor } from './visitor.ts';

let site: PortalSite;
let orgId: string;
let browser: Visitor;
let webhookId: string;
let path: string;
beforeAll(async () => {
  site = await startPortal();
});
beforeEach(async () => {
  orgId = await site.addOrganization();
  browser = await site.signedIn(await site.addPerson(orgId, 'admin'));
  const created = await browser.submit('/portal/webhooks/create/', { url: 'https://hooks.example.com/a' });
  webhookId = elementText(created.text, 'webhook_id') ?? '';
  path = `/portal/webhooks/${webhookId}/`;
});
afterAll(() => site.close());

const [NEW, ARRIVED, GIVEN_UP] = ['pending', 'delivered', 'exhausted'] as const;

/** A message of the organization that came so long ago, and what became of it. */
async function message(
  state: typeof NEW | typeof ARRIVED | typeof GIVEN_UP,
  {
    hoursAgo = 0,
    topic = 'device.information',
    org = orgId,
  }: { readonly hoursAgo?: number; readonly topic?: Topic; readonly org?: string } = {},
): Promise<string> {
  const [id, at] = [randomUUID(), new Date(Date.now() - hoursAgo * HOUR_MS)];
  const data = { device_id: randomUUID(), device_type: 'heat_pump', owner_id: randomUUID() } as const;
  const content =
    topic === 'device.information'
      ? { type: topic, data: { ...data, notice: 'device_offline' } }
      : { type: topic, data: { ...data, action: 'reauthentication_required' } };
  const payload = encodeEnvelope(id, content, at);
  const written = { org_id: org, id, message_type: topic, occurred_at: at, payload };
  await site.db.transaction().execute((tx) => insertMessageWithDeliveries(tx, written, at));
  const key = { org_id: org, message_id: id, webhook_id: webhookId };
  if (state !== NEW) await finishDelivery(site.db, key, { state, attempts: state === ARRIVED ? 2 : 10 }, at);
  return id;
}

/** The messages that a page of the log lists. */
const listed = (text: string): string[] => [
  ...new Set([...text.matchAll(/deliveries\/([0-9a-f-]{36})\//g)].map(([, id]) => id ?? '')),
];

const stateOf = async (id: string) =>
  (
    await site.db
      .selectFrom('deliveries')
      .select(['state', 'attempts', 'request_id'])
      .where('message_id', '=', id)
      .executeTakeFirstOrThrow()
  ).state;

test('the log is filtered by state, topic, time and message, as its address says', async () => {
  const fresh = await message(NEW);
  const arrived = await message(ARRIVED, { hoursAgo: 1, topic: 'device.action_required' });
  const givenUp = await message(GIVEN_UP, { hoursAgo: 2 });
  const log = async (query: string) => listed((await browser.get(`${path}deliveries/${query}`)).text);
  const since = new Date(Date.now() - 1.5 * HOUR_MS).toISOString().slice(0, 16);
  const found = {
    all: await log(''),
    pending: await log('?state=pending'),
    delivered: await log('?state=delivered'),
    exhausted: await log('?state=exhausted'),
    cancelled: await log('?state=cancelled'),
    topic: await log('?topic=device.action_required'),
    since: await log(`?since=${since}`),
    until: await log(`?until=${since}`),
    both: await log(`?since=${since}&state=delivered&topic=device.action_required`),
    message: await log(`?message=${givenUp.toUpperCase()}`),
    another: await log(`?message=${randomUUID()}`),
  };
  expect(found).toEqual({
    all: [fresh, arrived, givenUp],
    pending: [fresh],
    delivered: [arrived],
    exhausted: [givenUp],
    cancelled: [],
    topic: [arrived],
    since: [fresh, arrived],
    until: [givenUp],
    both: [arrived],
    message: [givenUp],
    another: [],
  });
  expect((await browser.get(`${path}deliveries/?state=cancelled`)).text).toContain('No delivery fits');
});

test('a filter that says nothing is refused at its field', async () => {
  await message(NEW);
  for (const [name, value] of [
    ['state', 'lost'],
    ['topic', 'device.unknown'],
    ['since', 'yesterday'],
    ['until', '2026-02-30T00:00'],
    ['message', '12'],
  ] as const) {
    const page = await browser.get(`${path}deliveries/?${name}=${value}`);
    expect([name, page.status, listed(page.text)]).toEqual([name, 422, []]);
    expect(page.text).toContain(`id="error_${name}"`);
  }
});

test('the log goes on page by page, with its filter', async () => {
  const ids: string[] = [];
  for (let hours = 0; hours < 52; hours += 1) ids.push(await message(GIVEN_UP, { hoursAgo: hours }));
  const first = await browser.get(`${path}deliveries/?state=exhausted`);
  const more = /rel="next" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect(more).toContain('state=exhausted');
  const second = await browser.get(more);
  expect([listed(first.text), listed(second.text)]).toEqual([ids.slice(0, 50), ids.slice(50)]);
  expect(second.text).not.toContain('rel="next"');
});

test('a delivery shows its body, its headers and each attempt', async () => {
  const id = await message(ARRIVED, { hoursAgo: 1 });
  const { text, status } = await browser.get(`${path}deliveries/${id}/`);
  expect(status).toBe(200);
  expect(text).toContain('It arrived at attempt 2.');
  expect(text).toContain('&quot;notice&quot;: &quot;device_offline&quot;');
  expect(text).toContain('Service-Signature');
  expect(text).toMatch(/Status 500.*It answered 500\..*8\.8\.8\.8.*12 ms/s);
  await site.db
    .updateTable('delivery_attempts')
    .set({ lookup_ms: 1, tls_ms: 7, answer_ms: 4 })
    .where('message_id', '=', id)
    .where('attempt', '=', 2)
    .execute();
  const timed = (await browser.get(`${path}deliveries/${id}/`)).text;
  expect(timed).toContain('lookup 1, TLS 7, answer 4');
  const strange = await message(NEW, { org: await site.addOrganization() });
  for (const other of [strange, randomUUID(), 'x'])
    expect((await browser.get(`${path}deliveries/${other}/`)).status).toBe(404);
});

test('a delivery that was sent again and again says that its oldest attempts are not shown', async () => {
  const id = await message(NEW);
  const page = async (): Promise<string> => (await browser.get(`${path}deliveries/${id}/`)).text;
  const finish = (attempts: number): Promise<void> => {
    const key = { org_id: orgId, message_id: id, webhook_id: webhookId };
    return finishDelivery(site.db, key, { state: ARRIVED, attempts }, new Date());
  };
  const rows = (text: string): number => text.match(/It answered 500\.|Accepted\./g)?.length ?? 0;
  await finish(100);
  const whole = await page();
  expect([rows(whole), whole.includes('not shown')]).toEqual([100, false]);
  await site.db.deleteFrom('delivery_attempts').where('message_id', '=', id).execute();
  await finish(103);
  const cut = await page();
  expect(rows(cut)).toBe(100);
  expect(cut).toContain('Of 103 attempts the newest 100; those before are not shown.');
});

test.each([
  [
    3,
    /3 attempts failed; the next one is due at .* UTC\. While they fail, it is tried until about .* UTC, 10 attempts at most\./,
  ],
  [9, /9 attempts failed; the next one is due at .* UTC\. It is the last one\./],
  [10, /10 attempts failed; the next one is due at .* UTC\. It is the last one\./],
])('a delivery that failed %i times says how long it is tried', async (attempts, verdict) => {
  const id = await message(NEW);
  const due = new Date(Date.now() + HOUR_MS);
  await site.db
    .updateTable('deliveries')
    .set({ attempts, due_at: due })
    .where('message_id', '=', id)
    .execute();
  const { text } = await browser.get(`${path}deliveries/${id}/`);
  expect(text).toMatch(verdict);
  const end = new Date(due.getTime() + (10 * 60 + 30 * 60) * 1_000 + 44 * HOUR_MS);
  if (attempts === 3)
    expect(text).toContain(`until about ${end.toISOString().slice(0, 16).replace('T', ' ')} UTC`);
});

test('one that was given up is over, and the page of redelivery says what is sent and what comes twice', async () => {
  const id = await message(GIVEN_UP);
  expect((await browser.get(`${path}deliveries/${id}/`)).text).toContain(
    'It was given up after 10 attempts: none follows by itself.',
  );
  const { text } = await browser.get(`${path}redeliver/`);
  expect(text).toContain('Messages that are still pending go by themselves');
  expect(text).toContain('comes again with the same <code>webhook-id</code>');
});

test('the page of the webhook groups what failed by cause, with its cure, and draws the attempts of a day', async () => {
  const givenUp = await message(GIVEN_UP);
  await message(ARRIVED);
  await site.db
    .updateTable('delivery_attempts')
    .set({ error_class: 'tls', status_code: null })
    .where('message_id', '=', givenUp)
    .where('attempt', '<=', 4)
    .execute();
  const { text } = await browser.get(path);
  expect(text).toContain('Of 12 attempts in the last 24 hours 11 failed.');
  expect(text).toMatch(/Status 500: 7 attempts of 2 messages.*1 given up\. The endpoint&#39;s own error/s);
  expect(text).toMatch(/TLS failed: 4 attempts of 1 message<.*1 given up\. The certificate has expired/s);
  const file = await browser.get(`${path}attempts.csv`);
  expect(file.headers['content-type']).toContain('text/csv');
  const [head, ...rows] = file.text.trimEnd().split('\r\n');
  expect(head).toBe('from,accepted,failed,median_ms,p95_ms');
  expect(rows.map((row) => row.split(',').slice(1))).toEqual([['1', '11', '12', '12']]);
});

test('one delivery is sent again, and once', async () => {
  const id = await message(GIVEN_UP);
  const page = `${path}deliveries/${id}/`;
  const form = formOf((await browser.get(page)).text, `${page}redeliver/`);
  const again = await browser.post(`${page}redeliver/`, form);
  expect(again.headers['location']).toBe(`${page}?notice=redelivered`);
  expect(await stateOf(id)).toBe('pending');
  const twice = await browser.post(`${page}redeliver/`, form);
  expect([twice.status, twice.text.includes('The delivery is pending')]).toEqual([409, true]);
});

test('the chosen ones are sent again, and no other', async () => {
  const [first, second, third] = [await message(GIVEN_UP), await message(ARRIVED), await message(GIVEN_UP)];
  const log = `${path}deliveries/`;
  const form = formOf((await browser.get(log)).text, log);
  const chosen = { ...form, [`message:${first}`]: 'yes', [`message:${second}`]: 'yes', 'message:x': 'yes' };
  const sent = await browser.post(log, chosen);
  expect(sent.headers['location']).toBe(`${log}?sent=2&refused=0`);
  expect([await stateOf(first), await stateOf(second), await stateOf(third)]).toEqual([
    'pending',
    'pending',
    'exhausted',
  ]);
  const again = await browser.post(log, { ...chosen, [`message:${third}`]: 'yes' });
  expect(again.headers['location']).toBe(`${log}?sent=1&refused=2`);
  expect((await browser.get(again.headers['location'] ?? '')).text).toContain('1 sent again. 2 could not be');
});

test('all since an instant are sent again, each once, also when one of them is given up again meanwhile', async () => {
  const old = await message(GIVEN_UP, { hoursAgo: 30 });
  const meant = [await message(GIVEN_UP, { hoursAgo: 3 }), await message(GIVEN_UP, { hoursAgo: 2 })];
  const arrived = await message(ARRIVED, { hoursAgo: 1 });
  const page = `${path}redeliver/`;
  const { text } = await browser.get(page);
  expect(text).toContain('2 messages can be sent again.');
  const form = formOf(text, page);
  const begun = await browser.post(page, form);
  const progress = begun.headers['location'] ?? '';
  expect([begun.status, new URLSearchParams(progress.split('?')[1]).get('done')]).toEqual([303, '2']);
  const states = async () => Promise.all([old, ...meant, arrived].map(stateOf));
  expect(await states()).toEqual(['exhausted', 'pending', 'pending', 'delivered']);
  await site.db
    .updateTable('deliveries')
    .set({ state: 'exhausted', finished_at: new Date() })
    .where('message_id', 'in', meant)
    .execute();
  const done = await browser.get(progress);
  expect([done.text.includes('2 messages sent again'), done.text.includes('All are sent again.')]).toEqual([
    true,
    true,
  ]);
  const again = formOf(done.text, page);
  await browser.post(page, again);
  expect(await states()).toEqual(['exhausted', 'exhausted', 'exhausted', 'delivered']);
  await browser.submit(page, {});
  expect(await states()).toEqual(['exhausted', 'pending', 'pending', 'delivered']);
});

test('an address that somebody else has written sends nothing by itself', async () => {
  await message(GIVEN_UP);
  const page = `${path}redeliver/`;
  const form = formOf((await browser.get(page)).text, page);
  const { location: own = '' } = (await browser.post(page, form)).headers;
  await message(GIVEN_UP, { hoursAgo: 1 });
  expect((await browser.get(own)).text).toContain('data-goes-on');
  const { text } = await browser.get(own.replace(/(?<=run=)[^&]+/, randomUUID()));
  const said = ['data-goes-on', 'sent again,', 'can be sent again.'].map((part) => text.includes(part));
  expect(said).toEqual([false, false, true]);
});

test('a disabled webhook is sent nothing again', async () => {
  const id = await message(GIVEN_UP);
  const form = formOf((await browser.get(`${path}redeliver/`)).text, `${path}redeliver/`);
  await browser.submit(path, { enabled: 'false' }, `${path}state/`);
  expect((await browser.get(`${path}redeliver/`)).text).toContain('Enable it first.');
  await browser.post(`${path}redeliver/`, form);
  expect(await stateOf(id)).toBe('exhausted');
  expect((await browser.get(`${path}deliveries/${id}/`)).text).not.toContain('Send it again');
});
