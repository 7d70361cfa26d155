import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { startService } from '../support/service.ts';
import { launchChromium } from './chromium.ts';

const initialPassword = 'initial-password-1';
const ownPassword = 'quite a long one of my own';
const email = 'admin@example.com';

type Service = Awaited<ReturnType<typeof startService>>;

let service: Service;
let browser: Browser;
beforeAll(async () => {
  service = await startService({
    env: { BOOTSTRAP_ADMIN_EMAIL: email, BOOTSTRAP_ADMIN_PASSWORD: initialPassword },
  });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await service.remove();
});

/** A page that remembers what the browser complained of: a blocked style or form shows here. */
async function openPage(javaScriptEnabled: boolean): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ baseURL: service.baseUrl, javaScriptEnabled });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, complaints };
}

test('a person comes from the initial password to a token, without JavaScript', async () => {
  const { page, complaints } = await openPage(false);
  await page.goto('/');
  await page.getByRole('link', { name: 'Log in', exact: true }).click();
  await page.getByLabel('Username').fill(email);
  await page.getByLabel('Password').fill(initialPassword);
  await page.getByRole('button', { name: 'Log in' }).click();

  for (const path of ['/', '/oauth2/applications/', '/oauth2/applications/register/', '/portal/nothing/']) {
    await page.goto(path);
    expect(new URL(page.url()).pathname).toBe('/accounts/password_change/');
  }
  await expectHeading(page, 'New password');
  await page.locator('[name=old_password]').fill(initialPassword);
  await page.locator('[name=new_password1]').fill(ownPassword);
  await page.locator('[name=new_password2]').fill(ownPassword);
  await page.getByRole('button', { name: 'Change password' }).click();

  await page.getByRole('link', { name: 'Applications', exact: true }).click();
  await page.getByRole('link', { name: 'Register an application' }).click();
  await page.locator('[name=name]').fill('Billing');
  expect(await page.locator('[name=client_type]').inputValue()).toBe('confidential');
  expect(await page.locator('[name=authorization_grant_type]').inputValue()).toBe('client-credentials');
  expect(await page.locator('[name=redirect_uris]').inputValue()).toBe('');
  await page.getByRole('button', { name: 'Register' }).click();

  const clientId = (await page.locator('#client_id').textContent()) ?? '';
  const secret = (await page.locator('#client_secret').textContent()) ?? '';
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download as .env' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('partner.env');
  expect(await readFile(await download.path(), 'utf8')).toContain(`PARTNER_CLIENT_SECRET=${secret}\n`);

  await page.reload();
  expect(await page.content()).not.toContain(secret);
  expect(await page.locator('#client_secret').count()).toBe(0);
  await page.goto('/oauth2/applications/');
  await page.getByRole('link', { name: 'Billing' }).click();
  expect(await page.locator('#client_id').textContent()).toBe(clientId);
  expect(await page.content()).not.toContain(secret);

  const answer = await fetch(`${service.baseUrl}/oauth2/token/`, {
    method: 'POST',
    headers: {
      Authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ grant_type: 'client_credentials' }),
  });
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { access_token: expect.any(String), expires_in: 36_000, token_type: 'Bearer', scope: 'read write' },
  ]);

  await page.getByRole('button', { name: 'Log out' }).click();
  expect(new URL(page.url()).pathname).toBe('/accounts/login/');
  expect(complaints).toEqual([]);
});

test('the pages keep their own content policy and fit a narrow screen, in light and dark', async () => {
  const { page, complaints } = await openPage(true);
  await page.setViewportSize({ width: 360, height: 740 });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const path of ['/', '/accounts/login/', '/docs/', '/docs/errors/', '/docs/errors/email_taken']) {
      await page.goto(path);
      const [font, overflow, contrast] = await page.evaluate<[string, number, number]>(look);
      expect([path, font.includes('system-ui'), overflow]).toEqual([path, true, 0]);
      expect(contrast).toBeGreaterThan(7);
    }
  }
  expect(complaints).toEqual([]);
});

async function expectHeading(page: Page, name: string): Promise<void> {
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(name);
}

/** In the page: its font, by how much it is wider than the screen, and the contrast of text on paper (WCAG 2). */
const look = `(() => {
  const luminance = (color) => {
    const [r, g, b] = color.match(/[\\d.]+/g).map(Number).map((value) => {
      const part = value / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const style = getComputedStyle(document.body);
  const [dark, light] = [luminance(style.color), luminance(style.backgroundColor)].sort((a, b) => a - b);
  const root = document.documentElement;
  return [style.fontFamily, root.scrollWidth - root.clientWidth, (light + 0.05) / (dark + 0.05)];
})()`;
