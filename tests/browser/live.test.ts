// A fleet's page that is left open: what happens is shown without a reload, the layout stays where it is, and so does the memory.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CDPSession, Page } from 'playwright-core';
import { LAYOUT_SHIFT } from './page-measures.ts';
import { openWatched, startPortalWorld } from './portal-world.ts';
import type { PortalWorld } from './portal-world.ts';
import { until } from '../process/partner.ts';

let world: PortalWorld;
beforeAll(async () => {
  world = await startPortalWorld();
});
afterAll(() => world.close());

const pageOfFleet = (): string => `/portal/fleets/${world.fleet.jobId}/`;

test('an event is shown without a reload, and offered where it would move the page', async () => {
  const context = await world.open('admin', { viewport: { width: 1280, height: 900 } });
  const { page, complaints } = await openWatched(context, world.baseUrl);
  const stream = page.waitForResponse('**/portal/changes?*');
  await page.goto(pageOfFleet());
  expect((await stream).status()).toBe(200);
  const offline = page.getByRole('link', { name: 'Offline' });
  expect(await offline.textContent()).toContain('0 devices');
  const other = await context.newPage();
  await other.goto(world.home.devices.inverters ?? '');
  await other.getByRole('button', { name: 'Offline' }).click();
  await other.getByText('It has happened.').waitFor();
  await page.bringToFront();
  await offline.getByText('1 device', { exact: true }).waitFor();
  const news = page.getByRole('button', { name: 'Show what is new' });
  await news.waitFor();
  expect(await page.evaluate<number>(LAYOUT_SHIFT)).toBeLessThan(0.02);
  await news.click();
  await page.getByText('Its values stand still until it is back').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('who may not listen is kept up to date by the clock, quietly, and the time of a page that is not reached stands still', async () => {
  const context = await world.open('staff');
  const { page, complaints } = await openWatched(context, world.baseUrl);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.clock.install();
  await page.goto(pageOfFleet());
  const asOf = page.locator('[data-live="as-of"] time');
  const first = await asOf.getAttribute('datetime');
  await page.clock.fastForward(31_000);
  await page.locator(`[data-live="as-of"] time:not([datetime="${first ?? ''}"])`).waitFor();
  const second = await asOf.getAttribute('datetime');
  let refused = 0;
  await page.route(`**${pageOfFleet()}`, async (route) => {
    await route.fulfill({ status: 503, body: '' });
    refused += 1;
  });
  const answered = page.waitForResponse((response) => response.status() === 503);
  await page.clock.fastForward(31_000);
  await answered;
  expect([refused, await asOf.getAttribute('datetime')]).toEqual([1, second]);
  expect(asked).not.toContain('/portal/changes');
  expect(complaints.filter((text) => !text.includes('status of 503'))).toEqual([]);
  await context.close();
});

const HOUR_S = 3_600;
/** Between two looks at the page, however much happens. */
const PAUSE_S = 5;
const MOST_GROWTH_BYTES = 10 * 1024 * 1024;

/** In place of the browser's own: the test says when something happens. */
const EVENTS_BY_HAND = `window.EventSource = class {
  constructor() { window.happen = () => this.onmessage?.(new MessageEvent('message', { data: 'changed' })); }
  close() {}
};`;

async function measureHeap(session: CDPSession): Promise<number> {
  for (let times = 0; times < 3; times += 1) await session.send('HeapProfiler.collectGarbage');
  return (await session.send('Runtime.getHeapUsage')).usedSize;
}

/** Answers the page from memory, each time with other values, as often as an hour has times at which it is asked for. */
async function serveChanging(page: Page): Promise<() => number> {
  const html = await (await page.request.get(pageOfFleet())).text();
  let count = 0;
  await page.route(`**${pageOfFleet()}`, async (route) => {
    count += 1;
    const body = html
      .replace(/(<time [^>]*>)[^<]*(?=<\/time><\/span><button)/, `$1${count}`)
      .replace(/("values":\[)-?[\d.]+/g, `$1${count}`)
      .replace(/(class="figure">)[^<]*/g, `$1${count} W`);
    await route.fulfill({ status: 200, contentType: 'text/html', body });
  });
  return () => count;
}

test('a page that is left open for an hour in which something happens each second grows by 10 MB at most', async () => {
  const context = await world.open('admin', { viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(EVENTS_BY_HAND);
  await page.clock.install();
  const countAsked = await serveChanging(page);
  await page.goto(pageOfFleet());
  await page.locator('.plot canvas').first().waitFor();
  const session = await context.newCDPSession(page);
  const asOf = page.locator('[data-live="as-of"] time');
  const look = async (): Promise<void> => {
    const before = countAsked();
    await page.evaluate(`for (let event = 0; event < ${PAUSE_S}; event += 1) window.happen()`);
    await page.clock.runFor(PAUSE_S * 1_000);
    // Of two answers of a page that was slow to show the first, only the second one may be seen.
    await until(
      async () => Number(await asOf.textContent()),
      (shown) => shown > before,
    );
  };
  // What the first looks make ready for all that follow is not growth.
  for (let times = 0; times < 10; times += 1) await look();
  const before = await measureHeap(session);
  const looks = HOUR_S / PAUSE_S;
  for (let times = 0; times < looks; times += 1) await look();
  const growth = (await measureHeap(session)) - before;
  console.log(`${HOUR_S} events, ${looks} looks: the heap grew by ${(growth / 1024 / 1024).toFixed(2)} MB`);
  expect(countAsked()).toBeGreaterThan(looks);
  expect(growth).toBeLessThan(MOST_GROWTH_BYTES);
  await context.close();
});
