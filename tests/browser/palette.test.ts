// The palette and the keys: what a keyboard alone reaches from any page.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BrowserContext, Page } from 'playwright-core';
import { shoot } from './inspect-page.ts';
import { AXE_RUN, COLOURS, OVERFLOW, SIZES } from './page-measures.ts';
import { openWatched, startPortalWorld } from './portal-world.ts';
import type { PortalWorld } from './portal-world.ts';

const axe = readFileSync(new URL(import.meta.resolve('axe-core')), 'utf8');

let world: PortalWorld;
beforeAll(async () => {
  world = await startPortalWorld();
});
afterAll(() => world.close());

const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(
    'document.activeElement.getAttribute("role") ?? document.activeElement.textContent.trim()',
  );

test('Ctrl and K open it, arrows choose, Enter goes there; Escape gives the focus back', async () => {
  const context = await world.open('admin', { reducedMotion: 'reduce' });
  const { page, complaints } = await openWatched(context, world.baseUrl);
  await page.goto('/portal/users/');
  const link = page.getByRole('link', { name: 'Create a user' });
  await link.focus();
  await page.keyboard.press('Control+k');
  const input = page.getByRole('combobox', { name: 'Search for a page' });
  await page.getByRole('option', { name: 'Vienna pilot' }).waitFor();
  expect(await focused(page)).toBe('combobox');
  for (let stop = 0; stop < 4; stop += 1) {
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest("main, nav") === null')).toBe(true);
  }
  await page.keyboard.press('Escape');
  expect(await focused(page)).toBe('Create a user');

  await page.keyboard.press('Control+k');
  await page.keyboard.insertText('create');
  await page.getByText('2 places').waitFor();
  expect(await input.getAttribute('aria-activedescendant')).toBe('palette-place-0');
  await page.keyboard.press('ArrowUp');
  expect(await page.locator('[aria-selected="true"]').textContent()).toMatch(/^Create a user/);
  await page.keyboard.press('ArrowDown');
  expect(await input.getAttribute('aria-activedescendant')).toBe('palette-place-0');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/portal/fleets/create/');
  expect(complaints).toEqual([]);
  await context.close();
});

test('an answer to what was typed before chooses no place', async () => {
  const context = await world.open('admin');
  const page = await context.newPage();
  await page.clock.install();
  const released = Promise.withResolvers<null>();
  await page.route('**/portal/search.json*', async (route) => {
    await released.promise;
    await route.continue();
  });
  await page.goto('/portal/');
  const first = page.waitForRequest('**/portal/search.json*');
  await page.keyboard.press('Control+k');
  await first;
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.keyboard.insertText('users');
  const ended = Promise.race([
    page.waitForEvent('requestfailed'),
    page.getByRole('option').first().waitFor(),
  ]);
  released.resolve(null);
  await ended;
  await page.keyboard.press('Enter');
  await page.waitForURL('**/portal/search/?*q=users');
  await context.close();
});

/** The palette with its first answer; what is typed then is not asked for before the clock goes on. */
async function openStopped(): Promise<{ context: BrowserContext; page: Page }> {
  const context = await world.open('admin');
  const page = await context.newPage();
  await page.clock.install();
  await page.goto('/portal/');
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: 'Vienna pilot' }).waitFor();
  await page.clock.pauseAt(Date.now() + 60_000);
  return { context, page };
}

test('before an answer an arrow up chooses the last place', async () => {
  const { context, page } = await openStopped();
  await page.keyboard.insertText('users');
  await page.keyboard.press('ArrowUp');
  const last = await page.getByRole('option').last().textContent();
  expect(await page.locator('[aria-selected="true"]').textContent()).toBe(last);
  await context.close();
});

test('what an arrow has chosen is chosen behind the answer too, or nothing is', async () => {
  const { context, page } = await openStopped();
  const type = async (text: string, ...arrows: readonly string[]): Promise<string | null> => {
    await page.keyboard.insertText(text);
    for (const arrow of arrows) await page.keyboard.press(arrow);
    await page.evaluate('document.querySelector("#palette [role=option]").dataset.old = ""');
    await page.clock.runFor(120);
    await page.locator('[data-old]').waitFor({ state: 'detached' });
    return page.getByRole('combobox').getAttribute('aria-activedescendant');
  };
  expect(await type('create')).toBe('palette-place-0');
  expect(await type(' ', 'ArrowUp')).toBe('palette-place-1');
  await page.getByRole('combobox').fill('');
  expect(await type('users', 'ArrowDown')).toBe('');
  await context.close();
});

test('a device is found by its id, and what is not found yet leads to the page of the search', async () => {
  const context = await world.open('staff');
  const page = await context.newPage();
  const path = world.home.devices['heat-pumps'] ?? '';
  await page.goto('/portal/');
  await page.keyboard.press('/');
  await page.keyboard.insertText(path.split('/').at(-2) ?? '');
  await page.getByRole('option', { name: 'Heat pump' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**${path}`);
  await page.route('**/portal/search.json*', (route) => route.abort());
  await page.keyboard.press('Control+k');
  await page.keyboard.type('fleets');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/portal/search/?*q=fleets');
  await context.close();
});

test('two letters lead to a page, a question mark lists the keys, and they can be switched off', async () => {
  const context = await world.open('admin');
  const page = await context.newPage();
  await page.goto('/portal/');
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await page.waitForURL('**/portal/users/');
  await page.getByLabel('Email starts with').focus();
  await page.keyboard.type('g f?');
  expect(await page.getByLabel('Email starts with').inputValue()).toBe('g f?');
  await page.getByRole('heading', { name: 'Users' }).click();
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  expect(await keys.getByRole('definition').allTextContents()).toContain('Applications');
  await keys.getByLabel('Keys without Ctrl').uncheck();
  await page.keyboard.press('Escape');
  await page.reload();
  await page.keyboard.press('?');
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  expect([await keys.isVisible(), new URL(page.url()).pathname]).toEqual([false, '/portal/users/']);
  await page.keyboard.press('Control+k');
  await page.getByRole('button', { name: 'Keys' }).click();
  expect(await keys.isVisible()).toBe(true);
  await context.close();
});

test.each([
  [1280, 'light'],
  [1280, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const)('at %i px, %s, it keeps to the design and to WCAG A and AA', async (width, colorScheme) => {
  const context = await world.open('admin', { viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  await page.goto('/portal/users/');
  for (const [name, key] of [
    ['palette', 'Control+k'],
    ['keys', '?'],
  ] as const) {
    await page.keyboard.press(key);
    await page.locator(`#${name}[open]`).waitFor();
    if (name === 'palette') await page.getByRole('option').first().waitFor();
    await page.evaluate(axe);
    const { violations } = await page.evaluate<{ violations: { id: string }[] }>(AXE_RUN);
    const { sizes, odd } = await page.evaluate<{ sizes: string[]; odd: unknown[] }>(SIZES);
    const found = [
      violations.map(({ id }) => id),
      odd,
      await page.evaluate(COLOURS),
      await page.evaluate(OVERFLOW),
    ];
    expect([name, ...found, sizes.length <= 6]).toEqual([name, [], [], [], 0, true]);
    await shoot(page, `${name}-admin-${width}-${colorScheme}`, { fullPage: false });
    await page.keyboard.press('Escape');
  }
  await context.close();
});

test('without JavaScript its link leads to the page of the search', async () => {
  const context = await world.open('admin', { javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto('/portal/');
  await page.getByRole('link', { name: 'Search' }).click();
  await page.getByLabel('Page, fleet, email or id').fill('vienna');
  await page.getByRole('main').getByRole('button', { name: 'Search' }).click();
  await page.getByRole('main').getByRole('link', { name: 'Vienna pilot' }).click();
  expect(new URL(page.url()).pathname).toBe(`/portal/fleets/${world.fleet.jobId}/`);
  await context.close();
});
