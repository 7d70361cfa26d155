// Every page of the portal, for each role, on a large and a small screen, in light and dark.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../src/domain/api/durations.ts';
import type { Role } from '../../src/domain/users/roles.ts';
import { countStopsToContent } from './chromium.ts';
import { inspectSchemes, WIDTHS } from './inspect-page.ts';
import { DEVICE_SEGMENTS, openWatched, startPortalWorld } from './portal-world.ts';
import { addTroubles } from './portal-troubles.ts';
import type { PortalTroubles } from './portal-troubles.ts';
import type { PortalWorld } from './portal-world.ts';

interface PageCase {
  readonly name: string;
  readonly path: (world: PortalWorld & PortalTroubles) => string;
  /** What each role gets; a page that leads elsewhere is 303. */
  readonly statuses: Readonly<Record<Role, number>>;
}

const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);

const [ALL, MANAGERS, ADMIN] = [
  { admin: 200, staff: 200, user: 200 },
  { admin: 200, staff: 200, user: 403 },
  { admin: 200, staff: 403, user: 403 },
];

const WEBHOOK_PAGES = ['', 'update/', 'test/', 'secret/', 'delete/', 'deliveries/', 'redeliver/'];

const PAGES: readonly PageCase[] = [
  { name: 'start', path: () => '/', statuses: ALL },
  { name: 'home', path: () => '/portal/', statuses: MANAGERS },
  {
    name: 'home-of-a-simulation',
    path: ({ fleet }) => `/portal/?org=${fleet.simulationOrgId}`,
    statuses: { ...MANAGERS, user: 404 },
  },
  { name: 'fleets', path: () => '/portal/fleets/', statuses: MANAGERS },
  { name: 'fleet-create', path: () => '/portal/fleets/create/', statuses: MANAGERS },
  { name: 'fleet', path: ({ fleet }) => `/portal/fleets/${fleet.jobId}/`, statuses: MANAGERS },
  {
    name: 'fleet-yesterday',
    path: ({ fleet }) => `/portal/fleets/${fleet.jobId}/?day=${yesterday}`,
    statuses: MANAGERS,
  },
  {
    name: 'fleet-without-values',
    path: ({ fleet }) => `/portal/fleets/${fleet.jobId}/?day=2020-02-03`,
    statuses: MANAGERS,
  },
  { name: 'home-of-a-user', path: ({ home }) => home.path, statuses: { ...MANAGERS, user: 404 } },
  ...DEVICE_SEGMENTS.map((segment) => ({
    name: `device-${segment}`,
    path: ({ home }: PortalWorld) => home.devices[segment] ?? '',
    statuses: { ...MANAGERS, user: 404 },
  })),
  { name: 'fleet-stop', path: ({ fleet }) => `/portal/fleets/${fleet.jobId}/stop/`, statuses: MANAGERS },
  { name: 'fleet-expand', path: ({ fleet }) => `/portal/fleets/${fleet.jobId}/expand/`, statuses: MANAGERS },
  { name: 'prices', path: () => '/portal/prices/', statuses: MANAGERS },
  {
    name: 'prices-of-a-simulation',
    path: ({ fleet }) => `/portal/prices/?org=${fleet.simulationOrgId}`,
    statuses: { ...MANAGERS, user: 404 },
  },
  {
    name: 'prices-of-a-week',
    path: ({ fleet }) => `/portal/prices/?org=${fleet.simulationOrgId}&days=7&day=${yesterday}`,
    statuses: { ...MANAGERS, user: 404 },
  },
  { name: 'prices-none', path: () => '/portal/prices/?day=2020-02-03', statuses: MANAGERS },
  {
    name: 'prices-as-they-were',
    path: ({ firstPrices }) => `/portal/prices/?then=${firstPrices}`,
    statuses: MANAGERS,
  },
  { name: 'price-upload', path: () => '/portal/prices/upload/', statuses: MANAGERS },
  { name: 'users', path: () => '/portal/users/', statuses: MANAGERS },
  { name: 'events', path: () => '/portal/events/', statuses: ADMIN },
  {
    name: 'events-of-a-simulation',
    path: ({ fleet }) => `/portal/events/?org=${fleet.simulationOrgId}`,
    statuses: { ...ADMIN, user: 404 },
  },
  { name: 'requests', path: () => '/portal/requests/', statuses: ADMIN },
  { name: 'requests-refused', path: () => '/portal/requests/?answer=refused', statuses: ADMIN },
  { name: 'request-refused', path: ({ refusedPath }) => refusedPath, statuses: ADMIN },
  {
    name: 'users-of-a-simulation',
    path: ({ fleet }) => `/portal/users/?org=${fleet.simulationOrgId}`,
    statuses: { ...MANAGERS, user: 404 },
  },
  { name: 'users-none-found', path: () => '/portal/users/?q=nobody', statuses: MANAGERS },
  { name: 'user', path: ({ userId }) => `/portal/users/${userId}/`, statuses: MANAGERS },
  { name: 'user-create', path: () => '/portal/users/create/', statuses: MANAGERS },
  { name: 'user-update', path: ({ userId }) => `/portal/users/${userId}/update/`, statuses: MANAGERS },
  { name: 'user-delete', path: ({ userId }) => `/portal/users/${userId}/delete/`, statuses: MANAGERS },
  {
    name: 'user-initial-password',
    path: ({ userId }) => `/portal/users/${userId}/initial-password/`,
    statuses: ADMIN,
  },
  { name: 'webhooks', path: () => '/portal/webhooks/', statuses: ADMIN },
  {
    name: 'webhooks-of-a-simulation',
    path: ({ fleet }) => `/portal/webhooks/?org=${fleet.simulationOrgId}`,
    statuses: { ...ADMIN, user: 404 },
  },
  { name: 'webhook-create', path: () => '/portal/webhooks/create/', statuses: ADMIN },
  ...WEBHOOK_PAGES.map((part) => ({
    name: part === '' ? 'webhook' : `webhook-${part.slice(0, -1)}`,
    path: ({ webhooks, fleet }: PortalWorld) =>
      `/portal/webhooks/${webhooks.simulation}/${part}?org=${fleet.simulationOrgId}`,
    statuses: { ...ADMIN, user: 404 },
  })),
  {
    name: 'webhook-disabled',
    path: ({ webhooks }) => `/portal/webhooks/${webhooks.own}/`,
    statuses: ADMIN,
  },
  {
    name: 'deliveries-none-found',
    path: ({ webhooks }) => `/portal/webhooks/${webhooks.own}/deliveries/?state=exhausted`,
    statuses: ADMIN,
  },
  {
    name: 'delivery',
    path: ({ webhooks, told, fleet }) =>
      `/portal/webhooks/${webhooks.simulation}/deliveries/${told.messageId}/?org=${fleet.simulationOrgId}`,
    statuses: { ...ADMIN, user: 404 },
  },
  { name: 'notifications', path: () => '/portal/notifications/', statuses: MANAGERS },
  {
    name: 'notifications-of-a-simulation',
    path: ({ fleet }) => `/portal/notifications/?org=${fleet.simulationOrgId}`,
    statuses: { ...MANAGERS, user: 404 },
  },
  { name: 'notifications-all', path: () => '/portal/notifications/information/', statuses: MANAGERS },
  { name: 'broadcast', path: () => '/portal/notifications/broadcast/', statuses: ADMIN },
  {
    name: 'notification',
    path: ({ told, fleet }) => `/portal/notifications/${told.itemId}/?org=${fleet.simulationOrgId}`,
    statuses: { admin: 200, staff: 404, user: 404 },
  },
  {
    name: 'notification-outage',
    path: ({ outageId, fleet }) => `/portal/notifications/${outageId}/?org=${fleet.simulationOrgId}`,
    statuses: { admin: 200, staff: 404, user: 404 },
  },
  {
    name: 'notification-notice',
    path: ({ noticeId }) => `/portal/notifications/${noticeId}/`,
    statuses: MANAGERS,
  },
  {
    name: 'device-history',
    path: ({ home }) => home.devices['electric-vehicles']?.replace('?', 'history/?') ?? '',
    statuses: { ...MANAGERS, user: 404 },
  },
  { name: 'applications', path: () => '/oauth2/applications/', statuses: MANAGERS },
  { name: 'application-register', path: () => '/oauth2/applications/register/', statuses: MANAGERS },
  {
    name: 'application',
    path: ({ applicationId }) => `/oauth2/applications/${applicationId}/`,
    statuses: { admin: 200, staff: 404, user: 403 },
  },
  {
    name: 'application-update',
    path: ({ applicationId }) => `/oauth2/applications/${applicationId}/update/`,
    statuses: { admin: 200, staff: 404, user: 403 },
  },
  ...['', 'secret/', 'secret/end/'].map((part) => ({
    name: `application-rotated-${part.replaceAll('/', '')}`,
    path: ({ rotatedId }: PortalWorld) => `/oauth2/applications/${rotatedId}/${part}`,
    statuses: { admin: 200, staff: 404, user: 403 },
  })),
  {
    name: 'application-secret',
    path: ({ applicationId }) => `/oauth2/applications/${applicationId}/secret/`,
    statuses: { admin: 200, staff: 404, user: 403 },
  },
  { name: 'search', path: () => '/portal/search/', statuses: MANAGERS },
  { name: 'search-none-found', path: () => '/portal/search/?q=nothing+is+called+so', statuses: MANAGERS },
  { name: 'password', path: () => '/accounts/password_change/', statuses: ALL },
  { name: 'logout', path: () => '/accounts/logout/', statuses: ALL },
  { name: 'not-found', path: () => '/portal/nothing/', statuses: { admin: 404, staff: 404, user: 403 } },
];

let world: PortalWorld & PortalTroubles;
beforeAll(async () => {
  const started = await startPortalWorld();
  world = { ...started, ...(await addTroubles(started)) };
});
afterAll(() => world.close());

/** Each of those tests looks at some sixty pages twice; a loaded machine has been seen to take five minutes. */
const END_OF_PATIENCE_MS = 800_000;

const roles = ['admin', 'staff', 'user'] as const;
describe.each(roles)('for the role %s', (role) => {
  // Side by side: this file takes as long as all others together.
  test.concurrent.each(WIDTHS)(
    'at %i px, light and dark: each page keeps to the design, to WCAG A and AA, and to itself',
    async (width) => {
      const context = await world.open(role, { viewport: { width, height: 900 } });
      const { page, complaints } = await openWatched(context, world.baseUrl);
      const found: unknown[] = [];
      const refusals = new Set<string>();
      for (const { name, path, statuses } of PAGES) {
        const status = (await page.goto(path(world)))?.status();
        if (status !== statuses[role]) found.push([name, 'status', status]);
        if (status !== 200) {
          // Most pages are refused to most roles, in the same words: those are looked at once.
          const refusal = await page.locator('body').innerText();
          if (refusals.has(refusal)) continue;
          refusals.add(refusal);
        }
        found.push(...(await inspectSchemes(page, `${name}-${role}-${width}`)));
      }
      expect(found).toEqual([]);
      expect(complaints.filter((text) => !text.includes('status of 403'))).toEqual([]);
      await context.close();
    },
    END_OF_PATIENCE_MS,
  );
});

test('the pages before the login keep to the same', async () => {
  for (const width of WIDTHS) {
    const context = await world.open(undefined, { viewport: { width, height: 900 } });
    const { page, complaints } = await openWatched(context, world.baseUrl);
    for (const [name, path] of [
      ['landing', '/'],
      ['accounts-login', '/accounts/login/'],
      ['docs-errors-nothing', '/docs/errors/nothing'],
    ] as const) {
      await page.goto(path);
      expect(await inspectSchemes(page, `${name}-nobody-${width}`)).toEqual([]);
    }
    expect(complaints).toEqual([]);
    await context.close();
  }
});

test('the first tab stop skips to the content; without it there are few before', async () => {
  const context = await world.open('admin', { viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  for (const { path } of PAGES.filter(({ name }) => ['home', 'users', 'applications'].includes(name))) {
    await page.goto(path(world));
    expect([path(world), await countStopsToContent(page)]).toEqual([path(world), 18]);
  }
  await context.close();
});

test('the scope is chosen and the menu opened by keyboard, without JavaScript', async () => {
  const context = await world.open('admin', {
    viewport: { width: 390, height: 900 },
    javaScriptEnabled: false,
  });
  const page = await context.newPage();
  await page.goto('/portal/');
  await page.getByRole('button', { name: 'Menu' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByRole('button', { name: 'Own organization' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Vienna pilot' }).click();
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(
    `/portal/users/?org=${world.fleet.simulationOrgId}`,
  );
  expect(await page.getByRole('main').getByText('simulated households').count()).toBe(1);
  await context.close();
});

test('an id is copied by its button', async () => {
  const context = await world.open('admin', { permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  await page.goto(`/portal/users/${world.userId}/`);
  await page.getByRole('button', { name: 'Copy user id' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(world.userId);
  await context.close();
});

test('on a phone a row of a table shows all that it shows on a large screen', async () => {
  const context = await world.open('admin', { viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto('/portal/users/');
  const cells = page.locator('.rows tbody td:not(:empty)');
  const texts = [];
  // One page for both: what it says of times that have passed since goes with the minutes.
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const cell of await cells.all()) expect(await cell.isVisible()).toBe(true);
    texts.push(await cells.allInnerTexts());
  }
  expect(texts[0]?.length).toBeGreaterThan(3);
  expect(texts[1]).toEqual(texts[0]);
  await context.close();
});
