// The page of prices: which count, when they came, what they replaced, and what a heat pump does by them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOUR_MS, QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';
import { createLocalClock } from '../../src/portal/local-days.ts';
import { tellOutlook } from '../../src/portal/price-figures.ts';
import type { ListedPrice } from '../../src/portal/price-list.ts';
import { addPrices } from './portal-fleets.ts';
import { chartOf, hourly, PAGE, rowsOf, startPriceSite, STORE, UPLOAD } from './price-site.ts';
import type { PriceSite } from './price-site.ts';
import { formOf } from './visitor.ts';

/** Far enough ahead that none of it is ever over. */
const DAY = '2030-06-03';
const from = Date.parse(`${DAY}T00:00:00Z`);

let site: PriceSite['site'];
let admin: PriceSite['admin'];
let browser: PriceSite['browser'];
let fleet: PriceSite['fleet'];
let check: PriceSite['check'];
let store: PriceSite['store'];
beforeAll(async () => {
  ({ site, admin, browser, fleet, check, store } = await startPriceSite());
});
afterAll(() => site.close());

async function readPage(path: string): Promise<string> {
  const { status, text } = await browser.get(path);
  if (status !== 200) throw new Error(`${path} is answered ${status}.`);
  return text;
}
/** The pages that show the curve as it was after each arrival, the latest first. */
const listEarlier = (text: string): string[] =>
  [...text.matchAll(/href="([^"]*then=[^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));

describe('the curve', () => {
  test('tells for each quarter hour which price counts, when it came, what it replaced and where none is', async () => {
    await addPrices(
      site,
      admin,
      hourly(
        Array.from({ length: 20 }, (_, hour) => hour),
        from,
      ),
    );
    await addPrices(
      site,
      admin,
      new Map([
        [new Date(from + 18 * HOUR_MS), 120],
        [new Date(from + 18 * HOUR_MS + QUARTER_HOUR_MS), 130],
      ]),
    );
    const text = await readPage(`${PAGE}?day=${DAY}&days=1&zone=utc`);
    const { clocks, panels, notes, at, now } = chartOf(text);
    const values = panels[0]?.lines[0]?.values ?? [];
    const quarter = (time: string): number => clocks.indexOf(time);
    expect([values[quarter('17:45')], values[quarter('18:00')], values[quarter('18:15')]]).toEqual([
      17, 120, 130,
    ]);
    // The last one holds for an hour, until the next hour's begins.
    expect([values[quarter('18:45')], values[quarter('19:45')], values[quarter('20:00')]]).toEqual([
      130,
      19,
      null,
    ]);
    expect([at, now, clocks.at(-1), panels[0]?.lines.length]).toEqual([0, undefined, '24:00', 1]);
    const noteAt = (label: string, time: string) =>
      notes.find((each) => each.label === label)?.texts[quarter(time)];
    expect(noteAt('Replaced', '18:00')).toMatch(/^18\.00 of \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
    expect([noteAt('Replaced', '17:00'), noteAt('Came', '20:00')]).toEqual(['–', '–']);
    expect(noteAt('Came', '18:15')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
    expect(text).toContain('<li>3 Jun 20:00 to 4 Jun 00:00 (4 h)</li>');
    const rows = rowsOf(text, 'Values of the day');
    expect(rows.map(([time, price]) => [time, price]).slice(-5)).toEqual([
      ['3 Jun 17:00 to 18:00', '17.00'],
      ['3 Jun 18:00 to 18:15', '120.00'],
      ['3 Jun 18:15 to 19:00', '130.00'],
      ['3 Jun 19:00 to 20:00', '19.00'],
      ['3 Jun 20:00 to 4 Jun 00:00', 'no price'],
    ]);
    expect(text).toContain(`/trading/dayahead/prices?from_dt=2030-06-03T00%3A00%3A00.000Z`);
  });

  test('shows what came when, and the curve as it was then', async () => {
    const page = `${PAGE}?day=${DAY}&days=1&zone=utc`;
    const text = await readPage(page);
    const arrivals = rowsOf(text, 'What came when');
    expect(arrivals.map(([, count, time, what]) => [count, time, what])).toEqual([
      ['2', '3 Jun 18:00 to 19:00', '2 changed what counted, the most at 3 Jun 18:15: 18.00 → 130.00'],
      ['20', '3 Jun 00:00 to 20:00', '20 first prices'],
    ]);
    const [quarterHours, hours] = rowsOf(
      await readPage(`${PAGE}?day=2030-06-02&days=1&zone=utc`),
      'What came when',
    );
    expect([quarterHours, hours]).toEqual([undefined, undefined]);
    const links = listEarlier(text);
    const before = chartOf(await readPage(links[1] ?? ''));
    const [now, then] = before.panels[0]?.lines ?? [];
    const at = before.clocks.indexOf('18:15');
    expect(then?.label).toMatch(/^As of \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
    expect([now?.values[at], then?.values[at]]).toEqual([130, 18]);
    const same = chartOf(await readPage(links[0] ?? '')).panels[0]?.lines;
    expect(same?.[1]?.values).toEqual(same?.[0]?.values);
  });

  test('of a simulation goes by its own prices, and where it has none by those of the partner', async () => {
    const scope = `org=${fleet.simulationOrgId}`;
    const own = { ...admin, orgId: fleet.simulationOrgId };
    await addPrices(site, own, hourly([500], from + 2 * HOUR_MS));
    const text = await readPage(`${PAGE}?${scope}&day=${DAY}&days=1&zone=utc`);
    const { panels, clocks, notes } = chartOf(text);
    const values = panels[0]?.lines[0]?.values ?? [];
    expect([values[clocks.indexOf('01:00')], values[clocks.indexOf('02:00')]]).toEqual([1, 500]);
    const came = notes.find(({ label }) => label === 'Came')?.texts ?? [];
    expect([came[clocks.indexOf('01:00')], came[clocks.indexOf('02:00')]]).toEqual([
      expect.stringMatching(/ UTC, of the partner$/),
      expect.stringMatching(/ UTC$/),
    ]);
    const [latest, ...earlier] = rowsOf(text, 'What came when');
    expect([latest?.[2], earlier.map(([, , whose]) => whose)]).toEqual([
      'own',
      ['of the partner', 'of the partner'],
    ]);
    // Before its own came in, the partner's counted there too.
    const links = listEarlier(text);
    const then = chartOf(await readPage(links[1] ?? '')).panels[0]?.lines[1]?.values ?? [];
    expect([then[clocks.indexOf('01:00')], then[clocks.indexOf('02:00')]]).toEqual([1, 2]);
    // The own organization does not see them.
    expect(chartOf(await readPage(`${PAGE}?day=${DAY}&days=1&zone=utc`)).panels[0]?.lines[0]?.values[8]).toBe(
      2,
    );
  });

  test('is of today and tomorrow by the clocks of the homes, or of UTC, unless more or fewer days are asked for', async () => {
    const local = chartOf(await readPage(`${PAGE}?org=${fleet.simulationOrgId}`));
    const utc = chartOf(await readPage(`${PAGE}?zone=utc`));
    const today = new Date().toISOString().slice(0, 10);
    expect([local.clocks[0]?.slice(-6), local.clocks.at(-1)?.slice(-6)]).toEqual([' 00:00', ' 00:00']);
    expect(utc.clocks).toHaveLength(193);
    expect(utc.clocks[0]).toBe(
      `${Number(today.slice(8))} ${new Date().toLocaleString('en-GB', { month: 'short', timeZone: 'UTC' })} 00:00`,
    );
    expect(utc.times[utc.at]).toBe(utc.now);
    const text = await readPage(PAGE);
    expect(text).toMatch(/Now 50\.00 EUR\/MWh until \d\d:\d\d \(Europe\/Vienna\)\. Tomorrow is in\./);
    expect(text).toContain('Tomorrow is in.');
    expect(text).toContain('Europe/Vienna');
    const lengths = [];
    for (const query of ['days=1', 'days=7', 'days=400', 'day=nothing'])
      lengths.push(chartOf(await readPage(`${PAGE}?${query}&zone=utc`)).clocks.length);
    expect(lengths).toEqual([97, 673, 193, 193]);
  });

  test('has nothing to show for days without prices, and says how to change that', async () => {
    const text = await readPage(`${PAGE}?day=2020-02-03`);
    expect(text).toContain('There are no prices for these days.');
    expect(text).toContain(`href="${UPLOAD}"`);
    expect(text).toContain('curl -X PATCH');
    expect(text).not.toContain('application/json"');
  });

  test('comes as a file too, which can be uploaded again', async () => {
    const bids = { timestamp: `${DAY}T23:00:00Z`, price: 5, best_bid: [4.5, 4.75], best_ask: [5.5] };
    await store((await check(`${bids.timestamp},5,4.5 4.75,5.5`)).text);
    const file = await browser.get(`${PAGE}prices.csv?day=${DAY}&days=1&zone=utc`);
    expect([file.status, file.headers['content-type'], file.headers['content-disposition']]).toEqual([
      200,
      'text/csv; charset=utf-8',
      `attachment; filename=prices-${DAY}.csv`,
    ]);
    const lines = file.text.trimEnd().split('\r\n');
    expect(lines[0]).toMatch(/^timestamp,price,best_bid,best_ask,origin,received_at,valid_from,valid_until,/);
    expect(lines.at(-1)).toMatch(/^2030-06-03T23:00:00.000Z,5,4.5 4.75,5.5,own,/);
    const again = await check(file.text);
    expect(again.text).toContain('All of them are stored already with the same values.');
    expect(again.text).not.toContain('Store the prices');
    const rows = rowsOf(await readPage(`${PAGE}?day=${DAY}&days=1&zone=utc`), 'Values of the day');
    expect(rows.at(-1)?.slice(-2)).toEqual(['4.75 (of 2)', '5.50']);
  });
});

test('an upload can be changed after it was checked, with all that was pasted', async () => {
  const text = `${DAY} 01:00;81,5\n${DAY} 02:00;79`;
  const checked = await check(text, 'Europe/Vienna');
  const action = /formaction="([^"]+)"/.exec(checked.text)?.[1] ?? '';
  const again = await browser.post(action, formOf(checked.text, STORE));
  const pasted = /<textarea[^>]*name="text"[^>]*>([^<]*)</.exec(again.text)?.[1];
  expect([again.status, pasted?.trim(), formOf(again.text, UPLOAD)['zone']]).toEqual([
    200,
    text,
    'Europe/Vienna',
  ]);
});

test('an upload of more days than are shown is told as far as it is for these', async () => {
  const [earliest] = rowsOf(await readPage(`${PAGE}?days=1&zone=utc`), 'What came when').slice(-1);
  expect(earliest?.[2]).toMatch(/ to \d+ \w{3} 00:00more came for other days$/);
});

test('the headline names what is missing of the rest of today', () => {
  const clock = createLocalClock('Europe/Vienna');
  const now = new Date('2030-01-15T09:20:00Z');
  const price = (from: string, until: string): ListedPrice => ({
    timestamp: from,
    price: 60,
    best_bid: [],
    best_ask: [],
    origin: 'own',
    received_at: '2030-01-14T12:00:00Z',
    valid_from: from,
    valid_until: until,
    replaced: [],
  });
  const sentenceOf = (...prices: readonly ListedPrice[]) => tellOutlook({ prices, clock, now }).sentence;
  expect(sentenceOf(price('2030-01-15T00:00:00Z', '2030-01-15T21:00:00Z'))).toBe(
    'Now 60.00 EUR/MWh until 22:00 (Europe/Vienna). Of the rest of today 2 h are missing. Tomorrow is not in yet.',
  );
  expect(sentenceOf(price('2030-01-15T09:15:00Z', '2030-01-15T23:00:00Z'))).toBe(
    'Now 60.00 EUR/MWh until 00:00 (Europe/Vienna). Tomorrow is not in yet.',
  );
});

describe('the schedule', () => {
  test('of the first heat pump, or of one that is sought, stands under the price', async () => {
    const pumps = await site.db
      .selectFrom('devices')
      .innerJoin('users', (join) =>
        join.onRef('users.org_id', '=', 'devices.org_id').onRef('users.id', '=', 'devices.user_id'),
      )
      .select(['devices.id', 'devices.user_id', 'users.email'])
      .where('devices.org_id', '=', fleet.simulationOrgId)
      .where('device_type', '=', 'heat_pump')
      .orderBy('devices.household_index')
      .execute();
    const inverter = await site.db
      .selectFrom('devices')
      .select('id')
      .where('org_id', '=', fleet.simulationOrgId)
      .where('device_type', '=', 'inverter')
      .where('user_id', '=', pumps.at(-1)?.user_id ?? '')
      .executeTakeFirstOrThrow();
    const [first, last] = [pumps[0], pumps.at(-1)];
    const shown = async (pump: string): Promise<string | undefined> =>
      /heat-pumps\/([0-9a-f-]{36})\//.exec(
        await readPage(`${PAGE}?org=${fleet.simulationOrgId}&pump=${encodeURIComponent(pump)}`),
      )?.[1];
    const found = [];
    for (const sought of ['', last?.id ?? '', last?.user_id ?? '', inverter.id, last?.email ?? ''])
      found.push(await shown(sought));
    expect(found).toEqual([first?.id, last?.id, last?.id, last?.id, last?.id]);
    const page = await readPage(`${PAGE}?org=${fleet.simulationOrgId}`);
    const { panels } = chartOf(page);
    expect(panels.map(({ name }) => name)).toEqual(['Price', 'Schedule of the heat pump']);
    expect(page).toMatch(/<p data-live="pump">Now (?:blocked|set back|normal|boosted),? /);
    expect(rowsOf(page, 'Schedule').length).toBeGreaterThan(0);
  });

  test('is not there for what is no heat pump, and of an organization without one leads to its fleets', async () => {
    const text = await readPage(`${PAGE}?org=${fleet.simulationOrgId}&pump=nobody`);
    expect(text).toContain('No heat pump is found by this.');
    expect(chartOf(text).panels.map(({ name }) => name)).toEqual(['Price']);
    expect(await readPage(PAGE)).toContain(`href="${PAGE}?org=${fleet.simulationOrgId}"`);
    const stranger = await site.addPerson(admin.orgId, 'admin');
    expect(await readPage(`${PAGE}?org=${fleet.simulationOrgId}&pump=${stranger.userId}`)).toContain(
      'No heat pump is found',
    );
  });
});
