// How many event streams may be open at once.
import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { DEFAULT_QUOTAS } from '../../src/domain/api/quotas.ts';
import { EventFeed } from '../../src/streams/event-feed.ts';
import { insertOrganization } from '../../src/queries/accounts/organizations.ts';
import { startApi, type Api, type Company } from '../support/api.ts';
import { EventListener } from '../support/event-stream.ts';

let api: Api;
let open: EventListener[] = [];
beforeAll(async () => {
  api = await startApi();
});
afterEach(async () => {
  for (const listener of open) listener.close();
  open = [];
  for (const { orgId } of [api.own, api.foreign]) while (!isUnheard(orgId)) await turn();
});
afterAll(() => api.close());

async function listen(company: Company = api.own, orgId = company.orgId): Promise<EventListener> {
  const url = `${api.baseUrl}/api/partners/v2.0/org/${orgId}/notifications/events`;
  const listener = await EventListener.open(url, { authorization: `Bearer ${company.admin.token}` });
  open.push(listener);
  return listener;
}

async function addSimulation(): Promise<string> {
  const id = randomUUID();
  const kind = { kind: 'simulation', parentOrgId: api.own.orgId } as const;
  await insertOrganization(api.db, { id, name: 'Fleet', ...kind, createdAt: api.clock.now() });
  return id;
}

/** Whether the service knows of the end of every stream of a partner. */
function isUnheard(orgId: string): boolean {
  const leave = api.services.events.reserveStream(orgId, 1);
  leave?.();
  return leave !== undefined;
}

const statusOf = ({ response }: EventListener): number | undefined => response.statusCode;

test('one stream too many is refused until another ends, whichever organization of the partner it is of', async () => {
  const simulation = await addSimulation();
  for (let count = 0; count < DEFAULT_QUOTAS.event_streams; count += 1) {
    expect(statusOf(await listen(api.own, count % 2 === 0 ? simulation : api.own.orgId))).toBe(200);
  }
  for (const orgId of [api.own.orgId, simulation]) {
    const refused = await api.call('streamEvents', { path: { org_id: orgId } });
    expect([refused.status, refused.body.code]).toEqual([429, 'quota_exceeded']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.body.detail).toContain(String(DEFAULT_QUOTAS.event_streams));
  }
  expect(statusOf(await listen(api.foreign))).toBe(200);
  open[0]?.close();
  let { status } = await api.call('streamEvents');
  while (status === 429) ({ status } = await api.call('streamEvents'));
  expect(status).toBe(200);
});

test('a process that has as many streams open as it may have is overloaded', async () => {
  const events = new EventFeed({ db: api.db, onError: () => undefined, maxStreams: 0 });
  const full = await startApi({ services: { events } });
  const { status, headers, body } = await full.call('streamEvents');
  expect([status, headers['retry-after'], body.code]).toEqual([503, '30', 'overloaded']);
  await events.stop();
  await full.close();
});

test('calls that open no stream take no place', async () => {
  for (let count = 0; count < DEFAULT_QUOTAS.event_streams; count += 1) {
    const url = `${api.baseUrl}/api/partners/v2.0/org/${api.own.orgId}/notifications/events`;
    const headers = { authorization: `Bearer ${api.own.admin.token}` };
    expect((await fetch(url, { method: 'HEAD', headers })).status).toBe(200);
    const unknown = await api.call('streamEvents', { headers: { 'last-event-id': randomUUID() } });
    expect(unknown.status).toBe(422);
  }
  expect((await api.call('streamEvents')).status).toBe(200);
});

test('a client that leaves at once gives its place back', async () => {
  const url = new URL(`${api.baseUrl}/api/partners/v2.0/org/${api.own.orgId}/notifications/events`);
  for (let count = 0; count < 2 * DEFAULT_QUOTAS.event_streams; count += 1) {
    const leave = new AbortController();
    const call = fetch(url, {
      headers: { authorization: `Bearer ${api.own.admin.token}` },
      signal: leave.signal,
    });
    // Half of them before the answer has begun.
    if (count % 2 === 0) setImmediate(() => leave.abort());
    else await call.then(() => leave.abort());
    await call.catch(() => undefined);
  }
  // All places are free: as many as there are can be taken at once.
  for (let count = 0; count < DEFAULT_QUOTAS.event_streams; count += 1) {
    for (let listener = await listen(); statusOf(listener) === 429; listener = await listen());
  }
});
