// What each home of a fleet drew, as the map of its page asks for it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';
import { yieldToEventLoop } from '../../src/households/time-slicer.ts';
import type { HouseholdPowers } from '../../src/operations/fleets/household-powers.ts';
import { describePowers } from '../../src/portal/fleet-powers.ts';
import { toOwnScope } from '../../src/portal/scopes.ts';
import { addQueuedFleet, buildFleets } from './portal-fleets.ts';
import { startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';

let site: PortalSite;
let admin: Person;
/** For whom pages have given way to others, in turn. */
let gaveWay: (string | undefined)[] = [];
beforeAll(async () => {
  site = await startPortal({
    startsAt: new Date(now),
    yieldToEventLoop: (days, partnerId) => {
      gaveWay.push(partnerId);
      return yieldToEventLoop(days, partnerId);
    },
  });
  admin = await site.addPerson(await site.addOrganization(), 'admin');
});
afterAll(() => site.close());

/** Some of the day is over. */
const now = Math.floor(Date.now() / DAY_MS) * DAY_MS + 10 * HOUR_MS;
const yesterday = new Date(now - DAY_MS).toISOString().slice(0, 10);

interface Answer {
  readonly places: readonly (readonly [number, number, number, string | null])[];
  readonly powers: string;
}

/** The powers of a place in the quarter hours of the day, W; null where nobody knows. */
function powersOf({ places, powers }: Answer, place = 0): (number | null)[] {
  const bytes = Buffer.from(powers, 'base64');
  return Array.from({ length: bytes.length / 2 / places.length }, (_, quarter) => {
    const units = bytes.readInt16LE(2 * (quarter * places.length + place));
    return units === -32_768 ? null : units * 10;
  });
}

test('the powers of homes at one place are the mean of what the page tells of all', async () => {
  const fleet = await addQueuedFleet(site, admin, { count: 3, history_days: 3 });
  await buildFleets(site);
  const browser = await site.signedIn(admin);
  const path = `/portal/fleets/${fleet.id}/`;
  const answer = await browser.get(`${path}powers.json?day=${yesterday}&zone=utc`);
  expect([answer.status, answer.type]).toEqual([200, 'application/json']);
  const body = answer.body as Answer;
  expect(body.places).toEqual([[expect.any(Number), expect.any(Number), 3, null]]);
  const page = await browser.get(`${path}?day=${yesterday}&zone=utc`);
  const [, json = ''] = /<script type="application\/json">([^<]*)</.exec(page.text) ?? [];
  const { panels } = JSON.parse(json) as { panels: { lines: { values: number[] }[] }[] };
  const together = panels[0]?.lines[0]?.values ?? [];
  const powers = powersOf(body);
  expect([powers.length, together.length]).toEqual([96, 96]);
  for (const [quarter, power] of powers.entries())
    expect(Math.abs((power ?? NaN) - (together[quarter] ?? NaN) / 3)).toBeLessThanOrEqual(6);
});

test('nobody knows what is to come, nor homes that were removed', async () => {
  const fleet = await addQueuedFleet(site, admin, { count: 1, history_days: 1 });
  await buildFleets(site);
  const browser = await site.signedIn(admin);
  const today = new Date(now).toISOString().slice(0, 10);
  const path = `/portal/fleets/${fleet.id}/powers.json`;
  const body = (await browser.get(`${path}?day=${today}&zone=utc`)).body as Answer;
  const [[, , homes, home] = []] = body.places;
  expect([homes, home]).toEqual([1, expect.stringMatching(/^\/portal\/homes\/[\w-]+\/\?org=/)]);
  const over = (10 * HOUR_MS) / QUARTER_HOUR_MS;
  const known = powersOf(body).filter((power) => power !== null).length;
  expect([over, over + 1]).toContain(known);
  const before = (await browser.get(`${path}?day=2020-02-03`)).body as Answer;
  expect(before).toEqual({ places: [], powers: '' });
});

test('is not for other organizations, nor for the role user', async () => {
  const fleet = await addQueuedFleet(site, admin, { count: 1 });
  const other = await site.signedIn(await site.addPerson(await site.addOrganization('Other'), 'admin'));
  const user = await site.signedIn(await site.addPerson(admin.orgId, 'user'));
  const path = `/portal/fleets/${fleet.id}/powers.json`;
  expect([(await other.get(path)).status, (await user.get(path)).status]).toEqual([404, 403]);
});

test('gives way to others between reading, summing and writing', async () => {
  const fleet = await addQueuedFleet(site, admin, { count: 2, history_days: 2 });
  await buildFleets(site);
  const browser = await site.signedIn(admin);
  gaveWay = [];
  const answer = await browser.get(`/portal/fleets/${fleet.id}/powers.json?day=${yesterday}&zone=utc`);
  expect(answer.status).toBe(200);
  // Before the page; before its homes are gathered and summed; before what they sum up to is rounded and written.
  expect(gaveWay).toEqual(Array.from({ length: 5 }, () => admin.orgId));
});

const from = new Date('2026-11-22T00:00:00Z');
const day = { date: '2026-11-22', from, to: new Date(from.getTime() + 2 * QUARTER_HOUR_MS) };
const firstQuarter = from.getTime() / QUARTER_HOUR_MS;
const scope = toOwnScope({ orgId: 'org', orgName: 'Org' });

/** Homes at many places, the mean power of which is -1,000 W in the first quarter hour, and unknown in the second. */
function spreadHomes(count: number): HouseholdPowers[] {
  return Array.from({ length: count }, (_, index) => ({
    userId: `user-${index}`,
    index,
    latitude: 46 + ((index * 37) % 500) / 500,
    longitude: 10 + ((index * 91) % 977) / 977,
    powers: new Float32Array([index % 2 === 0 ? 1_000 : -3_000, NaN]),
  }));
}

test.each([
  ['at many places', spreadHomes(5_000)],
  ['at one place', spreadHomes(5_000).map((home) => ({ ...home, latitude: 47, longitude: 11 }))],
])('of homes %s a thousand are looked through in one step', async (_, all) => {
  let looked = new Set<number>();
  const steps: number[] = [];
  const look = <Value>(index: number, value: Value): Value => {
    looked.add(index);
    return value;
  };
  const households = all.map(({ userId, index, latitude, longitude, powers }) => ({
    userId,
    index,
    get latitude() {
      return look(index, latitude);
    },
    longitude,
    get powers() {
      return look(index, powers);
    },
  }));
  const endStep = async (): Promise<void> => {
    await Promise.resolve();
    steps.push(looked.size);
    looked = new Set();
  };
  await describePowers({ firstQuarter, households }, day, scope, endStep);
  await endStep();
  expect(Math.max(...steps)).toBe(1_000);
  expect(steps.filter((homes) => homes > 0).length).toBeGreaterThanOrEqual(2 * 5);
});

test('more than a thousand places become cells, each with the mean of its homes', async () => {
  const powers = { firstQuarter, households: spreadHomes(5_000) };
  const answer = (await describePowers(powers, day, scope, () => Promise.resolve())) as unknown as Answer;
  expect(answer.places.length).toBeGreaterThan(500);
  expect(answer.places.length).toBeLessThanOrEqual(1_024);
  expect(answer.places.reduce((sum, [, , homes]) => sum + homes, 0)).toBe(5_000);
  const means = answer.places.map(([, , homes], place) => homes * (powersOf(answer, place)[0] ?? NaN));
  const sum = means.reduce((total, each) => total + each, 0);
  expect(Math.abs(sum / 5_000 - -1_000)).toBeLessThan(5);
  expect(powersOf(answer, 0)[1]).toBeNull();
});
