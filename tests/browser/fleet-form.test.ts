// The form for a fleet with scripts: its preview follows the fields, and its map shows the homes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page, Request } from 'playwright-core';
import { openWatched, startPortalWorld } from './portal-world.ts';
import type { PortalWorld } from './portal-world.ts';
import { readScriptSizes } from './script-sizes.ts';

let world: PortalWorld;
beforeAll(async () => {
  world = await startPortalWorld();
});
afterAll(() => world.close());

const PATH = '/portal/fleets/create/';
const MOST_SCRIPT_BYTES = 150 * 1024;
const isFor = (action: string) => (request: Request) => request.postData()?.includes(`do=${action}`) === true;
const preview = (page: Page) => page.locator('[data-part="preview"]');
const status = (page: Page) => page.locator('[data-preview-status]');

async function openForm(options = {}) {
  const context = await world.open('admin', { viewport: { width: 1280, height: 900 }, ...options });
  const watched = await openWatched(context, world.baseUrl);
  return { context, ...watched };
}

/** How many pixels of a layer of the map have been drawn. */
const countDrawn = (page: Page, pane: string): Promise<number> =>
  page.locator(`.leaflet-${pane}-pane canvas`).evaluate((canvas: any) =>
    canvas
      .getContext('2d')
      .getImageData(0, 0, canvas.width, canvas.height)
      .data.reduce(
        (count: number, value: number, at: number) => count + (at % 4 === 3 && value > 0 ? 1 : 0),
        0,
      ),
  );

test('the preview follows the fields without a reload, with a curve, totals and the JSON', async () => {
  const { context, page, complaints } = await openForm();
  await page.goto(PATH);
  await preview(page).getByText('10 homes that use').waitFor();
  await page.locator('#fleet-map[data-ready]').waitFor();
  await page.evaluate('window.isSamePage = true');
  const drawnBefore = await countDrawn(page, 'marks');
  expect(drawnBefore).toBeGreaterThan(0);
  await page.getByLabel('Homes', { exact: true }).fill('25');
  await preview(page).getByText('25 homes that use').waitFor();
  await page.locator('.plot canvas').waitFor();
  expect(await page.locator('.plot canvas').count()).toBe(1);
  expect(await page.locator('[data-part="json"]').textContent()).toContain('"count": 25');
  expect(await page.evaluate('window.isSamePage')).toBe(true);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a wrong value is told at its field, the last preview stays, and a right one takes the error away', async () => {
  const { context, page } = await openForm();
  await page.goto(PATH);
  await preview(page).getByText('10 homes that use').waitFor();
  const field = page.getByLabel('Latitude');
  await field.fill('north');
  await page.locator('#error_latitude').waitFor();
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(await field.getAttribute('aria-describedby')).toContain('error_latitude');
  expect(await status(page).textContent()).toMatch(/to be mended|another value/);
  expect(await preview(page).textContent()).toContain('10 homes that use');
  await field.fill('48.2');
  await page.getByLabel('Longitude').fill('16.4');
  // Between the two the longitude was missing.
  await expect.poll(() => status(page).textContent()).toBe('');
  expect(await page.locator('.field .error-text').count()).toBe(0);
  expect(await field.getAttribute('aria-invalid')).toBeNull();
  await context.close();
});

test('of two requests the last one counts, however late the first is answered', async () => {
  const { context, page } = await openForm();
  await page.goto(PATH);
  await preview(page).getByText('10 homes that use').waitFor();
  const held: (() => void)[] = [];
  const ended: string[] = [];
  page.on('requestfailed', (request) =>
    ended.push(new URLSearchParams(request.postData() ?? '').get('count') ?? ''),
  );
  await page.route(`**${PATH}`, async (route) => {
    if (route.request().postData()?.includes('count=11&') === true)
      await new Promise<void>((resolve) => held.push(resolve));
    await route.continue().catch(() => {});
  });
  const count = page.getByLabel('Homes', { exact: true });
  const first = page.waitForRequest((request) => request.postData()?.includes('count=11&') === true);
  await count.fill('11');
  await first;
  await count.fill('12');
  await preview(page).getByText('12 homes that use').waitFor();
  for (const letGo of held) letGo();
  expect(ended).toEqual(['11']);
  expect(await preview(page).textContent()).toContain('12 homes that use');
  await context.close();
});

test.each([429, 503])('a service that answers %i is asked again when it says so', async (code) => {
  const { context, page } = await openForm();
  await page.clock.install();
  await page.goto(PATH);
  await page.clock.runFor(1_000);
  await preview(page).getByText('10 homes that use').waitFor();
  let refused = 0;
  await page.route(`**${PATH}`, async (route) => {
    if (refused > 0) return route.continue();
    refused += 1;
    return route.fulfill({ status: code, headers: { 'Retry-After': '25' }, body: 'Busy.' });
  });
  await page.getByLabel('Homes', { exact: true }).fill('13');
  await page.clock.runFor(1_000);
  await status(page).getByText('The service is busy').waitFor();
  expect(await preview(page).textContent()).toContain('10 homes that use');
  await page.clock.runFor(5_000);
  expect(await preview(page).textContent()).toContain('10 homes that use');
  await page.clock.runFor(21_000);
  await preview(page).getByText('13 homes that use').waitFor();
  expect(await status(page).textContent()).toBe('');
  await context.close();
});

test('the button asks for the preview, and the page stays', async () => {
  const { context, page } = await openForm();
  await page.goto(PATH);
  await preview(page).getByText('10 homes that use').waitFor();
  await page.evaluate('window.isSamePage = true');
  await page.getByLabel('Homes', { exact: true }).fill('14');
  await page.getByRole('button', { name: 'Preview' }).last().click();
  await preview(page).getByText('14 homes that use').waitFor();
  expect(await page.evaluate('window.isSamePage')).toBe(true);
  await context.close();
});

test('a fleet that is created does not wait for the preview that was asked for last', async () => {
  const { context, page } = await openForm();
  await page.goto(PATH);
  await preview(page).getByText('10 homes that use').waitFor();
  // Neither is answered.
  await page.route(`**${PATH}`, () => {});
  const asked = page.waitForRequest(isFor('refresh'));
  const count = page.getByLabel('Homes', { exact: true });
  await count.fill('15');
  // Leaving the field asks anew, which gives up what was asked before.
  await count.blur();
  await asked;
  const givenUp = page.waitForEvent('requestfailed', isFor('refresh'));
  const created = page.waitForRequest(isFor('create'));
  await page.getByRole('button', { name: 'Create the fleet' }).click({ noWaitAfter: true });
  await Promise.all([givenUp, created]);
  await context.close();
});

test('a form whose answer was lost creates the same fleet again, and with other values another one', async () => {
  const { context, page } = await openForm();
  await page.goto(PATH);
  const fill = async (homes: string): Promise<void> => {
    await page.getByLabel('Homes', { exact: true }).fill(homes);
    await preview(page).getByText(`${homes} homes that use`).waitFor();
  };
  const button = page.getByRole('button', { name: 'Create the fleet' });
  const create = async (): Promise<string> => {
    await button.click();
    await page.waitForURL(/notice=fleet_created/);
    return new URL(page.url()).pathname;
  };
  /** Resolves to the fleet's path, which the browser does not hear of. */
  const loseAnswer = () =>
    new Promise<string>((resolve) => {
      void page.route(`**${PATH}`, async (route) => {
        if (!isFor('create')(route.request())) return route.continue();
        const { location = '' } = (await route.fetch({ maxRedirects: 0 })).headers();
        // The browser stays where it is.
        await route.abort('aborted');
        await page.unrouteAll();
        resolve(new URL(location, world.baseUrl).pathname);
      });
      void button.click({ noWaitAfter: true });
    });
  for (const [repeated, isSame] of [
    ['2', true],
    ['3', false],
  ] as const) {
    await page.goto(PATH);
    await fill('2');
    const lost = await loseAnswer();
    await page.getByLabel('Homes', { exact: true }).fill('x');
    await status(page).getByText('One field needs another value').waitFor();
    await fill(repeated);
    expect((await create()) === lost).toBe(isSame);
  }
  await context.close();
});

test('without scripts the button shows the same, and no empty map', async () => {
  const { context, page } = await openForm({ javaScriptEnabled: false });
  await page.goto(PATH);
  expect(await page.locator('#preview').isVisible()).toBe(false);
  await page.getByLabel('Homes', { exact: true }).fill('14');
  await page.getByRole('button', { name: 'Preview' }).last().click();
  expect(await preview(page).textContent()).toContain('14 homes that use');
  expect(await page.locator('.map').isVisible()).toBe(false);
  await context.close();
});

test('the scripts of the page are small', async () => {
  const { context, page } = await openForm();
  const sizes = await readScriptSizes(page, PATH);
  expect(sizes.length).toBe(5);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_SCRIPT_BYTES);
  await context.close();
});
