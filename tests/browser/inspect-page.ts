import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import {
  AXE_COLOURS,
  AXE_RUN,
  COLOURS,
  END_TRANSITIONS,
  LAYOUT_SHIFT,
  OVERFLOW,
  SIZES,
  SPILLED,
  TOO_WIDE,
  TOWERS,
} from './page-measures.ts';

const axe = readFileSync(new URL(import.meta.resolve('axe-core')), 'utf8');

const SCREENSHOTS = join(import.meta.dirname, '../../.screenshots');

/** Keeps a picture of the page that is shown for people who ask for it by SCREENSHOTS=yes: pictures of all took a quarter of the time of the tests. */
export async function shoot(page: Page, name: string, { fullPage = true } = {}): Promise<void> {
  if (process.env['SCREENSHOTS'] !== 'yes') return;
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage });
}

export const WIDTHS = [1280, 390] as const;
export const COLOUR_SCHEMES = ['light', 'dark'] as const;

/** The four variants in which a page is looked at. */
export const SCREENS = WIDTHS.flatMap((width) => COLOUR_SCHEMES.map((scheme) => [width, scheme] as const));

/** What is wrong with the page that is shown. */
export async function inspect(page: Page): Promise<unknown[]> {
  const look = await inspectLook(page, AXE_RUN);
  const { sizes, odd } = await page.evaluate<{ sizes: string[]; odd: unknown[] }>(SIZES);
  const overflow = await page.evaluate<number>(OVERFLOW);
  return [
    ...look,
    ...(sizes.length > 6 ? [['sizes', ...sizes]] : []),
    ...odd.slice(0, 3),
    ...(await page.evaluate<unknown[]>(SPILLED)).slice(0, 3),
    ...(await page.evaluate<unknown[]>(TOWERS)).slice(0, 3),
    ...(await page.evaluate<unknown[]>(TOO_WIDE)).slice(0, 3),
    ...(overflow > 0 ? [['overflow', overflow]] : []),
  ];
}

/** What these rules of axe say, which colours are no tokens, and whether anything has moved. Loading axe takes as long as a look with it: it stays in the page. */
async function inspectLook(page: Page, axeRun: string): Promise<unknown[]> {
  // A button that the mouse has just come to is on its way to another colour.
  await page.evaluate(END_TRANSITIONS);
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    axeRun,
  );
  const shift = await page.evaluate<number>(LAYOUT_SHIFT);
  return [
    ...violations.map(({ id, nodes }) => ['axe', id, nodes[0]?.html]),
    ...(await page.evaluate<unknown[]>(COLOURS)).slice(0, 3),
    ...(shift > 0.02 ? [['layout shift', shift]] : []),
  ];
}

/** Shows the page in a colour scheme, with nothing on its way there any more. */
export async function showIn(page: Page, colorScheme: (typeof COLOUR_SCHEMES)[number]): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.evaluate(END_TRANSITIONS);
}

/** What is wrong with the page that is shown, in each colour scheme: what has nothing to do with colours is looked at in the first. */
export async function inspectSchemes(page: Page, name: string): Promise<unknown[]> {
  const faults: unknown[] = [];
  for (const colorScheme of COLOUR_SCHEMES) {
    await showIn(page, colorScheme);
    const found = colorScheme === 'light' ? await inspect(page) : await inspectLook(page, AXE_COLOURS);
    faults.push(...found.map((fault) => [name, colorScheme, fault]));
  }
  for (const colorScheme of COLOUR_SCHEMES) {
    // A picture of a whole page shifts it, so all are taken when it has been looked at.
    await showIn(page, colorScheme);
    await shoot(page, `${name}-${colorScheme}`);
  }
  return faults;
}
