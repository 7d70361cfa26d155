import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import {
  AXE_RUN,
  COLOURS,
  LAYOUT_SHIFT,
  OVERFLOW,
  SIZES,
  SPILLED,
  TOO_WIDE,
  TOWERS,
} from './page-measures.ts';

const axe = readFileSync(new URL(import.meta.resolve('axe-core')), 'utf8');

export const SCREENSHOTS = join(import.meta.dirname, '../../.screenshots');

/** The four variants in which a page is looked at. */
export const SCREENS = [
  [1280, 'light'],
  [1280, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const;

/** What is wrong with the page that is shown. */
export async function inspect(page: Page): Promise<unknown[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    AXE_RUN,
  );
  const { sizes, odd } = await page.evaluate<{ sizes: string[]; odd: unknown[] }>(SIZES);
  const shift = await page.evaluate<number>(LAYOUT_SHIFT);
  const overflow = await page.evaluate<number>(OVERFLOW);
  return [
    ...violations.map(({ id, nodes }) => ['axe', id, nodes[0]?.html]),
    ...(sizes.length > 6 ? [['sizes', ...sizes]] : []),
    ...odd.slice(0, 3),
    ...(await page.evaluate<unknown[]>(COLOURS)).slice(0, 3),
    ...(await page.evaluate<unknown[]>(SPILLED)).slice(0, 3),
    ...(await page.evaluate<unknown[]>(TOWERS)).slice(0, 3),
    ...(await page.evaluate<unknown[]>(TOO_WIDE)).slice(0, 3),
    ...(shift > 0.02 ? [['layout shift', shift]] : []),
    ...(overflow > 0 ? [['overflow', overflow]] : []),
  ];
}
