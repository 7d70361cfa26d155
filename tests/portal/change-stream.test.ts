// The stream by which a page hears that something has happened: who may listen, what it tells, and when it ends.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSession } from '../../src/accounts/sessions.ts';
import { EventStream } from '../../src/contract/event-stream.ts';
import { DAY_MS } from '../../src/domain/api/durations.ts';
import { DEFAULT_QUOTAS } from '../../src/domain/api/quotas.ts';
import { writeChanges } from '../../src/portal/change-stream.ts';
import { addPrices, addQueuedFleet, buildFleets } from './portal-fleets.ts';
import type { SiteFleet } from './portal-fleets.ts';
import { startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';

let site: PortalSite;
let admin: Person;
let fleet: SiteFleet;
beforeAll(async () => {
  site = await startPortal();
  admin = await site.addPerson(await site.addOrganization(), 'admin');
  fleet = await addQueuedFleet(site, admin, { count: 2 });
  await buildFleets(site);
});
afterAll(() => site.close());

async function listen(person: Person | undefined, query = ''): Promise<Response> {
  const session = person && (await createSession(site.db, person, new Date()));
  return fetch(`${site.baseUrl}/portal/changes${query}`, {
    headers: session === undefined ? {} : { cookie: `partner_session=${session}` },
    redirect: 'manual',
  });
}

test('an admin hears that something has happened in the scope, and not what', async () => {
  const answer = await listen(admin, `?org=${fleet.simulationOrgId}`);
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
    200,
    'text/event-stream',
    'no-store',
  ]);
  const device = await site.db
    .selectFrom('devices')
    .select(['id', 'user_id'])
    .where('org_id', '=', fleet.simulationOrgId)
    .where('device_type', '=', 'inverter')
    .executeTakeFirstOrThrow();
  const page = `/portal/homes/${device.user_id}/inverters/${device.id}/`;
  const scope = `?org=${fleet.simulationOrgId}`;
  const browser = await site.signedIn(admin);
  await browser.submit(`${page}${scope}`, { code: 'reauthenticate' }, `${page}event/${scope}`);
  const reader = answer.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  expect(Buffer.from(value ?? []).toString()).toBe('data: changed\n\n');
  await reader?.cancel();
});

test.each(['own', 'simulation'] as const)(
  'the pages of an organization and of its simulations hear that prices came: %s',
  async (kind) => {
    const answer = await listen(admin, kind === 'own' ? '' : `?org=${fleet.simulationOrgId}`);
    await addPrices(
      site,
      admin,
      new Map([[new Date(Math.ceil(Date.now() / DAY_MS) * DAY_MS), Math.random()]]),
    );
    const reader = answer.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toBe('data: changed\n\n');
    await reader?.cancel();
  },
);

test('whoever asks for the head alone gets it, and no stream', async () => {
  const session = await createSession(site.db, admin, new Date());
  const socket = connect(Number(new URL(site.baseUrl).port), '127.0.0.1');
  const cookie = `Cookie: partner_session=${session}`;
  socket.write(`HEAD /portal/changes HTTP/1.1\r\nHost: a\r\n${cookie}\r\nConnection: close\r\n\r\n`);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [^]*text\/event-stream[^]*\r\n\r\n$/);
});

test('nobody hears what the role or the organization keeps away', async () => {
  const stranger = await site.addPerson(await site.addOrganization(), 'admin');
  const scope = `?org=${fleet.simulationOrgId}`;
  const statuses = [];
  for (const role of ['staff', 'user'] as const)
    statuses.push((await listen(await site.addPerson(admin.orgId, role))).status);
  statuses.push((await listen(stranger, scope)).status, (await listen(undefined, scope)).status);
  expect(statuses).toEqual([403, 403, 404, 303]);
});

test.each([
  ['of as many as all have', undefined, DEFAULT_QUOTAS.event_streams / 2],
  ['of as many as the operator has set for it', 5, 2],
])('pages take half of the streams of a partner, and no more: %s', async (_, quota, half) => {
  const crowd = await site.addPerson(await site.addOrganization(), 'admin');
  if (quota !== undefined)
    await site.db
      .insertInto('partner_quotas')
      .values({ org_id: crowd.orgId, name: 'event_streams', quota })
      .execute();
  const answers = [];
  for (let count = 0; count < half; count += 1) answers.push(await listen(crowd));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await listen(crowd)).status).toBe(429);
  for (const { body } of answers) await body?.cancel();
});

test('a stream ends after its time and is let go, so that the session is looked at anew', async () => {
  let released = 0;
  const endless = new EventStream(
    async function* (gone) {
      yield { id: '1', data: 'secret' };
      if (!gone.aborted) await once(gone, 'abort');
    },
    new AbortController().signal,
    () => (released += 1),
  );
  let isListening = false;
  const listen = (onChange: () => void): (() => void) => {
    isListening = true;
    onChange();
    return () => (isListening = false);
  };
  const app = express().get('/', (_request, response) => writeChanges(response, endless, listen, 20));
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect([await answer.text(), released, isListening]).toEqual(['data: changed\n\n'.repeat(2), 1, false]);
  server.close();
});
