import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeCursor } from '../../src/domain/api/cursor.ts';
import type { LoggedRequest } from '../../src/domain/requests/logged-request.ts';
import { insertRequests } from '../../src/queries/requests/request-log.ts';
import { loggedRequest } from '../support/logged-requests.ts';
import { startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';
import type { Visitor } from './visitor.ts';

let site: PortalSite;
let admin: Person;
let browser: Visitor;
beforeAll(async () => {
  site = await startPortal();
  admin = await site.addPerson(await site.addOrganization(), 'admin');
  browser = await site.signedIn(admin);
});
afterAll(() => site.close());

const LIST = '/portal/requests/';

const pathOf = ({ sentAt, id }: LoggedRequest): string =>
  `${LIST}${encodeCursor({ createdAt: sentAt, id })}/`;

const sent = (orgId: string, n: number, fields: Partial<LoggedRequest> = {}): LoggedRequest =>
  loggedRequest(orgId, { sentAt: new Date(Date.now() - 60_000 - n), requestId: `request-${n}`, ...fields });

test('before anything was sent the page says so', async () => {
  const page = (await browser.get(LIST)).text;
  expect(page).toContain('No request was refused in the last day.');
  expect(page).toContain('Nothing was sent yet.');
});

test('refusals come first, the log goes on by pages, and filters are in the address', async () => {
  const { orgId } = admin;
  const refusal = {
    operation: 'createUser',
    method: 'POST',
    status: 422,
    code: 'validation_failed',
    errors: [{ pointer: '/role', code: 'not_in_enum' }],
    body: '{"email":"…","role":"…"}',
    userId: admin.userId,
    applicationId: randomUUID(),
  };
  const requests = Array.from({ length: 60 }, (_, n) => sent(orgId, n, n === 55 ? refusal : {}));
  await insertRequests(site.db, requests, [{ orgId, minute: new Date(Date.now() - 60_000), count: 1_234 }]);
  const first = (await browser.get(LIST)).text;
  expect(first).toContain('1 request of the last day was refused: createUser with validation_failed.');
  expect(first).toContain('1,234 more of the last day were not kept');
  expect(first.match(/GET \/users/g)).toHaveLength(50);
  const more = /rel="next" href="([^"]+)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const second = (await browser.get(more)).text;
  expect([second.match(/GET \/users/g)?.length, second.includes('rel="next"')]).toEqual([9, false]);
  const refused = (await browser.get(`${LIST}?answer=refused&operation=createUser`)).text;
  expect(refused).toContain('422 validation_failed');
  expect((await browser.get(`${LIST}?request_id=unknown`)).text).toContain('No request matches.');
  const path = /href="(\/portal\/requests\/\w+\/)"/.exec(refused)?.[1] ?? '';
  const one = (await browser.get(path)).text;
  expect(one).toContain('/role');
  expect(one).toContain('&quot;email&quot;: &quot;…&quot;');
  expect(one).toContain(`an application that is deleted, as ${admin.username}`);
});

test('the log is filtered by time, and a filter that says nothing is refused at its field', async () => {
  const { orgId } = admin;
  const sentAt = new Date(Date.now() - 2 * 3_600_000);
  const request = sent(orgId, 3_000, { sentAt, operation: 'getWebhook', path: '/users/at-that-time' });
  await insertRequests(site.db, [request], []);
  const hours = (ago: number): string => new Date(Date.now() - ago * 3_600_000).toISOString().slice(0, 16);
  const has = async (query: string) =>
    (await browser.get(`${LIST}?operation=getWebhook&${query}`)).text.includes('/users/at-that-time');
  expect([
    await has(`since=${hours(3)}`),
    await has(`since=${hours(1)}`),
    await has(`until=${hours(1)}`),
    await has(`until=${hours(3)}`),
    await has(`since=${hours(3)}&until=${hours(1)}`),
  ]).toEqual([true, false, true, false, true]);
  const page = (await browser.get(`${LIST}?operation=getWebhook`)).text;
  expect(page).toContain(sentAt.toISOString().slice(0, 19).replace('T', ' '));
  for (const [name, value] of [
    ['answer', 'none'],
    ['operation', 'getNothing'],
    ['since', 'yesterday'],
    ['until', '2026-02-30T00:00'],
  ] as const) {
    const odd = await browser.get(`${LIST}?${name}=${value}`);
    expect([name, odd.status, odd.text.includes(`id="error_${name}"`)]).toEqual([name, 422, true]);
    expect(odd.text).not.toContain('GET /users');
  }
});

test('the log shows paths without what all begin with, and the page of a request shows them whole', async () => {
  const fleet = '/device-simulator/fleets/d9c0492e-10c3-576c-bfcd-91cb4149f49d/devices';
  const path = `/api/partners/v2.0/org/${admin.orgId}${fleet}`;
  const request = sent(admin.orgId, 2_000, { path, operation: 'listFleetDevices' });
  await insertRequests(site.db, [request], []);
  expect((await browser.get(`${LIST}?operation=listFleetDevices`)).text).toContain(
    'GET /device-simulator/fleets/d9c0492e…/devices',
  );
  expect((await browser.get(pathOf(request))).text).toContain(path);
});

test('admins alone see what their own organization has sent', async () => {
  const { orgId } = admin;
  const request = sent(orgId, 1_000);
  await insertRequests(site.db, [request], []);
  const path = pathOf(request);
  const stranger = await site.signedIn(await site.addPerson(await site.addOrganization(), 'admin'));
  const staff = await site.signedIn(await site.addPerson(orgId, 'staff'));
  const statuses = await Promise.all(
    [browser, stranger, staff].flatMap((each) => [each.get(LIST), each.get(path)]),
  );
  expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 404, 403, 403]);
  expect((await stranger.get(LIST)).text).not.toContain(orgId);
  expect((await staff.get('/portal/')).text).not.toContain(LIST);
  for (const odd of [
    `${LIST}x/`,
    pathOf(sent(orgId, 1_000)),
    pathOf({ ...request, sentAt: new Date(8.64e15 - 1) }),
  ])
    expect([odd, (await browser.get(odd)).status]).toEqual([odd, 404]);
});
