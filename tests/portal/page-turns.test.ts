// How many pages of a partner are made at once: each holds what it shows until it is sent.
import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { HOUR_MS, QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';
import { yieldToEventLoop } from '../../src/households/time-slicer.ts';
import { createSession } from '../../src/accounts/sessions.ts';
import { createPageTurns } from '../../src/compose/pages.ts';
import type { PageHandler, PortalContext, PortalResponse } from '../../src/portal/context.ts';
import { inPageTurn } from '../../src/portal/page-turns.ts';
import { until } from '../process/partner.ts';
import { addPrices } from './portal-fleets.ts';
import { startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';

type PageRequest = Parameters<PageHandler>[1];

let site: PortalSite;
let admin: Person;
let other: Person;
/** Whether partners are not alone at work. */
let hasOthers = false;
/** For whom pages have given way to others, in turn. */
const gaveWay: (string | undefined)[] = [];
beforeAll(async () => {
  site = await startPortal({
    hasOtherPartners: () => hasOthers,
    yieldToEventLoop: (days, partnerId) => {
      gaveWay.push(partnerId);
      return yieldToEventLoop(days, partnerId);
    },
  });
  admin = await site.addPerson(await site.addOrganization(), 'admin');
  other = await site.addPerson(await site.addOrganization('Other'), 'admin');
});
afterAll(() => site.close());

async function ask(person: Person | undefined, path: string): Promise<Response> {
  const cookie = person && `partner_session=${await createSession(site.db, person, site.now())}`;
  const headers = cookie === undefined ? {} : { cookie };
  return fetch(`${site.baseUrl}${path}`, { headers, redirect: 'manual' });
}

test.each([
  [4, 'alone'],
  [1, 'beside others'],
])(
  '%i pages of a partner are made at once (%s), and what comes beyond waits or is refused: others do not',
  async (atOnce, beside) => {
    hasOthers = beside !== 'alone';
    const take = () => site.pageTurns.acquire(admin.orgId);
    const releases = await Promise.all(Array.from({ length: atOnce }, take));
    const releaseAll = () => releases.forEach((release) => release());
    onTestFinished(releaseAll);
    const waiting = ask(admin, '/portal/users/');
    await until(
      () => site.pageTurns.usage.waiting,
      (count) => count === 1,
    );
    expect((await ask(other, '/portal/users/')).status).toBe(200);
    expect((await ask(undefined, '/accounts/login/')).status).toBe(200);
    releases[0]?.();
    expect((await waiting).status).toBe(200);
    releases.push(await take());
    const refused = await ask(admin, '/portal/users/');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
    releaseAll();
    expect(site.pageTurns.usage.held).toBe(0);
  },
);

test('each page begins behind a pause of what the event loop computes, also where it waits for nothing', async () => {
  const course: string[] = [];
  const context = {
    pageTurns: createPageTurns({ hasOthers: () => true }),
    yieldToEventLoop: async (_days: number, partnerId?: string) => {
      await setImmediate();
      course.push(`pause of ${partnerId}`);
    },
  } as Partial<PortalContext> as PortalContext;
  const show = inPageTurn(() => void course.push('page'));
  const locals = { session: { partnerId: admin.orgId } };
  const open = async () =>
    show(
      context,
      { method: 'GET' } as PageRequest,
      Object.assign(new EventEmitter(), { locals }) as unknown as PortalResponse,
    );
  await Promise.all([open(), open()]);
  const pause = `pause of ${admin.orgId}`;
  expect(course).toEqual([pause, 'page', pause, 'page']);
});

test('a page that is open and listens takes no turn, and a page that fails gives its turn back', async () => {
  const stream = await ask(admin, '/portal/changes');
  expect([stream.status, site.pageTurns.usage.held]).toEqual([200, 0]);
  await stream.body?.cancel();
  const unknown = `/portal/homes/${admin.userId}/inverters/${admin.userId}/`;
  expect((await ask(admin, unknown)).status).toBe(404);
  expect(site.pageTurns.usage.held).toBe(0);
});

test.each([
  ['the page', '', 9],
  ['the file', 'prices.csv', 5],
])('%s of a week of prices gives way to others while it is read and made', async (_, file, least) => {
  const startMs = Math.ceil(site.now().getTime() / HOUR_MS) * HOUR_MS;
  const quarters = Array.from({ length: 600 }, (__, index) => startMs + index * QUARTER_HOUR_MS);
  const prices = new Map(quarters.map((at, price) => [new Date(at), price]));
  await addPrices(site, admin, prices);
  gaveWay.length = 0;
  const { status } = await ask(admin, `/portal/prices/${file}?days=7`);
  expect(status).toBe(200);
  expect(gaveWay.length).toBeGreaterThanOrEqual(least);
  expect(new Set(gaveWay)).toEqual(new Set([admin.orgId]));
});
