// The page of events without scripts: the newest as a table, by topic, and what came behind one of them.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { encodeEnvelope } from '../../src/domain/notifications/envelope.ts';
import type { Content } from '../../src/domain/notifications/envelope.ts';
import { listRecentEvents } from '../../src/queries/notifications/recent-events.ts';
import { startPortal } from './portal-site.ts';
import type { PortalSite } from './portal-site.ts';
import type { Visitor } from './visitor.ts';

const PAGE = '/portal/events/';

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

const start = Date.now() - 3_600_000;
const device = { device_id: randomUUID(), device_type: 'heat_pump', owner_id: randomUUID() } as const;

/** Tells so many things, each a second after the one before; the ids in their order. */
async function tell(count: number, type: Content['type'], organization = orgId, from = 0): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  const data =
    type === 'device.information'
      ? { ...device, notice: 'device_offline' }
      : { ...device, action: 'reauthenticate' };
  const rows = ids.map((id, index) => {
    const at = new Date(start + (from + index) * 1_000);
    const payload = encodeEnvelope(id, { type, data } as Content, at);
    return {
      org_id: organization,
      id,
      message_type: type,
      occurred_at: at,
      payload,
      created_at: at,
      announced_at: at,
    };
  });
  await site.db.insertInto('messages').values(rows).execute();
  return ids;
}

const idsOn = async (path: string): Promise<string[]> =>
  [...(await browser.get(path)).text.matchAll(/data-event="([^"]+)"/g)].map(([, id = '']) => id);

test('the newest 200 stand there, newest first, with topic, time, device and body', async () => {
  const ids = await tell(201, 'device.information');
  expect(await idsOn(PAGE)).toEqual(ids.slice(1).toReversed());
  const { text } = await browser.get(PAGE);
  expect(text).toContain(device.device_id);
  expect(text).toContain('device offline');
  expect(text).toContain(`&quot;message_id&quot;: &quot;${ids.at(-1) ?? ''}&quot;`);
});

test('a topic is chosen in the address, and an unknown one is none', async () => {
  const [notice = ''] = await tell(1, 'device.information');
  const [action = ''] = await tell(1, 'device.action_required', orgId, 1);
  expect(await idsOn(`${PAGE}?topic=device.information`)).toEqual([notice]);
  expect(await idsOn(`${PAGE}?topic=device.action_required`)).toEqual([action]);
  expect(await idsOn(`${PAGE}?topic=nothing`)).toEqual([action, notice]);
});

test('what came behind an event is asked for by its id; of others nothing is seen', async () => {
  const ids = await tell(3, 'device.information');
  const [foreign = ''] = await tell(1, 'device.information', await site.addOrganization());
  expect(await idsOn(`${PAGE}?after=${ids[0] ?? ''}`)).toEqual([ids[2], ids[1]]);
  expect(await idsOn(`${PAGE}?after=${ids[2] ?? ''}`)).toEqual([]);
  for (const unknown of [foreign, randomUUID(), 'x'])
    expect(await idsOn(`${PAGE}?after=${unknown}`)).toEqual(ids.toReversed());
});

test('before anything was told, and where a topic has nothing, the page says so', async () => {
  expect((await browser.get(PAGE)).text).toContain('Nothing was told yet.');
  await tell(1, 'device.information');
  expect((await browser.get(`${PAGE}?topic=device.action_required`)).text).toContain(
    'Nothing of this topic is among the newest events.',
  );
});

test('for a topic the 2,000 newest are looked through', async () => {
  await tell(1, 'device.action_required');
  await tell(2_000, 'device.information', orgId, 1);
  const filter = { topic: 'device.action_required', after: undefined };
  expect(await listRecentEvents(site.db, orgId, filter, 200)).toEqual([]);
  expect(await idsOn(`${PAGE}?topic=device.action_required`)).toEqual([]);
});
