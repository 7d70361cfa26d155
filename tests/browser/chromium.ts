import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';

/** Not a promise: less than a test waits, so that a failure names the place. */
const END_OF_PATIENCE_MS = 180_000;

/** Debian's Chromium without a window, which asks nobody for updates. `more` are arguments of its command line. */
export async function launchChromium(...more: readonly string[]): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--headless',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
    ],
  });
  browser.on('context', (context) => {
    context.setDefaultTimeout(END_OF_PATIENCE_MS);
  });
  return browser;
}

/** How many tab stops there are from the beginning of a page to its content; the first of them skips to it. */
export async function countStopsToContent(page: Page): Promise<number> {
  await page.keyboard.press('Tab');
  const first = await page.evaluate<string>('document.activeElement.textContent');
  if (first !== 'Skip to content') throw new Error(`The first tab stop is ${first}.`);
  let stops = 1;
  while (!(await page.evaluate<boolean>("document.activeElement.closest('main') !== null"))) {
    await page.keyboard.press('Tab');
    stops += 1;
  }
  return stops;
}
