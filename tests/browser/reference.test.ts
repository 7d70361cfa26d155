// The reference in a browser: what a keyboard, a small screen, a screen reader and a search get of it.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import express from 'express';
import { createBytesSender } from '../../src/http/tagged-answer.ts';
import { readPageEntries } from '../../src/reference/page-list.ts';
import { createReferencePages } from '../../src/reference/reference.ts';
import { countStopsToContent, launchChromium } from './chromium.ts';

const axe = readFileSync(new URL(import.meta.resolve('axe-core')), 'utf8');
/** One page of each kind, and the largest; EVERY_PAGE=yes looks at all of them. */
const KINDS = [
  '/docs',
  '/docs/search',
  '/docs/guide/signatures',
  '/docs/guide/lifecycle',
  '/docs/guide/api-changelog',
  '/docs/operations/previewFleet',
  '/docs/messages/device.action_required',
  '/docs/errors',
  '/docs/errors/email_taken',
  '/docs/simulator',
];
const PATHS = process.env['EVERY_PAGE'] === 'yes' ? readPageEntries().map(({ path }) => path) : KINDS;

/** How long a browser on a busy machine may take to show what it has found. */
const PATIENCE_MS = 30_000;

let server: Server;
let browser: Browser;
let baseURL: string;
beforeAll(async () => {
  server = express()
    .use(createReferencePages({ baseUrl: 'https://partner.example', createSender: createBytesSender }))
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  server.close();
});

interface Options {
  readonly javaScriptEnabled?: boolean;
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
}

/** A page, what the browser complained of, and what it asked other servers for. */
async function openPage({ javaScriptEnabled = true, width = 1280, colorScheme = 'light' }: Options = {}) {
  const viewport = { width, height: 900 };
  const context = await browser.newContext({ baseURL, javaScriptEnabled, viewport, colorScheme });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(baseURL) && !request.url().startsWith('data:'))
      complaints.push(request.url());
  });
  return { page, complaints };
}

const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

test.each([
  [1280, 'light'],
  [390, 'dark'],
] as const)(
  'at %i px, %s: no violation of WCAG A and AA, nothing wider than the screen',
  async (width, colorScheme) => {
    const { page, complaints } = await openPage({ width, colorScheme });
    const found: unknown[] = [];
    for (const path of PATHS) {
      await page.goto(path);
      await page.evaluate(axe);
      const run = `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })`;
      const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
        run,
      );
      found.push(...violations.map(({ id, nodes }) => [path, id, nodes[0]?.html]));
      const overflow = await page.evaluate<number>(OVERFLOW);
      if (overflow > 0) found.push([path, 'overflow', overflow]);
    }
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
  },
);

test('the first tab stop leads to the content, and without it there are few before', async () => {
  const { page } = await openPage();
  for (const path of PATHS) {
    await page.goto(path);
    expect([path, await countStopsToContent(page)]).toEqual([path, 7]);
    await page.goto(path);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    await page.keyboard.press('Tab');
    const seen = 'document.activeElement.matches("main a:focus-visible, main [tabindex]:focus-visible")';
    expect([path, await page.evaluate(seen)]).toEqual([path, true]);
  }
});

const results = async (page: Page): Promise<string[]> => {
  await page.locator('#search-results:visible').waitFor();
  return page.locator('#search-results a').allTextContents();
};

test('the search finds pages by title, path, field and code, with no other server and no connection', async () => {
  const { page, complaints } = await openPage();
  await page.goto('/docs/errors/email_taken');
  await page.locator('#find').fill('email taken');
  expect((await results(page))[0]).toBe('Email taken');
  // The index is there: what is typed now needs no network.
  await page.context().setOffline(true);
  for (const [typed, title] of [
    ['createUser', 'Create a user'],
    ['reserve percent', "Change an inverter's preferences"],
    ['signatur verif', 'Webhooks and signatures'],
  ] as const) {
    await page.locator('#find').fill(typed);
    await expect.poll(() => results(page), { timeout: PATIENCE_MS }).toContain(title);
  }
  await page.context().setOffline(false);
  await page.locator('#find').press('Escape');
  expect(await page.locator('#search-results').isVisible()).toBe(false);
  await page.locator('#find').fill('rate limits');
  await page.locator('#find').press('Enter');
  await page.waitForURL('**/docs/search?q=rate+limits');
  expect((await results(page))[0]).toBe('Rate limits');
  await page.locator('#search-results a').first().click();
  expect(new URL(page.url()).pathname).toBe('/docs/guide/rate-limits');
  expect(complaints).toEqual([]);
});

test('without JavaScript the search leads to the list of all pages', async () => {
  const { page } = await openPage({ javaScriptEnabled: false });
  await page.goto('/docs/operations/createUser');
  await page.locator('#find').fill('prices');
  await page.getByRole('button', { name: 'Search' }).click();
  expect(new URL(page.url()).pathname).toBe('/docs/search');
  const links = await page.locator('main li a').count();
  expect(links).toBe(readPageEntries().length - 2);
  await page.getByRole('main').getByRole('link', { name: 'Upload day-ahead prices' }).click();
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Upload day-ahead prices');
  await page.locator('summary', { hasText: 'Python' }).click();
  expect(await page.locator('pre:visible', { hasText: 'urllib.request' }).count()).toBe(1);
  // Of the three languages one is open.
  expect(await page.locator('pre:visible', { hasText: 'curl -sS' }).count()).toBe(0);
});
