// Pages that are left open while things happen: the stream of events, and the log of a webhook's deliveries.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BrowserContext, Page } from 'playwright-core';
import { LAYOUT_SHIFT } from './page-measures.ts';
import { openWatched, startPortalWorld } from './portal-world.ts';
import type { PortalWorld } from './portal-world.ts';

let world: PortalWorld;
beforeAll(async () => {
  world = await startPortalWorld();
});
afterAll(() => world.close());

const inSimulation = (path: string): string => `${path}?org=${world.fleet.simulationOrgId}`;
const rowsOf = (page: Page) => page.locator('[data-event]');

/** Lets something happen to a device of the simulation, on a page of its own. */
async function happen(context: BrowserContext, shown: Page, what: 'Offline' | 'Reconnect'): Promise<void> {
  const other = await context.newPage();
  await other.goto(world.home.devices.inverters ?? '');
  await other.getByRole('button', { name: what }).click();
  await other.getByText('It has happened.').waitFor();
  await other.close();
  await shown.bringToFront();
}

test('events come by themselves, are counted while the page is paused, and nothing moves what is read', async () => {
  const context = await world.open('admin', { viewport: { width: 1280, height: 900 } });
  const { page, complaints } = await openWatched(context, world.baseUrl);
  await page.goto(inSimulation('/portal/events/'));
  const before = await rowsOf(page).count();
  await happen(context, page, 'Offline');
  await expect.poll(() => rowsOf(page).count()).toBe(before + 1);
  const first = rowsOf(page).first();
  expect(await first.textContent()).toContain('inverter');

  await page.getByRole('button', { name: 'Pause' }).click();
  await happen(context, page, 'Reconnect');
  await happen(context, page, 'Offline');
  const news = page.getByRole('button', { name: /^Show \d+ new$/ });
  await news.waitFor();
  expect(await rowsOf(page).count()).toBe(before + 1);
  expect(await page.evaluate<number>(LAYOUT_SHIFT)).toBeLessThan(0.02);
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect.poll(() => rowsOf(page).count()).toBe(before + 2);
  expect(await news.isVisible()).toBe(false);
  expect(complaints).toEqual([]);
  await context.close();
});

test('where the stream cannot be heard the page asks by the clock', async () => {
  const context = await world.open('admin');
  const { page } = await openWatched(context, world.baseUrl);
  await page.route('**/portal/changes?*', (route) => route.fulfill({ status: 503, body: '' }));
  await page.goto(inSimulation('/portal/events/'));
  const before = await rowsOf(page).count();
  await happen(context, page, 'Reconnect');
  await happen(context, page, 'Offline');
  await expect.poll(() => rowsOf(page).count()).toBe(before + 1);
  await context.close();
});

test('a delivery is followed without a reload, and a new one is offered by a button', async () => {
  const context = await world.open('admin', { viewport: { width: 1280, height: 900 } });
  const { page, complaints } = await openWatched(context, world.baseUrl);
  const log = inSimulation(`/portal/webhooks/${world.webhooks.simulation}/deliveries/`);
  const other = await context.newPage();
  await other.goto(world.home.devices['heat-pumps'] ?? '');
  await page.bringToFront();
  await page.goto(log);
  const rows = page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');
  const before = await rows.count();
  await other.bringToFront();
  await other.getByRole('button', { name: 'Sign-in asked for' }).click();
  await other.getByText('It has happened.').waitFor();
  await page.bringToFront();
  const news = page.getByRole('button', { name: 'Show what is new' });
  await news.waitFor();
  expect(await rows.count()).toBe(before);
  expect(await page.evaluate<number>(LAYOUT_SHIFT)).toBeLessThan(0.02);
  await news.click();
  await expect.poll(() => rows.count()).toBe(before + 1);
  // Its first attempts fail, one after the other: nobody has the address.
  const attempts = rows.first().locator('[data-label="Attempts"]');
  const tries = await attempts.textContent();
  await expect.poll(() => attempts.textContent()).not.toBe(tries);
  expect(complaints).toEqual([]);
  await context.close();
});
