// Which webhooks are failing, on the first page and in their list, and what the page of one that is silent advises.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { encodeEnvelope } from '../../src/domain/notifications/envelope.ts';
import { insertMessageWithDeliveries } from '../../src/queries/deliveries/deliveries.ts';
import { startPortal } from './portal-site.ts';
import type { PortalSite } from './portal-site.ts';
import { elementText, formOf } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const LIST = '/portal/webhooks/';

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
  const created = await browser.submit(`${LIST}create/`, { url: 'https://hooks.example.com/a' });
  webhookId = elementText(created.text, 'webhook_id') ?? '';
  path = `${LIST}${webhookId}/`;
});
afterAll(() => site.close());

/** A message whose attempts ended so, each a second after the one before, the first so many seconds from now. */
async function attempted(outcomes: readonly ('tls' | 'delivered')[], { seconds = 0 } = {}): Promise<void> {
  const [id, at] = [randomUUID(), new Date(Date.now() + seconds * 1_000)];
  const data = { device_id: randomUUID(), device_type: 'heat_pump', owner_id: randomUUID() } as const;
  const content = { type: 'device.information', data: { ...data, notice: 'device_offline' } } as const;
  const payload = encodeEnvelope(id, content, at);
  const written = { org_id: orgId, id, message_type: content.type, occurred_at: at, payload };
  await site.db.transaction().execute((tx) => insertMessageWithDeliveries(tx, written, at));
  await site.db
    .updateTable('deliveries')
    .set({ attempts: outcomes.length, state: outcomes.at(-1) === 'delivered' ? 'delivered' : 'pending' })
    .where('message_id', '=', id)
    .execute();
  for (const [index, outcome] of outcomes.entries())
    await site.db
      .insertInto('delivery_attempts')
      .values({
        org_id: orgId,
        message_id: id,
        webhook_id: webhookId,
        attempt: index + 1,
        started_at: new Date(at.getTime() + index * 1_000),
        duration_ms: 12,
        secret_version: 1,
        ...(outcome === 'delivered'
          ? { outcome, status_code: 204 }
          : { outcome: 'failed' as const, error_class: outcome }),
      })
      .execute();
}

const stateInList = async (): Promise<string | undefined> =>
  /class="status (\w+)">.*?<\/svg>(.*?)<\/td>/s
    .exec((await browser.get(LIST)).text)
    ?.slice(1)
    .join(' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

test('a webhook is failing once three attempts one behind the other have failed, until one is accepted', async () => {
  await attempted(['delivered'], { seconds: -100 });
  await attempted(['tls', 'tls'], { seconds: -90 });
  expect(await stateInList()).toBe('ok Enabled');
  expect((await browser.get('/portal/')).text).toContain('Nothing needs action.');

  await attempted(['tls'], { seconds: -60 });
  expect(await stateInList()).toBe('error Failing TLS failed');
  const home = (await browser.get('/portal/')).text;
  expect(home).toContain(`href="${path}">Webhook hooks.example.com is failing<`);
  expect(home).toContain(
    'Its latest 3 attempts failed, the last one with: TLS failed. The certificate has expired',
  );
  expect((await browser.get(path)).text).toContain('TLS failed');

  await attempted(['tls', 'delivered'], { seconds: -30 });
  expect(await stateInList()).toBe('ok Enabled');
  expect((await browser.get('/portal/')).text).toContain('Nothing needs action.');
});

test('a disabled webhook is not failing: its main action enables it', async () => {
  await attempted(['tls', 'tls', 'tls'], { seconds: -10 });
  await browser.submit(path, { enabled: 'false' }, `${path}state/`);
  expect(await stateInList()).toBe('neutral Disabled');
  const { text } = await browser.get(path);
  expect(text).toMatch(/It is disabled \(changed \d{4}-\d\d-\d\d \d\d:\d\d UTC\).*Enable it to have it told/);
  expect(text).not.toContain('Send a test');
  expect(text).toMatch(/class="primary">Enable</);
  const enabled = await browser.post(`${path}state/`, formOf(text, `${path}state/`));
  expect(enabled.headers['location']).toBe(`${path}?notice=webhook_enabled`);
  expect((await browser.get(path)).text).toMatch(/class="button primary" href="[^"]*test\/">Send a test</);
});

test('one without a topic is led to choose one', async () => {
  await site.db
    .updateTable('webhooks')
    .set({ topics: [], enabled: false })
    .where('id', '=', webhookId)
    .execute();
  const { text } = await browser.get(path);
  expect(text).toContain('Choose a topic and enable it');
  expect(text).toMatch(new RegExp(`class="button primary" href="${path}update/">Choose topics<`));
});

test('what failed says when it is tried again, and sending it again by hand that it most likely fails', async () => {
  await attempted(['tls', 'tls', 'tls'], { seconds: -10 });
  const dueAt = new Date(Date.now() + 600_000);
  await site.db
    .updateTable('deliveries')
    .set({ due_at: dueAt })
    .where('webhook_id', '=', webhookId)
    .execute();
  const minute = dueAt.toISOString().slice(0, 16).replace('T', ' ');
  const { text } = await browser.get(path);
  expect(text).toContain(`1 still tried, the next attempt at ${minute} UTC.`);
  expect(text).toContain('No attempt was accepted in these hours: there is no duration to show.');
  const page = (): Promise<string> => browser.get(`${path}redeliver/`).then((answer) => answer.text);
  expect(await page()).toMatch(
    /The endpoint still fails\..*Its latest 3 attempts failed, the last one with: TLS failed\./s,
  );
  await attempted(['delivered'], { seconds: -1 });
  expect(await page()).not.toContain('still fails');
  expect((await browser.get(path)).text).not.toContain('No attempt was accepted');
});

test('of a message that was sent again and again the newest attempts count, and the page says so', async () => {
  await attempted(['tls'], { seconds: -300 });
  expect((await browser.get(path)).text).not.toContain('again and again');
  await attempted(Array<'tls'>(103).fill('tls'), { seconds: -200 });
  expect((await browser.get('/portal/')).text).toContain('Its latest 101 attempts failed');
  const { text } = await browser.get(path);
  expect(text).toContain('TLS failed: 21 attempts of 2 messages');
  expect(text).toContain('Of 21 attempts in the last 24 hours 21 failed.');
  expect(text).toContain('Of a message that was sent again and again the newest 20 attempts count.');
});

test('what failed says when it began and when it was last so', async () => {
  await attempted(['tls', 'tls'], { seconds: -10 });
  const { text } = await browser.get(path);
  expect(text).toMatch(
    /first \d{4}-\d\d-\d\d \d\d:\d\d UTC.*last \d{4}-\d\d-\d\d \d\d:\d\d UTC \(just now\)/s,
  );
});

/** Disabled webhooks that were created before the one of the test: a page of the list. */
async function addOlder(): Promise<void> {
  const at = new Date(Date.now() - 3_600_000);
  const webhooks = Array.from({ length: 50 }, (_, index) => ({
    org_id: orgId,
    id: randomUUID(),
    url: `https://hooks.example.com/${index}`,
    topics: [],
    enabled: false,
    encrypted_secret: Buffer.alloc(8),
    secret_key_id: 'key',
    created_at: at,
    updated_at: at,
  }));
  await site.db.insertInto('webhooks').values(webhooks).execute();
}

/** What the list says of the webhook of the test in a column. */
const cellOf = (list: string, column: number): string | undefined =>
  new RegExp(`data-live="${webhookId} ${column}"[^>]*>(.*?)</td>`, 's')
    .exec(list)?.[1]
    ?.replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

test('the 51st webhook is told of as the first one is', async () => {
  await addOlder();
  await attempted(['delivered'], { seconds: -100 });
  await attempted(['tls', 'tls', 'tls'], { seconds: -60 });
  const list = (await browser.get(`${LIST}?page=2`)).text;
  expect(list.match(/data-live="[^"]* 0"/g)).toHaveLength(1);
  expect([1, 3, 4, 5].map((column) => cellOf(list, column))).toEqual(['Failing TLS failed', '1', '1', '0']);
  expect((await browser.get(path)).text).toMatch(/<\/svg>\s*(?:<[^>]*>)*\s*Failing/);
  expect((await browser.get(`${path}redeliver/`)).text).toContain('The endpoint still fails.');
});
