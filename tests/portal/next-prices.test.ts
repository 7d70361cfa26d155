// When a heat pump that waits for prices begins to follow those that came, as its page tells it.
import { afterEach, expect, test } from 'vitest';
import { addHome, addPrices, SEGMENTS } from './portal-fleets.ts';
import { startPortal } from './portal-site.ts';
import type { PortalSite } from './portal-site.ts';
import { hourly } from './price-site.ts';

let site: PortalSite;
afterEach(() => site.close());

/** What the page of a heat pump in Vienna tells of its steering, once prices from 08:00 UTC on have come in at an instant. */
async function readAfterUpload(instant: string): Promise<() => Promise<string>> {
  site = await startPortal({ startsAt: new Date(instant) });
  const admin = await site.addPerson(await site.addOrganization(), 'admin');
  const browser = await site.signedIn(admin);
  const { fleet, userId, devices } = await addHome(site, admin);
  await addPrices(site, admin, hourly([50, 90, 20, 70, 40, 60], Date.parse('2026-01-15T08:00:00Z')));
  const path = `/portal/homes/${userId}/${SEGMENTS.heat_pump}/${devices.get('heat_pump') ?? ''}/`;
  return async () => {
    const { text } = await browser.get(`${path}?org=${fleet.simulationOrgId}`);
    return /(?:Its own habits|A plan made from prices): [^<]*/.exec(text)?.[0] ?? '';
  };
}

const moveTo = (instant: string): void => {
  site.advance(Date.parse(instant) - site.now().getTime());
};

test('it follows them with the next even hour of UTC, as its page said', async () => {
  const read = await readAfterUpload('2026-01-15T08:16:00Z');
  expect(await read()).toMatch(
    /none was known .*Prices came in at 15 Jan 09:16 \(Europe\/Vienna\): it follows them from 11:00 on at the earliest\.$/,
  );
  moveTo('2026-01-15T08:31:00Z');
  expect(await read()).toMatch(/^Its own habits: a plan begins at the next even hour of UTC/);
  moveTo('2026-01-15T10:00:00Z');
  expect(await read()).toMatch(/^A plan made from prices: /);
});

test('prices that come in a moment before do not count yet', async () => {
  const read = await readAfterUpload('2026-01-15T09:59:52Z');
  expect(await read()).toMatch(/it follows them from 13:00 on at the earliest\.$/);
  moveTo('2026-01-15T10:00:00Z');
  expect(await read()).toMatch(/^Its own habits: it would follow prices/);
  moveTo('2026-01-15T12:00:00Z');
  expect(await read()).toMatch(/^A plan made from prices: /);
});
