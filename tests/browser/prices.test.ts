// The pages of prices as a planner uses them: read what counts, look at it being replaced by somebody else, upload.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { DAY_MS, HOUR_MS } from '../../src/domain/api/durations.ts';
import { inspect, SCREENS, shoot } from './inspect-page.ts';
import { LAYOUT_SHIFT } from './page-measures.ts';
import { openWatched, startPortalWorld } from './portal-world.ts';
import type { PortalWorld } from './portal-world.ts';

let world: PortalWorld;
beforeAll(async () => {
  world = await startPortalWorld();
});
afterAll(() => world.close());

const dayFrom = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
const UPLOAD = '/portal/prices/upload/';

async function check(page: Page, text: string): Promise<void> {
  await page.getByLabel('Prices', { exact: true }).fill(text);
  await page.getByLabel('Clocks of the times').fill('UTC');
  await page.getByRole('button', { name: 'Check the prices' }).click();
}

/** Uploads the price of this hour and, since an upload of what is over is refused, of the next. */
async function replaceNow(price: number): Promise<void> {
  const thisHour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const data = [thisHour, thisHour + HOUR_MS].map((ms) => ({ timestamp: new Date(ms).toISOString(), price }));
  await world.api.call('PATCH', '/trading/dayahead/prices', { data });
}

test('the readout tells which price counts at 18:00 tomorrow, when it came and what it replaced, and nothing moves', async () => {
  const context = await world.open('admin', { viewport: { width: 390, height: 900 } });
  const { page, complaints } = await openWatched(context, world.baseUrl);
  await page.goto(`/portal/prices/?zone=utc`);
  await page.locator('.plot canvas').first().waitFor();
  const slider = page.getByRole('slider', { name: 'Time' });
  const legend = page.locator('.chart .legend');
  const heights = new Set<number | undefined>();
  for (let quarter = 0; quarter < 192; quarter += 4) {
    await slider.fill(String(quarter));
    heights.add((await page.locator('.chart').boundingBox())?.height);
  }
  expect([...heights]).toHaveLength(1);
  await slider.fill(String(96 + 18 * 4));
  const told = (await legend.textContent())?.replaceAll(/\s+/g, ' ') ?? '';
  expect(told).toContain('Price 160.00 EUR/MWh');
  expect(told).toMatch(
    /Came \d{4}-\d\d-\d\d \d\d:\d\d UTC Replaced 142\.00 of \d{4}-\d\d-\d\d \d\d:\d\d UTC/,
  );
  expect(told).toContain('Highest bid 159.50 (of 2) Lowest ask 160.25');
  expect(complaints).toEqual([]);
  await context.close();
});

test('an upload by somebody else is shown without a reload, in the own organization and in a simulation', async () => {
  const context = await world.open('admin', { viewport: { width: 1280, height: 900 } });
  let price = 300;
  for (const path of ['/portal/prices/', `/portal/prices/?org=${world.fleet.simulationOrgId}`]) {
    const { page, complaints } = await openWatched(context, world.baseUrl);
    const stream = page.waitForResponse('**/portal/changes*');
    await page.goto(path);
    expect((await stream).status()).toBe(200);
    price += 1;
    await replaceNow(price);
    const now = page.locator('[data-live="Now"]');
    await now.getByText(`${price}.00 EUR/MWh`).waitFor();
    await page.locator('.legend').getByText(`${price}.00 EUR/MWh`).waitFor();
    await page.getByRole('button', { name: 'Show what is new' }).waitFor();
    expect(await page.evaluate<number>(LAYOUT_SHIFT)).toBeLessThan(0.02);
    expect(complaints).toEqual([]);
    await page.close();
  }
  await context.close();
});

test('staff hear of it by the clock', async () => {
  const context = await world.open('staff');
  const { page } = await openWatched(context, world.baseUrl);
  await page.clock.install();
  await page.goto('/portal/prices/');
  await replaceNow(333);
  await page.clock.fastForward(31_000);
  await page.locator('[data-live="Now"]').getByText('333.00 EUR/MWh').waitFor();
  await context.close();
});

test.each(SCREENS)(
  'at %i px, %s: what is refused and what is checked keep to the design',
  async (width, colorScheme) => {
    const context = await world.open('admin', { viewport: { width, height: 900 }, colorScheme });
    const { page, complaints } = await openWatched(context, world.baseUrl);
    await page.goto(UPLOAD);
    const day = dayFrom(1);
    await check(page, `${day} 18:07;1\n${day} 19:00;84,12\n${day} 19:00;85\nsoon;12`);
    await page.getByRole('heading', { name: 'To be mended' }).waitFor();
    expect(await inspect(page)).toEqual([]);
    await shoot(page, `price-upload-refused-admin-${width}-${colorScheme}`);
    await check(page, `${day} 02:00;-5,5\n${day} 17:00;84,12\n${day} 18:00;85\n${day} 18:15;85`);
    await page.getByRole('button', { name: 'Store the prices' }).waitFor();
    expect(await inspect(page)).toEqual([]);
    await shoot(page, `price-check-admin-${width}-${colorScheme}`);
    expect(complaints.filter((text) => !text.includes('status of 422'))).toEqual([]);
    await context.close();
  },
);

test('a file is checked and stored without JavaScript', async () => {
  const context = await world.open('staff', { javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto('/portal/prices/');
  await page.getByRole('link', { name: 'Upload prices' }).click();
  const day = dayFrom(3);
  const lines = Array.from({ length: 24 }, (_, hour) => `${day} ${String(hour).padStart(2, '0')}:00,${hour}`);
  await page.getByLabel('Or a file').setInputFiles({
    name: 'prices.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(lines.join('\r\n')),
  });
  await page.getByLabel('Clocks of the times').fill('UTC');
  await page.getByRole('button', { name: 'Check the prices' }).click();
  await page.getByText('24, hourly').waitFor();
  await page.getByRole('button', { name: 'Change them' }).click();
  const [first = '', ...others] = lines;
  expect((await page.getByLabel('Prices', { exact: true }).inputValue()).split(/\r?\n/)).toEqual(lines);
  await page.getByLabel('Prices', { exact: true }).fill([`${first}.5`, ...others].join('\n'));
  await page.getByRole('button', { name: 'Check the prices' }).click();
  await page.getByText('0.50 EUR/MWh').first().waitFor();
  await page.getByRole('button', { name: 'Store the prices' }).click();
  await page.getByText('The prices were stored.').waitFor();
  await page.goto(`/portal/prices/?day=${day}&days=1&zone=utc`);
  await page.getByText('As table').click();
  expect(await page.getByRole('table', { name: 'Values of the day' }).getByRole('row').count()).toBe(25);
  await context.close();
});
