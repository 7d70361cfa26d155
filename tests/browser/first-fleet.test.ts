// From the first sign-in to a running fleet with its curve, as a person does it: with scripts, and without.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { fixedCredentials, until } from '../process/partner.ts';
import { startServiceOnSharedServer } from '../support/service.ts';
import { launchChromium } from './chromium.ts';
import { signInFirst } from './sign-in.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

test.each([true, false])('a first fleet runs and shows a day (scripts: %s)', async (javaScriptEnabled) => {
  const fixed = fixedCredentials();
  const service = await startServiceOnSharedServer({ env: { ...fixed.env, SIMULATOR_FAULTS: 'off' } });
  const context = await browser.newContext({ baseURL: service.baseUrl, javaScriptEnabled });
  const page = await context.newPage();
  const begun = performance.now();
  await signInFirst(page, fixed);
  await page.goto('/portal/fleets/');
  await page.getByRole('link', { name: 'Create a fleet' }).first().click();
  await page.getByLabel('Name').first().fill('First fleet');
  await page.getByLabel('Days of past').fill('2');
  await page.getByRole('button', { name: 'Preview' }).last().click();
  await page.getByText('10 homes that use').waitFor();
  await page.getByRole('button', { name: 'Create the fleet' }).click();
  await page.getByText('The fleet is being built.').waitFor();
  await until(
    async () => {
      await page.reload();
      return page.locator('.state .status').textContent();
    },
    (status) => status?.includes('Running') === true,
  );
  await page.getByRole('link', { name: 'Day before' }).click();
  if (javaScriptEnabled) await page.locator('.plot canvas').first().waitFor();
  else await page.getByText('As table').click();
  expect(await page.getByRole('main').textContent()).toMatch(/10\shomes took [\d.]+\skWh from the grid/);
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  process.stdout.write(`First fleet (scripts: ${javaScriptEnabled}): ${seconds} s.\n`);
  await context.close();
  await service.remove();
});
