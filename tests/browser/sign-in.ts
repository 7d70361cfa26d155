import type { Page } from 'playwright-core';

const ownPassword = 'quite a long one of my own';

/** Signs in for the first time, with the printed password, and chooses an own one. */
export async function signInFirst(
  page: Page,
  fixed: { readonly email: string; readonly password: string },
): Promise<void> {
  await page.goto('/');
  await page.getByRole('link', { name: 'Log in', exact: true }).click();
  await page.getByLabel('Username').fill(fixed.email);
  await page.getByLabel('Password').fill(fixed.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByLabel('Old password').fill(fixed.password);
  await page.getByLabel('New password', { exact: true }).fill(ownPassword);
  await page.getByLabel('New password, once more').fill(ownPassword);
  await page.getByRole('button', { name: 'Change password' }).click();
}
