import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertOrganization } from '../../src/queries/accounts/organizations.ts';
import { startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';
import type { Visitor } from './visitor.ts';

let site: PortalSite;
let orgId: string;
let admin: Person;
let browser: Visitor;
beforeAll(async () => {
  site = await startPortal();
  orgId = await site.addOrganization();
  admin = await site.addPerson(orgId, 'admin');
  browser = await site.signedIn(admin);
});
afterAll(() => site.close());

interface FleetGiven {
  readonly name: string;
  readonly status?: 'running' | 'failed' | 'provisioning' | 'purging';
  readonly created?: number;
  readonly error?: string;
}

/** A fleet of ten homes, without any; resolves to its simulation organization. */
async function addFleet({ name, status = 'running', created = 10, error }: FleetGiven): Promise<string> {
  const [id, simulationOrgId, now] = [randomUUID(), randomUUID(), new Date()];
  const organization = { id: simulationOrgId, name, kind: 'simulation', parentOrgId: orgId } as const;
  await insertOrganization(site.db, { ...organization, createdAt: now });
  await site.db
    .insertInto('fleets')
    .values({
      org_id: orgId,
      id,
      request_id: id,
      name,
      status,
      simulation_org_id: simulationOrgId,
      seed: 1,
      model_version: 2,
      household_count: 10,
      created_count: created,
      definition: '{}',
      error: error ?? null,
      history_from: now,
      history_to: now,
      created_at: now,
    })
    .execute();
  return simulationOrgId;
}

async function addWebhook(org: string, enabled = true): Promise<string> {
  const [id, now] = [randomUUID(), new Date()];
  const secret = { encrypted_secret: Buffer.alloc(8), secret_key_id: 'key' };
  await site.db
    .insertInto('webhooks')
    .values({
      org_id: org,
      id,
      url: 'https://hooks.example/a',
      topics: [],
      enabled,
      ...secret,
      created_at: now,
      updated_at: now,
    })
    .execute();
  return id;
}

async function addDelivery(
  org: string,
  webhookId: string,
  state: 'delivered' | 'exhausted' | 'pending',
): Promise<void> {
  const [id, now] = [randomUUID(), new Date()];
  await site.db
    .insertInto('messages')
    .values({
      org_id: org,
      id,
      message_type: 'device.information',
      occurred_at: now,
      payload: Buffer.from('{}'),
      created_at: now,
    })
    .execute();
  await site.db
    .insertInto('deliveries')
    .values({ org_id: org, message_id: id, webhook_id: webhookId, state, due_at: now, created_at: now })
    .execute();
}

test('a new organization is told the next step and nothing that could alarm', async () => {
  const other = await site.addOrganization();
  const page = await (await site.signedIn(await site.addPerson(other, 'admin'))).get('/portal/');
  expect(page.text).toContain('Nothing needs action. No fleet runs.');
  expect(page.text).toMatch(/aria-current="step">[^]*?<strong>Register an application<\/strong>/);
  expect(page.text).toContain(`/org/${other}/device-simulator/fleets`);
});

test('home tells what runs, what failed and what was delivered, with the ids of the reader', async () => {
  const simulation = await addFleet({ name: 'Vienna' });
  await addFleet({ name: 'Graz', status: 'provisioning', created: 3 });
  await addFleet({ name: 'Linz', status: 'failed', error: 'No room in the density.' });
  const own = await addWebhook(orgId);
  const disabled = await addWebhook(orgId, false);
  for (const state of ['delivered', 'delivered', 'exhausted', 'pending'] as const)
    await addDelivery(orgId, own, state);
  const { text } = await browser.get('/portal/');
  expect(text).toContain('3 things need action. 1 fleet runs with 10 homes.');
  for (const [title, href] of [
    ['Fleet Linz could not be built', /^\/portal\/fleets\/[0-9a-f-]{36}\/$/],
    ['1 message to hooks.example given up', `/portal/webhooks/${own}/deliveries/?state=exhausted`],
    ['Webhook hooks.example is disabled', `/portal/webhooks/${disabled}/`],
  ] as const)
    expect(new RegExp(`href="([^"]*)">${title}<`).exec(text)?.[1], title).toMatch(href);
  expect(text).toContain('No room in the density. Clean it up and create it again.');
  expect(text).toContain('Of 4 messages in the last hour 2 arrived, 1 pending, 1 given up.');
  expect(text).toContain('3 of 10');
  expect(text).toContain(`href="/portal/?org=${simulation}"`);
  expect(text).toContain(`${site.baseUrl}/api/partners/v2.0/org/${orgId}/device-simulator/fleets&quot;`);
});

test("a simulation's home is tinted, has its own deliveries, and keeps the scope in its links", async () => {
  const simulation = await addFleet({ name: 'Salzburg' });
  const webhook = await addWebhook(simulation);
  await addDelivery(simulation, webhook, 'delivered');
  const { text } = await browser.get(`/portal/?org=${simulation}`);
  expect(text).toContain('<body class="shell simulation">');
  expect(text).toContain('<h1>Salzburg</h1>');
  expect(text).toContain('Of 1 message in the last hour 1 arrived.');
  expect(text).toContain(`href="/portal/users/?org=${simulation}"`);
  expect(text).toContain('aria-current="page"');
  // It has a webhook, an event and a delivery: what is left is to resolve an action.
  await browser.submit('/oauth2/applications/register/', { name: 'Any' });
  const later = await browser.get(`/portal/?org=${simulation}`);
  expect(later.text).toMatch(/aria-current="step">[^]*?<strong>Resolve the action<\/strong>/);
});

test('an organization that is not reached is not found, whoever asks', async () => {
  const purging = await addFleet({ name: 'Wels', status: 'purging' });
  const stranger = await site.signedIn(await site.addPerson(await site.addOrganization(), 'admin'));
  const reached = await addFleet({ name: 'Steyr' });
  for (const [visitor, org, status] of [
    [browser, reached, 200],
    [browser, purging, 404],
    [browser, randomUUID(), 404],
    [browser, 'nonsense', 404],
    [stranger, reached, 404],
    [stranger, orgId, 404],
  ] as const) {
    expect([org, (await visitor.get(`/portal/?org=${org}`)).status]).toEqual([org, status]);
    expect([org, (await visitor.get(`/portal/users/?org=${org}`)).status]).toEqual([org, status]);
  }
});

test('staff see fleets, and nothing of webhooks and deliveries', async () => {
  const staff = await site.signedIn(await site.addPerson(orgId, 'staff'));
  const { text } = await staff.get('/portal/');
  expect(text).toContain('Fleets');
  expect(text).not.toMatch(/Deliveries|Webhook|webhook|Open actions/);
});

test('who is signed in is never asked to log in, also where nothing else is known of the visitor', async () => {
  for (const path of ['/', '/portal/', '/portal/nothing/', '/accounts/logout/'])
    expect([path, (await browser.get(path)).text.includes('>Log in<')]).toEqual([path, false]);
  expect((await site.visitor().get('/')).text).toContain('>Log in<');
});
