// How prices are uploaded in the portal: what is checked before, what is refused, and that all of it is stored or nothing.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOUR_MS, QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';
import { countStatements } from '../support/statement-count.ts';
import { addPrices } from './portal-fleets.ts';
import { chartOf, factsOf, hourly, PAGE, rowsOf, startPriceSite, STORE, UPLOAD } from './price-site.ts';
import type { PriceSite } from './price-site.ts';
import { formOf } from './visitor.ts';

let site: PriceSite['site'];
let admin: PriceSite['admin'];
let browser: PriceSite['browser'];
let fleet: PriceSite['fleet'];
let check: PriceSite['check'];
let store: PriceSite['store'];
let listStored: PriceSite['listStored'];
beforeAll(async () => {
  ({ site, admin, browser, fleet, check, store, listStored } = await startPriceSite());
});
afterAll(() => site.close());

describe('an upload', () => {
  const day = '2031-03-04';
  const lines = (prices: readonly number[], separator = ','): string =>
    prices.map((price, hour) => `${day} ${String(hour).padStart(2, '0')}:00${separator}${price}`).join('\n');

  test('is checked before anything is stored, then stored by the operation of the API', async () => {
    await addPrices(site, admin, hourly([10, 20, 30], Date.parse(`${day}T00:00:00Z`)));
    const checked = await check(`${lines([10, 25, 70])}\n${day} 06:00,-4\n${day} 06:15,90`);
    expect(checked.status).toBe(200);
    expect(factsOf(checked.text)).toEqual({
      Prices: '5, hourly and quarter-hourly',
      'First and last': '4 Mar 00:00 and 4 Mar 06:15',
      New: '2',
      Replaced: '2, the most at 4 Mar 02:00: 30.00 → 70.00',
      'Stored already, the same': '1',
      Lowest: '-4.00 EUR/MWh at 4 Mar 06:00',
      Highest: '90.00 EUR/MWh at 4 Mar 06:15',
      'Without a price': '4 Mar 03:00 to 06:00 (3 h)',
      Duplicates: 'None',
      'Over already': 'None',
      Clocks: 'UTC',
    });
    expect(rowsOf(checked.text, 'Replaced')).toEqual([
      ['4 Mar 01:00', '20.00', '25.00'],
      ['4 Mar 02:00', '30.00', '70.00'],
    ]);
    expect(chartOf(checked.text).panels[0]?.lines.map(({ values }) => values[8])).toEqual([70, 30]);
    expect(await listStored(admin.orgId, day)).toEqual([10, 20, 30]);
    const stored = await store(checked.text);
    expect([stored.status, stored.headers['location']]).toEqual([
      303,
      `${PAGE}?day=${day}&notice=prices_stored`,
    ]);
    expect(await listStored(admin.orgId, day)).toEqual([10, 20, 25, 30, 70, -4, 90]);
    const page = await browser.get(stored.headers['location'] ?? '');
    expect(page.text).toContain('The prices were stored.');
    expect(site.logged.join('\n')).toContain(`Prices uploaded. {"org_id":"${admin.orgId}"`);
  });

  test('is drawn as what would be in force beside what is: prices that it leaves alone go on', async () => {
    const startMs = Date.parse('2031-03-06T18:00:00Z');
    const quarters = [160, 175, 190, 205].map(
      (price, quarter) => [new Date(startMs + quarter * QUARTER_HOUR_MS), price] as const,
    );
    await addPrices(site, admin, new Map(quarters));
    const { text } = await check('2031-03-06 18:00,80\n2031-03-06 18:15,85');
    expect(text).not.toContain('would count for');
    const hour = await check('2031-03-06 18:00,80');
    expect(hour.text).toContain('The price of 6 Mar 18:00 would count for 15 min only');
    expect(chartOf(text).panels[0]?.lines.map(({ label, values }) => [label, ...values.slice(0, 4)])).toEqual(
      [
        ['Once they are stored', 80, 85, 190, 205],
        ['Stored now', 160, 175, 190, 205],
      ],
    );
  });

  test('is shown once more when what it would replace has changed meanwhile, or its text', async () => {
    const checked = await check(lines([1, 2]));
    await addPrices(site, admin, hourly([99], Date.parse(`${day}T01:00:00Z`)));
    const stale = await store(checked.text);
    expect([stale.status, stale.text.includes('has changed meanwhile')]).toEqual([200, true]);
    expect(factsOf(stale.text)['Replaced']).toContain('99.00 → 2.00');
    const other = await store(stale.text, { text: lines([1, 3]) });
    expect([other.status, other.text.includes('has changed meanwhile')]).toEqual([200, true]);
    expect((await listStored(admin.orgId, day)).filter((price) => price === 2 || price === 3)).toEqual([]);
    expect((await store(stale.text)).status).toBe(303);
  });

  test('needs names of columns that it knows, where it has some', async () => {
    const refused = await check(`Datum;Preis\n${day} 12:00;1,5`);
    expect([refused.status, refused.text.includes('call one of them timestamp and one price')]).toEqual([
      422,
      true,
    ]);
  });

  test.each([
    ['commas', '2031-05-01 00:00,1.5\n2031-05-01T00:15Z,2'],
    ['tabs, as a spreadsheet copies them', '01.05.2031 00:00\t1,5\n01.05.2031 00:15\t2'],
    [
      'semicolons, names and decimal commas',
      '\uFEFF"price";"timestamp"\r\n"1,5";"2031-05-01 00:00"\r\n2;2031-05-01 00:15\r\n\r\n',
    ],
  ])('is read with %s', async (_, text) => {
    const checked = await check(text);
    expect(factsOf(checked.text)).toMatchObject({
      Prices: '2, quarter-hourly',
      Lowest: '1.50 EUR/MWh at 1 May 00:00',
      Highest: '2.00 EUR/MWh at 1 May 00:15',
    });
  });

  test('is read on the clocks of its zone', async () => {
    const checked = await check('2031-05-02 00:00,1', 'Europe/Vienna');
    await store(checked.text);
    expect(await listStored(admin.orgId, '2031-05-01')).toEqual([1]);
  });

  test('that is faulty is refused at its lines, each with the rule and what to do, and nothing is lost', async () => {
    const faulty = [
      'time;price',
      '2031-06-01 00:00;1',
      '2031-06-01 00:07;1',
      '2031-06-01 00:00;2',
      'tomorrow;3',
      '2031-06-01 03:00;',
      '2031-06-01 04:00;cheap',
      '2031-06-01 05:00;20000',
    ];
    const text = faulty.join('\n').replace('time', 'timestamp');
    const refused = await check(text);
    expect(refused.status).toBe(422);
    const rows = rowsOf(refused.text, 'To be mended');
    expect(rows.map(([line]) => line)).toEqual([3, 4, 5, 6, 7, 8].map((line) => `Line ${line}`));
    expect(rows[0]?.[2]).toBe('Time: Must be on a quarter hour.Prices begin at :00, :15, :30 or :45.');
    expect(rows[1]?.[2]).toBe('Time: Means the same instant as line 2.Leave one of the two out.');
    // Each says what to do behind the rule.
    expect(rows.filter(([, , what = '']) => !/\.\S/.test(what))).toEqual([]);
    expect(rows.map(([, says]) => says)).toContain('2031-06-01 00:07;1');
    expect(refused.text).toContain('tomorrow;3');
    expect(refused.text).toContain(`${rows.length} errors, each with its line below.`);
    expect(rows.map(([, , what]) => what)).toContain(
      'Time: Cannot be read.Write the time as 2026-11-24 18:00, or with its offset as 2026-11-24 18:00+01:00.',
    );
    const clocks = await check('2031-03-30 02:30,1\n2031-10-26 02:30,1', 'Europe/Vienna');
    expect(rowsOf(clocks.text, 'To be mended').map(([, , what]) => what)).toEqual([
      expect.stringMatching(/^Time: Is skipped when daylight-saving time begins; give it with an offset\./),
      expect.stringMatching(/^Time: Exists twice when daylight-saving time ends; give it with an offset\./),
    ]);
    const zone = await check('2031-06-01 00:00,1', 'Europe/Nowhere');
    expect([zone.status, zone.text.includes('Must be the name of an IANA time zone')]).toEqual([422, true]);
    expect(await listStored(admin.orgId, '2031-06-01')).toEqual([]);
  });

  test.each([
    ['nothing', '', 'There is no price in it.'],
    ['a line of names alone', 'timestamp,price', 'There is no price in it.'],
    [
      'too many',
      Array.from(
        { length: 10_001 },
        (_, quarter) => `${new Date(Date.UTC(2030, 0) + quarter * QUARTER_HOUR_MS).toISOString()},1`,
      ).join('\n'),
      '10000',
    ],
  ])('of %s is refused', async (_, text, words) => {
    const refused = await check(text);
    expect([refused.status, refused.text.includes(words)]).toEqual([422, true]);
  });

  test('of as many as the API takes is checked and stored', async () => {
    const start = Date.parse('2032-01-01T00:00:00Z');
    const many = Array.from(
      { length: 10_000 },
      (_, hour) => `${new Date(start + hour * HOUR_MS).toISOString()},${hour % 7}`,
    );
    const checked = await check(many.join('\r\n'));
    expect(factsOf(checked.text)['Prices']).toBe('10,000, hourly');
    expect(checked.text).toContain('@prices.json');
    expect((await store(checked.text)).status).toBe(303);
    const again = await check(many.join('\n'));
    expect(factsOf(again.text)['Stored already, the same']).toBe('10,000');
  });

  test('of times that are over says so, and has nothing to store', async () => {
    const late = await check('2020-01-01 00:00,1');
    expect([late.status, late.text.includes('All of them are over')]).toEqual([200, true]);
    expect(late.text).not.toContain('Store the prices');
    const sent = await store(late.text);
    expect(sent.headers['location']).toContain('notice=prices_late');
    const partly = await check('2020-01-01 00:00,1\n2031-07-01 00:00,1');
    expect(factsOf(partly.text)['Over already']).toMatch(/^1: /);
  });

  test('that spans all years is compared by as many statements as one of a day', async () => {
    const sent = countStatements(site.pool);
    const day = await check('2034-01-01 00:00,1\n2034-01-03 00:00,2');
    const ofDay = sent.started();
    const wide = await check('0001-01-01 00:00,1\n9999-12-31 00:00,2');
    expect([day.status, wide.status, factsOf(wide.text)['New']]).toEqual([200, 200, '2']);
    expect(factsOf(day.text)['Without a price']).toBe('1 Jan 01:00 to 3 Jan 00:00 (47 h)');
    expect(factsOf(wide.text)['Without a price']).toMatch(/^1 Jan 01:00 to .*; \d+ more gaps?$/);
    expect(sent.started() - ofDay).toBeLessThanOrEqual(ofDay);
  });

  test('stays within the quota of its organization', async () => {
    const crowded = await site.addPerson(await site.addOrganization(), 'admin');
    await site.db
      .insertInto('partner_quotas')
      .values({ org_id: crowded.orgId, name: 'price_quarters', quota: 1 })
      .execute();
    const theirs = await site.signedIn(crowded);
    const checked = await check(lines([1, 2]), 'UTC', theirs);
    const refused = await store(checked.text, {}, theirs);
    expect([refused.status, refused.text.includes('price_quarters')]).toEqual([422, true]);
    expect(await listStored(crowded.orgId, day)).toEqual([]);
  });

  test('comes as a file in a form of several parts, which counts in place of the text', async () => {
    const form = formOf((await browser.get(UPLOAD)).text, UPLOAD);
    const checked = await browser.postParts(UPLOAD, { ...form, text: 'nothing', zone: 'UTC' }, lines([7, 8]));
    expect([checked.status, factsOf(checked.text)['Prices']]).toEqual([200, '2, hourly']);
    const stored = await browser.postParts(STORE, formOf(checked.text, STORE));
    expect(stored.status).toBe(303);
    const refused = await browser.postParts(UPLOAD, { ...form, csrf_token: 'x' }, lines([7, 8]));
    expect(refused.status).toBe(403);
  });

  test('of a simulation counts there alone', async () => {
    const path = `${UPLOAD}?org=${fleet.simulationOrgId}`;
    const storePath = `${STORE}?org=${fleet.simulationOrgId}`;
    const checked = await browser.submit(path, { text: '2031-08-01 00:00,33', zone: 'UTC' });
    await browser.post(storePath, formOf(checked.text, storePath));
    expect(await listStored(fleet.simulationOrgId, '2031-08-01')).toEqual([33]);
    expect(await listStored(admin.orgId, '2031-08-01')).toEqual([]);
  });

  test('is for admins and staff, and of no organization but their own', async () => {
    const staff = await site.signedIn(await site.addPerson(admin.orgId, 'staff'));
    expect((await store((await check('2031-09-01 00:00,1', 'UTC', staff)).text, {}, staff)).status).toBe(303);
    const user = await site.signedIn(await site.addPerson(admin.orgId, 'user'));
    const stranger = await site.signedIn(await site.addPerson(await site.addOrganization(), 'admin'));
    const statuses = [];
    for (const path of [PAGE, UPLOAD, `${PAGE}prices.csv`]) statuses.push((await user.get(path)).status);
    for (const path of [PAGE, UPLOAD, `${PAGE}prices.csv`])
      statuses.push((await stranger.get(`${path}?org=${fleet.simulationOrgId}`)).status);
    expect(statuses).toEqual([403, 403, 403, 404, 404, 404]);
  });
});

describe('the form of prices', () => {
  test('is read up to 1.1 MB from who may upload, and not at all beyond', async () => {
    const large = { text: 'x'.repeat(1_100_000) };
    const token = formOf((await browser.get(UPLOAD)).text, UPLOAD);
    expect((await browser.post(UPLOAD, { ...token, ...large })).status).toBe(413);
    expect((await browser.postParts(UPLOAD, { ...token, ...large })).status).toBe(413);
    const user = await site.signedIn(await site.addPerson(admin.orgId, 'user'));
    expect((await user.post(UPLOAD, { text: 'x'.repeat(40_000) })).status).toBe(413);
  });

  test('of several parts has 20 of them at most', async () => {
    const token = formOf((await browser.get(UPLOAD)).text, UPLOAD)['csrf_token'] ?? '';
    const field = `--x\r\nContent-Disposition: form-data; name="csrf_token"\r\n\r\n${token}\r\n`;
    // Of fields there are 20 at most in any case, of files only as many as of parts.
    const file = '--x\r\nContent-Disposition: form-data; name="file"; filename="prices.csv"\r\n\r\n\r\n';
    const withFiles = (count: number) =>
      browser.postBytes(UPLOAD, 'multipart/form-data; boundary=x', `${field}${file.repeat(count)}--x--\r\n`);
    expect([(await withFiles(19)).status, (await withFiles(20)).status]).toEqual([422, 400]);
  });

  test('that is damaged is refused, and nothing happens', async () => {
    const damaged = await browser.postBytes(UPLOAD, 'multipart/form-data; boundary=x', 'no parts');
    expect(damaged.status).toBe(400);
  });

  test('that breaks off within its file is refused, and the process goes on', async () => {
    const thrown: unknown[] = [];
    const note = (error: unknown): void => void thrown.push(error);
    process.on('uncaughtExceptionMonitor', note);
    const file = '--x\r\nContent-Disposition: form-data; name="file"; filename="prices.csv"\r\n\r\n2026-';
    const broken = await browser.postBytes(UPLOAD, 'multipart/form-data; boundary=x', file);
    process.off('uncaughtExceptionMonitor', note);
    expect([broken.status, thrown]).toEqual([400, []]);
  });
});
