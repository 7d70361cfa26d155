// How long a page of people holds the turn of its partner: not while it waits for heavy work, nor when nobody waits for it.
import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createSession } from '../../src/accounts/sessions.ts';
import { createPageTurns } from '../../src/compose/pages.ts';
import type { PageHandler, PortalContext, PortalResponse } from '../../src/portal/context.ts';
import { inPageTurn, outsidePageTurn } from '../../src/portal/page-turns.ts';
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
let course: string[];
beforeEach(() => {
  turns = createPageTurns({ hasOthers: () => true });
  course = [];
});

function open(method: string, handle: PageHandler, leaves?: 'before' | 'in its pause'): Promise<void> {
  const context: Partial<PortalContext> = {
    pageTurns: turns,
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

/** A page that waits for heavy work until that is told to end. */
function openSlow(method: string) {
  const heavy = Promise.withResolvers<undefined>();
  const done = open(method, async (context, _request, response) => {
    await outsidePageTurn(context, response, async () => {
      course.push('slow waits');
      await heavy.promise;
    });
    course.push(`slow is made, ${turns.usage.held} held`);
  });
  return { done, end: () => heavy.resolve(undefined) };
}

const openQuick = (): Promise<void> => open('GET', () => void course.push('quick'));
const untilSlowWaits = () =>
  until(
    () => course[0],
    (entry) => entry === 'slow waits',
  );

test('a page gives its turn back while it waits for heavy work, and takes one again', async () => {
  const slow = openSlow('GET');
  await untilSlowWaits();
  await openQuick();
  slow.end();
  await slow.done;
  expect(course).toEqual(['slow waits', 'quick', 'slow is made, 1 held']);
  expect(turns.usage).toMatchObject({ held: 0, waiting: 0 });
});

test('a page that changes something keeps its turn: a change that was made is not answered with a refusal', async () => {
  const slow = openSlow('POST');
  await untilSlowWaits();
  const quick = openQuick();
  expect(turns.usage).toMatchObject({ held: 1, waiting: 1 });
  slow.end();
  await Promise.all([slow.done, quick]);
  expect(course).toEqual(['slow waits', 'slow is made, 1 held', 'quick']);
});

test('a page that failed takes no turn when something that it had begun ends', async () => {
  const heavy = Promise.withResolvers<undefined>();
  let rest: Promise<unknown> = Promise.resolve();
  const failed = open('GET', async (context, _request, response) => {
    rest = outsidePageTurn(context, response, () => heavy.promise);
    await outsidePageTurn(context, response, () => Promise.reject(new Error('It failed.')));
  });
  await expect(failed).rejects.toThrow('It failed.');
  heavy.resolve(undefined);
  await rest;
  expect(turns.usage.held).toBe(0);
});

test('a page whose browser has left is not made', async () => {
  const page = () => void course.push('page');
  await expect(open('GET', page, 'before')).rejects.toThrow('The browser has left.');
  await open('GET', page, 'in its pause');
  const release = await site.pageTurns.acquire(admin.orgId);
  const waiting = () => site.pageTurns.usage.waiting;
  const cookie = `partner_session=${await createSession(site.db, admin, site.now())}`;
  const gone = new AbortController();
  const asked = fetch(`${site.baseUrl}/portal/users/`, { headers: { cookie }, signal: gone.signal });
  await until(waiting, (count) => count === 1);
  gone.abort();
  await expect(asked).rejects.toThrow();
  await until(waiting, (count) => count === 0);
  release();
  expect(site.pageTurns.usage.held).toBe(0);
  expect(course).toEqual([]);
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
  expect(site.pageTurns.usage.held).toBe(0);
});
