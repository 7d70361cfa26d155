// From the first sign-in to a message that has arrived and whose signature is right, and to its notification resolved: all of it
// in the portal.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { DAY_MS } from '../../src/domain/api/durations.ts';
import { fixedCredentials, until } from '../process/partner.ts';
import { startSnippetRunners } from '../reference/snippet-runners.ts';
import type { SnippetRunners } from '../reference/snippet-runners.ts';
import { startReceiver } from '../support/receiver.ts';
import type { Received, Receiver } from '../support/receiver.ts';
import { startServiceOnSharedServer } from '../support/service.ts';
import { launchChromium } from './chromium.ts';
import { signInFirst } from './sign-in.ts';

let browser: Browser;
let receiver: Receiver;
let runners: SnippetRunners;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'partner-first-minutes-'));
  browser = await launchChromium();
  receiver = await startReceiver();
  runners = startSnippetRunners();
  writeFileSync(join(folder, 'authority.pem'), receiver.ca);
});
afterAll(async () => {
  runners.close();
  await receiver.close();
  await browser.close();
  rmSync(folder, { recursive: true });
});

async function createFleet(page: Page): Promise<void> {
  await page.goto('/portal/fleets/');
  await page.getByRole('link', { name: 'Create a fleet' }).first().click();
  await page.getByLabel('Name').first().fill('First fleet');
  await page.getByLabel('Days of past').fill('2');
  await page.getByRole('button', { name: 'Create the fleet' }).click();
  // A reload while the next page is on its way has no page to load.
  await page.waitForURL(/notice=fleet_created/);
  const status = page.locator('.state .status');
  // Where the machine is busy the page may be refused for a moment, beside the preview that was computed last.
  await until(
    async () => {
      await page.reload();
      return (await status.count()) === 0 ? null : status.textContent();
    },
    (word) => word?.includes('Running') === true,
  );
}

/** The lines of the day before as a file, whose second part is computed while the first is sent. */
async function countLines(page: Page): Promise<number> {
  const link = await page.getByRole('link', { name: 'As CSV' }).getAttribute('href');
  const address = new URL(link ?? '', page.url());
  address.searchParams.set('day', new Date(Date.now() - DAY_MS).toISOString().slice(0, 10));
  const file = await page.request.get(address.href);
  return (await file.text()).split('\r\n').length;
}

/** Creates a webhook of the fleet's organization; its secret. */
async function createWebhook(page: Page): Promise<string> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click();
  await page.getByRole('link', { name: 'Create a webhook' }).click();
  await page.getByLabel('Address').fill(receiver.url());
  await page.getByRole('button', { name: 'Create the webhook' }).click();
  const secret = (await page.locator('#webhook_secret').textContent()) ?? '';
  await page.getByRole('link', { name: 'I have stored it' }).click();
  return secret;
}

/** Whether the endpoint takes a message: by the code that the webhook's page shows, and the secret that was shown once. */
async function isVerified(page: Page, secret: string, { headers, body }: Received): Promise<boolean> {
  const code = (await page.getByRole('region', { name: 'TypeScript' }).textContent()) ?? '';
  const { isFromService } = await runners.importModule(code);
  const verify = isFromService as (secret: string, header: string, body: Buffer) => boolean;
  const header = String(headers['service-signature']);
  const isOther = verify(secret, header, Buffer.concat([body, Buffer.from(' ')]));
  return verify(secret, header, body) && !isOther;
}

async function triggerReauthentication(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click();
  await page.getByRole('link', { name: 'Choose a home of the fleet' }).click();
  await page.getByRole('link', { name: 'All homes' }).click();
  await page.locator('.rows a').first().click();
  await page.getByRole('link', { name: 'What this home does' }).click();
  await page.getByRole('table', { name: 'Devices' }).getByRole('link').first().click();
  await page.getByRole('button', { name: 'Sign-in asked for' }).click();
  await page.getByText('It has happened.').waitFor();
}

async function resolveAction(page: Page): Promise<void> {
  const main = page.getByRole('navigation', { name: 'Main' });
  await main.getByRole('link', { name: 'Notifications' }).click();
  await page.getByRole('link', { name: 'Sign-in asked for' }).click();
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('The device is connected again').waitFor();
}

test('the first ten minutes lead to a verified message and a resolved notification', async () => {
  const fixed = fixedCredentials();
  const service = await startServiceOnSharedServer({
    env: {
      ...fixed.env,
      SIMULATOR_FAULTS: 'off',
      WEBHOOK_CA_FILE: join(folder, 'authority.pem'),
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    },
  });
  const context = await browser.newContext({ baseURL: service.baseUrl });
  const page = await context.newPage();
  const begun = performance.now();
  const steps: string[] = [];
  const done = (step: string): void => {
    steps.push(`${step} ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  };
  await signInFirst(page, fixed);
  done('signed in');
  await createFleet(page);
  done('fleet runs');
  expect(await countLines(page)).toBeGreaterThan(90);
  const secret = await createWebhook(page);
  const webhookPage = page.url();
  done('webhook created');
  await triggerReauthentication(page);
  const received = await receiver.next();
  done('message received');
  expect(JSON.parse(received.body.toString())).toMatchObject({ message_type: 'device.action_required' });
  await page.goto(webhookPage);
  expect(await isVerified(page, secret, received)).toBe(true);
  done('signature verified');
  await page.getByRole('link', { name: 'Deliveries' }).click();
  await until(
    async () => {
      await page.reload();
      return page.locator('.rows .status').first().textContent();
    },
    (state) => state?.includes('Arrived') === true,
  );
  done('seen in the log');
  await resolveAction(page);
  done('notification resolved');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click();
  expect(await page.getByText('Nothing needs action.').count()).toBe(1);
  process.stdout.write(`First ten minutes: ${steps.join(', ')}.\n`);
  await context.close();
  await service.remove();
});
