// What is wrong with fleets, on the first page of the organization: for whoever may see it, with the way to its cause.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { triggerDeviceEvent } from '../../src/operations/fleets/device-events.ts';
import { needsOfFleetDevices } from '../../src/portal/fleet-needs.ts';
import { addHome } from './portal-fleets.ts';
import type { SiteHome } from './portal-fleets.ts';
import { startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';

let site: PortalSite;
let admin: Person;
let home: SiteHome;
beforeAll(async () => {
  site = await startPortal();
  admin = await site.addPerson(await site.addOrganization(), 'admin');
  home = await addHome(site, admin);
});
afterAll(() => site.close());

const orgId = (): string => home.fleet.simulationOrgId;

async function happen(code: 'device_offline' | 'reauthenticate'): Promise<void> {
  const { services, db } = site;
  const token = { applicationId: '', tokenDigest: '', scope: 'read write' };
  const actor = {
    ...token,
    userId: admin.userId,
    orgId: admin.orgId,
    partnerId: admin.orgId,
    role: 'admin',
  } as const;
  const [clock, requestId] = [() => new Date(), randomUUID()];
  await triggerDeviceEvent(
    { ...services, db, clock, now: clock(), requestId, actor, orgId: admin.orgId },
    {
      path: {
        org_id: admin.orgId,
        job_id: home.fleet.id,
        device_id: home.devices.get('heat_pump') ?? '',
      },
      query: {},
      headers: {},
      body: { code },
    },
  );
}

/** A webhook of the simulation of which three attempts have failed. */
async function addFailingWebhook(): Promise<string> {
  const [webhookId, now] = [randomUUID(), new Date()];
  await site.db
    .insertInto('webhooks')
    .values({
      org_id: orgId(),
      id: webhookId,
      url: 'https://hooks.example/a',
      topics: ['device.information'],
      enabled: true,
      encrypted_secret: Buffer.alloc(8),
      secret_key_id: 'key',
      created_at: now,
      updated_at: now,
    })
    .execute();
  const id = randomUUID();
  const message = { id, message_type: 'device.information', payload: Buffer.from('{}') };
  await site.db
    .insertInto('messages')
    .values({ org_id: orgId(), ...message, occurred_at: now, created_at: now })
    .execute();
  const delivery = { org_id: orgId(), message_id: id, webhook_id: webhookId };
  await site.db
    .insertInto('deliveries')
    .values({ ...delivery, state: 'pending', attempts: 3, due_at: now, created_at: now })
    .execute();
  for (const attempt of [1, 2, 3])
    await site.db
      .insertInto('delivery_attempts')
      .values({
        ...delivery,
        attempt,
        started_at: now,
        duration_ms: 5,
        secret_version: 1,
        outcome: 'failed',
        error_class: 'dns',
      })
      .execute();
  return webhookId;
}

/** The titles of what needs action on a page, with where they lead. */
async function readNeeds(person: Person, path: string): Promise<readonly (readonly [string, string])[]> {
  const { text } = await (await site.signedIn(person)).get(path);
  return [...text.matchAll(/<strong><a href="([^"]*)">([^<]*)<\/a><\/strong>/g)].map(
    ([, href = '', title = '']) => [title, href.replaceAll('&amp;', '&')],
  );
}

test('devices that are offline or ask for a sign-in, and a webhook that fails, are told with their causes', async () => {
  const staff = await site.addPerson(admin.orgId, 'staff');
  expect(await readNeeds(admin, '/portal/')).toEqual([]);
  await happen('device_offline');
  await happen('reauthenticate');
  const webhookId = await addFailingWebhook();
  const { name } = await site.db
    .selectFrom('fleets')
    .select('name')
    .where('id', '=', home.fleet.id)
    .executeTakeFirstOrThrow();
  const exceptions = `/portal/fleets/${home.fleet.id}/#exceptions`;
  const webhook = `/portal/webhooks/${webhookId}/?org=${orgId()}`;
  const [offline, signIn] = [
    [`1 device of ${name} is offline`, exceptions],
    [`1 device of ${name} asks for a new sign-in`, exceptions],
  ] as const;
  expect(await readNeeds(admin, '/portal/')).toEqual([
    [`Webhook hooks.example of ${name} is failing`, webhook],
    offline,
    signIn,
  ]);
  // Webhooks are not theirs to see.
  expect(await readNeeds(staff, '/portal/')).toEqual([offline, signIn]);
  expect(await readNeeds(staff, `/portal/?org=${orgId()}`)).toEqual([offline, signIn]);
  expect(await readNeeds(admin, `/portal/?org=${orgId()}`)).toEqual([
    ['Webhook hooks.example is failing', webhook],
    ['1 device to be connected again', `/portal/notifications/?org=${orgId()}&code=reauthenticate`],
    offline,
  ]);
});

test('fleets that stand still are not told, nor more than ten conditions one by one', () => {
  const fleet = (id: string, status: 'running' | 'stopped') => ({
    id,
    name: id,
    status,
    simulationOrgId: id,
    householdCount: 1,
    createdCount: 1,
    error: null,
    createdAt: new Date(0),
    isReachable: true,
  });
  const condition = (orgId: string, count: number) =>
    ({ orgId, code: 'device_offline', count, since: new Date(0) }) as const;
  const running = Array.from({ length: 12 }, (_, index) => `fleet ${index}`);
  const needs = needsOfFleetDevices(
    [...running.map((id) => fleet(id, 'running')), fleet('still', 'stopped')],
    [...running.map((id, index) => condition(id, index + 1)), condition('still', 99)],
  );
  expect(needs.map(({ title }) => title)).toEqual([
    ...running
      .toReversed()
      .slice(0, 10)
      .map((id, index) => `${12 - index} devices of ${id} are offline`),
    '2 more conditions of other fleets',
  ]);
});
