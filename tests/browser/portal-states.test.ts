// What pages look like in states that no address leads to: with a menu open, and a form that somebody else was faster with.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inspect, SCREENS, shoot } from './inspect-page.ts';
import { openWatched, startPortalWorld } from './portal-world.ts';
import type { PortalWorld } from './portal-world.ts';

let world: PortalWorld;
beforeAll(async () => {
  world = await startPortalWorld();
});
afterAll(() => world.close());

test.each(SCREENS)('at %i px, %s: the menus keep to the design', async (width, colorScheme) => {
  const context = await world.open('admin', { viewport: { width, height: 900 }, colorScheme });
  const { page, complaints } = await openWatched(context, world.baseUrl);
  await page.goto('/portal/');
  const menu = page.getByRole('button', { name: 'Menu' });
  if (await menu.isVisible()) {
    await menu.click();
    await page.getByRole('link', { name: 'Fleets', exact: true }).waitFor();
    expect(await inspect(page)).toEqual([]);
    await shoot(page, `menu-admin-${width}-${colorScheme}`, { fullPage: false });
    await page.keyboard.press('Escape');
  }
  await page.getByRole('button', { name: 'Own organization' }).click();
  await page.getByRole('navigation', { name: 'Scope' }).waitFor();
  expect(await inspect(page)).toEqual([]);
  await shoot(page, `scopes-admin-${width}-${colorScheme}`, { fullPage: false });
  expect(complaints).toEqual([]);
  await context.close();
});

test.each(SCREENS)('at %i px, %s: a stale form shows both values', async (width, colorScheme) => {
  const context = await world.open('admin', { viewport: { width, height: 900 }, colorScheme });
  const { page, complaints } = await openWatched(context, world.baseUrl);
  await page.goto(`/portal/users/${world.userId}/update/`);
  const names = ['Maria', `Anna ${width} ${colorScheme}`] as const;
  await world.api.call('PUT', `/users/${world.userId}`, { first_name: names[1] });
  await page.getByLabel('First name').fill(names[0]);
  const answer = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.getByRole('button', { name: 'Save' }).click();
  expect((await answer).status()).toBe(412);
  await page.getByText(`Stored now: ${names[1]}`).waitFor();
  expect(await page.getByLabel('First name').inputValue()).toBe(names[0]);
  expect(await inspect(page)).toEqual([]);
  await shoot(page, `user-update-stale-admin-${width}-${colorScheme}`);
  expect(complaints.filter((text) => !text.includes('status of 412'))).toEqual([]);
  await context.close();
});
