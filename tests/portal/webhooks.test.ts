import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { webhookSecretContext, decrypt } from '../../src/domain/security/encryption.ts';
import { readReferenceFile } from '../../src/reference/page-list.ts';
import { findWebhookWithSecret } from '../../src/queries/deliveries/webhooks.ts';
import { addFleet } from '../support/fleet-records.ts';
import { startPortal } from './portal-site.ts';
import type { PortalSite } from './portal-site.ts';
import { elementText, formOf } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const LIST = '/portal/webhooks/';
const CREATE = `${LIST}create/`;
const URL = 'https://hooks.sun-and-sons.example/devices';

let site: PortalSite;
let orgId: string;
let browser: Visitor;
beforeAll(async () => {
  site = await startPortal();
});
beforeEach(async () => {
  orgId = await site.addOrganization();
  browser = await site.signedIn(await site.addPerson(orgId, 'admin'));
});
afterAll(() => site.close());

interface Created {
  readonly id: string;
  readonly secret: string;
  readonly path: string;
}

async function created(topics: Readonly<Record<string, string>> = {}): Promise<Created> {
  const answer = await browser.submit(CREATE, { url: URL, ...topics });
  expect(answer.status).toBe(200);
  const [id, secret] = ['webhook_id', 'webhook_secret'].map((name) => elementText(answer.text, name) ?? '');
  return { id: id ?? '', secret: secret ?? '', path: `${LIST}${id ?? ''}/` };
}

const stored = async (id: string, organization = orgId) => {
  const found = await findWebhookWithSecret(site.db, organization, id);
  if (found === undefined) throw new Error('There is no such webhook.');
  return found;
};

const secretOf = async (id: string) =>
  decrypt(site.services.keyring, (await stored(id)).secret, webhookSecretContext(id)).reveal();

test('a webhook is created with all topics, and its secret is shown once', async () => {
  const { id, secret, path } = await created();
  expect(await stored(id)).toMatchObject({
    url: URL,
    enabled: true,
    topics: ['device.action_required', 'device.information'],
  });
  expect(secret).toBe(await secretOf(id));
  for (const page of [LIST, path, `${path}update/`, `${path}secret/`, `${path}test/`])
    expect([page, (await browser.get(page)).text.includes(secret)]).toEqual([page, false]);
  expect(site.logged.join('\n')).not.toContain(secret);
});

test('an address that cannot be called is refused at its field, and the boxes stay as they were', async () => {
  const form = formOf((await browser.get(CREATE)).text, CREATE);
  const refused = await browser.post(CREATE, {
    csrf_token: form['csrf_token'] ?? '',
    url: 'http://127.0.0.1/',
    'topic:device.information': 'yes',
  });
  expect(refused.status).toBe(422);
  expect(elementText(refused.text, 'error_url')).toContain('https');
  expect(Object.keys(formOf(refused.text, CREATE)).filter((name) => name.startsWith('topic:'))).toEqual([
    'topic:device.information',
  ]);
});

test('topics and state are changed, and a stale form shows both values', async () => {
  const { id, path } = await created();
  const update = `${path}update/`;
  const form = formOf((await browser.get(update)).text, update);
  const { 'topic:device.information': left, ...fewer } = form;
  expect(left).toBe('yes');
  const changed = await browser.post(update, fewer);
  expect(changed.headers['location']).toBe(`${path}?notice=webhook_updated`);
  expect((await stored(id)).topics).toEqual(['device.action_required']);

  const stale = await browser.post(update, { ...form, enabled: 'false' });
  expect(stale.status).toBe(412);
  expect(stale.text).toMatch(/id="stored_topics">.*Stored now: device\.action_required</s);
  expect(stale.text).toMatch(/id="stored_enabled">.*Stored now: Enabled</s);
  expect((await stored(id)).enabled).toBe(true);
  expect((await browser.post(update, formOf(stale.text, update))).status).toBe(303);
  expect(await stored(id)).toMatchObject({
    enabled: false,
    topics: ['device.action_required', 'device.information'],
  });
});

test('one button disables it and enables it again, unless the page is stale', async () => {
  const { id, path } = await created();
  const state = `${path}state/`;
  const before = formOf((await browser.get(path)).text, state);
  const disabled = await browser.post(state, { ...before, enabled: 'false' });
  expect(disabled.headers['location']).toBe(`${path}?notice=webhook_disabled`);
  expect((await stored(id)).enabled).toBe(false);
  const again = await browser.post(state, { ...before, enabled: 'false' });
  expect([again.status, again.headers['location']]).toEqual([303, disabled.headers['location']]);
  const stale = await browser.post(state, { ...before, enabled: 'true' });
  expect([stale.status, (await stored(id)).enabled]).toEqual([412, false]);
  const enabled = await browser.submit(path, { enabled: 'true' }, state);
  expect(enabled.headers['location']).toBe(`${path}?notice=webhook_enabled`);
  expect((await stored(id)).enabled).toBe(true);
});

test('the secret is replaced once by a form, and shown once', async () => {
  const { id, secret, path } = await created();
  const rotate = `${path}secret/`;
  const form = formOf((await browser.get(rotate)).text, rotate);
  const replaced = await browser.post(rotate, form);
  const fresh = elementText(replaced.text, 'webhook_secret');
  expect(fresh).toBe(await secretOf(id));
  expect(fresh).not.toBe(secret);
  const again = await browser.post(rotate, form);
  expect(again.headers['location']).toBe(`${path}?notice=secret_stale`);
  expect(await secretOf(id)).toBe(fresh);
});

test('a test message is sent, and what came of it is said', async () => {
  const { path } = await created();
  const sent = await browser.submit(`${path}test/`, { topic: 'device.information' });
  expect([sent.status, sent.text.includes('The endpoint answered with 204.')]).toEqual([200, true]);
  const refused = await browser.submit(`${path}test/`, { topic: 'device.unknown' });
  expect([refused.status, refused.text.includes('Nothing was sent.')]).toEqual([422, true]);
  await browser.submit(path, { enabled: 'false' }, `${path}state/`);
  expect((await browser.get(`${path}test/`)).text).toContain('It is disabled: nothing would be sent.');
});

test('its page has the programs of the guide that verify a signature, with its address and id', async () => {
  const { id, path } = await created();
  const { text } = await browser.get(path);
  const guide = readReferenceFile('guide/signatures.md');
  const programs = [...guide.matchAll(/^```\w+ \w+\n(.*?)^```$/gms)].map(([, code = '']) => code);
  expect(programs).toHaveLength(3);
  const shown = [
    ...text.matchAll(/<pre [^>]*aria-label="(?:TypeScript|Python|Shell)"><code>(.*?)<\/code>/gs),
  ].map(([, code = '']) => unescape(code));
  for (const [index, code] of programs.entries()) {
    expect(shown[index]?.endsWith(code)).toBe(true);
    expect(shown[index]).toContain(`What is sent to ${URL}`);
    expect(shown[index]).toContain(id);
  }
});

const unescape = (html: string): string =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

test('a deletion is asked for, and ends it', async () => {
  const { id, path } = await created();
  expect((await browser.get(`${path}delete/`)).text).toContain('This cannot be undone.');
  const deleted = await browser.submit(`${path}delete/`, {});
  expect(deleted.headers['location']).toBe(`${LIST}?notice=webhook_deleted`);
  expect((await stored(id)).deleted_at).not.toBeNull();
  expect((await browser.get(path)).status).toBe(404);
});

test('a webhook of a simulation is created in its scope, and is not in the own organization', async () => {
  const fleet = await addFleet(site.db, orgId, new Date());
  const create = `${CREATE}?org=${fleet.orgId}`;
  const answer = await browser.submit(create, { url: URL });
  const id = elementText(answer.text, 'webhook_id') ?? '';
  expect((await stored(id, fleet.orgId)).url).toBe(URL);
  const statuses = await Promise.all(
    [`${LIST}${id}/?org=${fleet.orgId}`, `${LIST}${id}/`].map(
      async (path) => (await browser.get(path)).status,
    ),
  );
  expect(statuses).toEqual([200, 404]);
  expect((await browser.get(`${LIST}?org=${fleet.orgId}`)).text).toContain(URL);
  expect((await browser.get(LIST)).text).toContain('No webhook yet.');
});

test('only admins have pages of webhooks, and no stranger reaches one', async () => {
  const { id, path } = await created();
  const stranger = await site.signedIn(await site.addPerson(await site.addOrganization(), 'admin'));
  const staff = await site.signedIn(await site.addPerson(orgId, 'staff'));
  const parts = ['', 'update/', 'secret/', 'test/', 'delete/'];
  const statusOf = async (visitor: Visitor) => [
    ...new Set(await Promise.all(parts.map(async (part) => (await visitor.get(`${path}${part}`)).status))),
  ];
  expect([await statusOf(stranger), await statusOf(staff)]).toEqual([[404], [403]]);
  expect((await staff.get(LIST)).status).toBe(403);
  expect((await staff.get('/portal/')).text).not.toContain(LIST);
  for (const unknown of [randomUUID(), 'not-an-id'])
    expect((await browser.get(`${LIST}${unknown}/`)).status).toBe(404);
  const token = formOf((await staff.get('/accounts/logout/')).text, '/accounts/logout/')['csrf_token'] ?? '';
  const posted = await staff.post(`${path}delete/`, { csrf_token: token });
  expect([posted.status, (await stored(id)).deleted_at]).toEqual([403, null]);
});
