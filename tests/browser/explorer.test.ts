// The page that tries the API out: what it may load, what it does with its token, and that it works.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BrowserContext, Page } from 'playwright-core';
import { COLOUR_SCHEMES, shoot, showIn, WIDTHS } from './inspect-page.ts';
import { AXE_AROUND } from './page-measures.ts';
import { openWatched, startPortalWorld } from './portal-world.ts';
import type { PortalWorld } from './portal-world.ts';
import { readScriptSizes } from './script-sizes.ts';

const PATH = '/portal/explorer/';
const TOKEN_PATH = '/portal/explorer/token/';
/** What Swagger UI and the portal weigh together, compressed: the one page that may load more than 150 KB. */
const MOST_SCRIPT_BYTES = 500 * 1024;

let world: PortalWorld;
beforeAll(async () => {
  world = await startPortalWorld();
});
afterAll(() => world.close());

interface Opened {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly complaints: readonly string[];
  /** Tokens that the page was given. */
  readonly tokens: readonly string[];
}

async function open(role: 'admin' | 'staff', path = PATH, options = {}): Promise<Opened> {
  const context = await world.open(role, options);
  const { page, complaints } = await openWatched(context, world.baseUrl);
  const tokens: string[] = [];
  page.on('response', (answer) => {
    if (new URL(answer.url()).pathname === TOKEN_PATH)
      void answer.json().then(({ access_token: token }: { access_token: string }) => tokens.push(token));
  });
  await page.goto(path);
  await page.locator('.opblock-tag').first().waitFor();
  return { context, page, complaints, tokens };
}

/** Opens an operation and sends it; the status of its answer. */
async function send(page: Page, tag: string, id: string, body?: string): Promise<string> {
  const block = page.locator(`[id="operations-${tag}-${id}"]`);
  await page.locator(`[id="operations-tag-${tag}"]`).click();
  await block.locator('.opblock-summary-control').click();
  if (body !== undefined) await block.locator('textarea.body-param__text').fill(body);
  await block.getByRole('button', { name: 'Execute' }).click();
  const status = block.locator('.live-responses-table .response-col_status');
  return (await status.nth(1).textContent())?.trim() ?? '';
}

/** Sends the opened operation once more; the status of its answer, when the page shows it. */
async function sendAgain(page: Page): Promise<string> {
  const answer = page.waitForResponse((response) => new URL(response.url()).pathname.startsWith('/api/'));
  await page.getByRole('button', { name: 'Execute' }).click();
  const status = String((await answer).status());
  const shown = page.locator('.live-responses-table .response-col_status').nth(1);
  await shown.filter({ hasText: status }).waitFor();
  return status;
}

const statusOf = async (token: string, method = 'GET'): Promise<number> => {
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await fetch(`${world.baseUrl}/api/partners/v2.0/org/${world.orgId}/users`, {
    method,
    headers,
  });
  return answer.status;
};

test('a request is sent as the person, and its token is nowhere but in memory', async () => {
  const { context, page, complaints, tokens } = await open('admin');
  expect(await send(page, 'Users', 'listUsers')).toBe('200');
  expect(await page.locator('.curl-command').textContent()).toContain('Bearer $TOKEN');
  expect(tokens.length).toBe(1);
  const [token = ''] = tokens;
  const kept = await page.evaluate(
    'document.documentElement.outerHTML + JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + location.href',
  );
  expect(String(kept)).not.toContain(token);
  expect(await statusOf(token)).toBe(200);

  // A second request needs no other token.
  expect(await send(page, 'Notifications', 'getNotificationStatus')).toBe('200');
  expect(tokens.length).toBe(1);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.waitForURL('**/accounts/login/');
  expect(await statusOf(token)).toBe(401);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a body is sent, in the organization of the scope', async () => {
  const { context, page, complaints } = await open('staff', `${PATH}?org=${world.fleet.simulationOrgId}`);
  const body = JSON.stringify({ email: 'tried@example.com', role: 'user' });
  expect(await send(page, 'Users', 'createUser', body)).toBe('201');
  expect(await page.locator('.request-url pre').textContent()).toContain(world.fleet.simulationOrgId);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a token that was ended elsewhere is asked for anew', async () => {
  const { context, page, tokens } = await open('admin');
  expect(await send(page, 'Users', 'listUsers')).toBe('200');
  await world.endTokens();
  // Within a second the service knows of it.
  await expect.poll(() => sendAgain(page)).toBe('401');
  expect(await sendAgain(page)).toBe('200');
  expect(tokens.length).toBe(2);
  await context.close();
});

test('it weighs what Swagger UI weighs', async () => {
  const context = await world.open('admin');
  const page = await context.newPage();
  const sizes = await readScriptSizes(page, PATH);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_SCRIPT_BYTES);
  await context.close();
});

test('without scripts it says what to do', async () => {
  const context = await world.open('admin', { javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(PATH);
  expect(await page.getByRole('main').textContent()).toContain('The explorer needs scripts.');
  await context.close();
});

test.each(WIDTHS)(
  'at %i px, light and dark: it loads nothing from elsewhere, and what is around Swagger UI keeps to WCAG',
  async (width) => {
    const { context, page, complaints } = await open('admin', PATH, { viewport: { width, height: 900 } });
    await page.locator('.opblock-tag').first().click();
    await page.locator('.opblock-summary-control').first().click();
    await page.getByRole('button', { name: 'Execute' }).first().waitFor();
    await page.evaluate(readFileSync(new URL(import.meta.resolve('axe-core')), 'utf8'));
    for (const colorScheme of COLOUR_SCHEMES) {
      await showIn(page, colorScheme);
      const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
        AXE_AROUND,
      );
      const around = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => [id, html]));
      await shoot(page, `explorer-admin-${width}-${colorScheme}`, { fullPage: false });
      expect([colorScheme, around]).toEqual([colorScheme, []]);
    }
    expect(complaints).toEqual([]);
    await context.close();
  },
);
