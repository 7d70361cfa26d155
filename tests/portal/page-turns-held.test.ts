// How long a page of people holds the turn of its partner: until it waits for heavy work, and not when nobody waits for it.
import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createSession } from '../../src/accounts/sessions.ts';
import { createPageTurns, createPlacesAside } from '../../src/compose/pages.ts';
import type { PageHandler, PortalContext, PortalResponse } from '../../src/portal/context.ts';
import { toOperationContext } from '../../src/portal/operations.ts';
import { inPageTurn, stepAside } from '../../src/portal/page-turns.ts';
import type { FairShare } from '../../src/shares/fair-share.ts';
import { until } from '../process/partner.ts';
import { addQueuedFleet, buildFleets } from './portal-fleets.ts';
import { startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';

const PARTNER = 'partner';

let site: PortalSite;
let admin: Person;
beforeAll(async () => {
  // No partner is alone: each has one page at once.
  site = await startPortal({ hasOtherPartners: () => true });
  admin = await site.addPerson(await site.addOrganization(), 'admin');
});
afterAll(() => site.close());

let turns: FairShare;
let aside: FairShare;
let course: string[];
beforeEach(() => {
  turns = createPageTurns({ hasOthers: () => true });
  aside = createPlacesAside();
  course = [];
});

function open(method: string, handle: PageHandler, leaves?: 'before' | 'in its pause'): Promise<void> {
  const context: Partial<PortalContext> = {
    pageTurns: turns,
    placesAside: aside,
    yieldToEventLoop: async () => {
      await setImmediate();
      response.destroyed ||= leaves === 'in its pause';
    },
  };
  const locals = { session: { partnerId: PARTNER } };
  const response = Object.assign(new EventEmitter(), { locals, destroyed: leaves === 'before' });
  return Promise.resolve(
    inPageTurn(handle)(
      context as PortalContext,
      { method } as Parameters<PageHandler>[1],
      response as unknown as PortalResponse,
    ),
  );
}

const held = () => ({ turns: turns.usage.held, aside: aside.usage.held });

/** A page that waits for heavy work twice; the first time until it is told that it is done. */
async function openSlow(method = 'GET') {
  const waits = Promise.withResolvers<undefined>();
  const heavy = Promise.withResolvers<undefined>();
  const done = open(method, async (context, _request, response) => {
    stepAside(context, response);
    waits.resolve(undefined);
    await heavy.promise;
    stepAside(context, response);
    course.push('slow');
  });
  await waits.promise;
  return { done, end: () => heavy.resolve(undefined) };
}

const openQuick = (): Promise<void> => open('GET', () => void course.push('quick'));

test.each(['GET', 'POST'])(
  'a page (%s) leaves its turn to others before it waits for heavy work, and needs none behind it',
  async (method) => {
    const slow = await openSlow(method);
    await openQuick();
    expect(held()).toEqual({ turns: 0, aside: 1 });
    const release = await turns.acquire(PARTNER);
    slow.end();
    await slow.done;
    expect(course).toEqual(['quick', 'slow']);
    expect(held()).toEqual({ turns: 1, aside: 0 });
    release();
  },
);

test('four pages of a partner leave their turn; the fifth keeps it, and those of others leave theirs', async () => {
  const four = [await openSlow(), await openSlow(), await openSlow(), await openSlow()];
  const fifth = await openSlow();
  const quick = openQuick();
  expect(turns.usage).toMatchObject({ held: 1, waiting: 1 });
  expect(aside.tryAcquire('another partner')).toBeDefined();
  fifth.end();
  await Promise.all([fifth.done, quick]);
  for (const slow of four) slow.end();
  await Promise.all(four.map(({ done }) => done));
  expect(course.slice(0, 2)).toEqual(['slow', 'quick']);
  expect(held()).toEqual({ turns: 0, aside: 1 });
});

test('a page that has failed takes no place when something that it had begun goes on', async () => {
  let goOn = (): void => undefined;
  const failed = open('GET', (context, _request, response) => {
    goOn = () => stepAside(context, response);
    stepAside(context, response);
    throw new Error('It failed.');
  });
  await expect(failed).rejects.toThrow('It failed.');
  goOn();
  expect(held()).toEqual({ turns: 0, aside: 0 });
});

/** Asks for a page, which waits in the line, and leaves; resolves when nobody waits there any more. */
async function leaveLine(path: string, waiting: () => number): Promise<void> {
  const cookie = `partner_session=${await createSession(site.db, admin, site.now())}`;
  const gone = new AbortController();
  const asked = fetch(`${site.baseUrl}${path}`, { headers: { cookie }, signal: gone.signal });
  await until(waiting, (count) => count === 1);
  gone.abort();
  await expect(asked).rejects.toThrow();
  await until(waiting, (count) => count === 0);
}

test('a page whose browser has left is not made', async () => {
  const page = () => void course.push('page');
  await expect(open('GET', page, 'before')).rejects.toThrow('The browser has left.');
  await open('GET', page, 'in its pause');
  const release = await site.pageTurns.acquire(admin.orgId);
  await leaveLine('/portal/users/', () => site.pageTurns.usage.waiting);
  release();
  expect(site.pageTurns.usage.held).toBe(0);
  expect(course).toEqual([]);
});

test('a page whose browser leaves while it waits for heavy work leaves that line too', async () => {
  const fleet = await addQueuedFleet(site, admin, { count: 1, history_days: 1 });
  await buildFleets(site);
  const { compute } = site.services;
  const release = await compute.acquireTurn(admin.orgId);
  await leaveLine(`/portal/fleets/${fleet.id}/powers.json`, () => compute.usage.turns.waiting);
  release();
});

test('other pages of the partner are there while one waits for what homes of a fleet drew', async () => {
  const fleet = await addQueuedFleet(site, admin, { count: 1, history_days: 1 });
  await buildFleets(site);
  const [browser, colleague] = await Promise.all([site.signedIn(admin), site.signedIn(admin)]);
  const release = await site.services.compute.acquireTurn(admin.orgId);
  const powers = browser.get(`/portal/fleets/${fleet.id}/powers.json`);
  await until(
    () => site.services.compute.usage.turns.waiting,
    (count) => count === 1,
  );
  expect((await colleague.get('/portal/users/')).status).toBe(200);
  release();
  expect((await powers).status).toBe(200);
  expect([site.pageTurns.usage.held, site.placesAside.usage.held]).toEqual([0, 0]);
});

test('what a page computes ends at its next slice when its browser has left', async () => {
  const { context, response } = pageOf();
  const { yieldToEventLoop } = toOperationContext(context, response, 'getUserInverter', PARTNER);
  await yieldToEventLoop(0);
  Object.assign(response, { destroyed: true });
  await expect(yieldToEventLoop(0)).rejects.toThrow('The browser has left.');
});

/** A page that calls an operation, and its answer. */
function pageOf() {
  const context: Partial<PortalContext> = {
    clock: () => new Date(),
    yieldToEventLoop: () => Promise.resolve(),
  };
  const session = { userId: PARTNER, orgId: PARTNER, partnerId: PARTNER, role: 'admin' };
  const response = Object.assign(new EventEmitter(), {
    locals: { session },
    destroyed: false,
    get: () => undefined,
  });
  return { context: context as PortalContext, response: response as unknown as PortalResponse };
}
