// What the electricity of a day cost at day-ahead prices, as the pages of a fleet, a home and a device tell it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';
import { tellDeviceDay } from '../../src/portal/device-story.ts';
import { tellCost } from '../../src/portal/energy-cost.ts';
import { createLocalClock } from '../../src/portal/local-days.ts';
import { addHome, addPrices, SEGMENTS } from './portal-fleets.ts';
import type { SiteHome } from './portal-fleets.ts';
import { hourly } from './price-site.ts';
import { startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';
import type { Visitor } from './visitor.ts';

const clock = createLocalClock('Europe/Vienna');
const hoursOf = (date: string): { readonly startMs: number; readonly hours: number } => {
  const day = clock.findDay(date);
  if (day === undefined) throw new Error(`${date} is no day.`);
  return { startMs: day.from.getTime(), hours: (day.to.getTime() - day.from.getTime()) / HOUR_MS };
};

describe('the cost of quarter hours', () => {
  const START = Date.parse('2026-06-21T00:00:00Z');
  const energiesOf = (values: readonly (number | null)[], startMs = START) =>
    values.map((kilowattHours, index) => ({
      time: new Date(startMs + index * QUARTER_HOUR_MS).toISOString(),
      kilowattHours,
    }));
  const pricesOf = (values: readonly number[], startMs = START) =>
    new Map(values.map((price, index) => [startMs + index * QUARTER_HOUR_MS, price]));
  const tell = (energies: readonly (number | null)[], prices: readonly number[]): string =>
    tellCost('it', energiesOf(energies), pricesOf(prices));

  test.each([
    ['is each at its own price', [1_000, 500], [40, 80], 'it cost 80.00 EUR'],
    ['is less by what was fed in', [1_000, -250], [40, 80], 'it cost 20.00 EUR'],
    ['is earned where that was worth more', [10, -30], [40, 53.333], 'it earned 1.20 EUR'],
    ['is earned by who draws at a price below zero', [2_000], [-30], 'it earned 60.00 EUR'],
    ['has its thousands apart', [100_000], [123.456], 'it cost 12,345.60 EUR'],
    ['is nothing without a sign', [0.01, -0.02], [100, 100], 'it cost 0.00 EUR'],
    ['leaves out what nobody has read', [1_000, null, 1_000], [40, 80, 10], 'it cost 50.00 EUR'],
  ])('%s', (_, energies, prices, told) => {
    expect(tell(energies, prices)).toBe(`At day-ahead prices ${told} (without fees and taxes).`);
  });

  test('says how much of what was read has a price', () => {
    expect(tell([1_000, 2_000, null, 1_000, 1_000, 1_000, 1_000], [40, 80])).toBe(
      'At day-ahead prices, which are known for 30 min of 1 h 30 min, it cost 200.00 EUR (without fees and taxes).',
    );
  });

  test('is not told where no price is known or nothing was read', () => {
    expect([tell([1_000, null], []), tell([null], [40]), tell([], [40])]).toEqual(['', '', '']);
  });

  test.each([
    ['2026-03-29', 23],
    ['2026-10-25', 25],
  ])('of %s counts its %i hours', (date, length) => {
    const { startMs, hours } = hoursOf(date);
    const quarters = Array.from({ length: 4 * hours }, (__, index) => index);
    const told = tellCost(
      'it',
      energiesOf(
        quarters.map(() => 250),
        startMs,
      ),
      pricesOf(
        quarters.map((index) => Math.floor(index / 4)),
        startMs,
      ),
    );
    // An hour costs its number: 0 + 1 + … EUR.
    const sum = ((length - 1) * length) / 2;
    expect(told).toBe(`At day-ahead prices it cost ${sum}.00 EUR (without fees and taxes).`);
  });
});

test('a vehicle tells what it was charged with at home', () => {
  const charged = (time: string, kilowattHours: number | null) => ({
    time,
    charge_power_w: null,
    energy_charged_kwh: kilowattHours,
    plugged_in_minutes: null,
    soc_percent: null,
  });
  const entries = [charged('2026-06-21T00:00:00.000Z', 2.5), charged('2026-06-21T00:15:00.000Z', 2)];
  const prices = new Map([
    [Date.parse('2026-06-21T00:00:00Z'), 100],
    [Date.parse('2026-06-21T00:15:00Z'), 400],
  ]);
  const told = { type: 'electric_vehicle', entries, prices, dayName: 'On 2026-06-21' } as const;
  expect(tellDeviceDay(told)).toBe(
    'On 2026-06-21 it was charged at home with 4.5 kWh. ' +
      'At day-ahead prices that much from the grid cost 1.05 EUR (without fees and taxes).',
  );
  expect(tellDeviceDay({ ...told, entries: [charged('2026-06-21T00:00:00.000Z', null)] })).toBe('');
});

describe('on the pages', () => {
  const now = Date.now();
  const [tomorrow, yesterday, dayBefore] = [-1, 1, 2].map((days) =>
    clock.dayOf(new Date(now - days * DAY_MS)),
  ) as [string, string, string];
  /**
   * Prices by the starts of their hours, EUR/MWh: of all of yesterday, of six hours of the day before, and one to come, without which
   * they would be refused as late.
   */
  const prices = new Map([
    ...priceHours(yesterday, 0, 25),
    ...priceHours(dayBefore, 6, 12),
    ...priceHours(tomorrow, 12, 13),
  ]);

  let site: PortalSite;
  let admin: Person;
  let browser: Visitor;
  let home: SiteHome;
  /** The pages of yesterday before any price came in, that of the heat pump last. */
  const unpriced: string[] = [];
  beforeAll(async () => {
    site = await startPortal();
    admin = await site.addPerson(await site.addOrganization(), 'admin');
    browser = await site.signedIn(admin);
    home = await addHome(site, admin);
    for (const page of ['fleet', 'home', 'heat_pump'] as const)
      unpriced.push((await browser.get(`${pathOf(page)}day=${yesterday}`)).text);
    await addPrices(site, admin, new Map([...prices].map(([at, price]) => [new Date(at), price])));
  });
  afterAll(() => site.close());

  function priceHours(date: string, from: number, to: number): [number, number][] {
    const { startMs, hours } = hoursOf(date);
    const count = Math.min(to, hours) - from;
    const values = Array.from({ length: count }, (_, hour) => 31.7 + 17 * ((hour * 5) % 11));
    return [...hourly(values, startMs + from * HOUR_MS)].map(([at, price]) => [at.getTime(), price]);
  }

  const pathOf = (page: 'fleet' | 'home' | 'heat_pump' | 'electric_vehicle', file = ''): string => {
    if (page === 'fleet') return `/portal/fleets/${home.fleet.id}/${file}?`;
    const device = page === 'home' ? '' : `${SEGMENTS[page]}/${home.devices.get(page) ?? ''}/`;
    return `/portal/homes/${home.userId}/${device}${file}?org=${home.fleet.simulationOrgId}&`;
  };
  /** What the file of a page says of a day: the energy of each quarter hour that has a price, kWh, with that price. */
  async function readPriced(
    page: Parameters<typeof pathOf>[0],
    date: string,
    [plus, minus]: readonly string[],
  ) {
    const { text } = await browser.get(`${pathOf(page, 'data.csv')}day=${date}`);
    const [head = '', ...lines] = text.trimEnd().split('\r\n');
    const cells = lines.map((line) => line.split(','));
    const read = (row: readonly string[], name = ''): number => Number(row[head.split(',').indexOf(name)]);
    return cells.flatMap((row) => {
      const price = prices.get(Math.floor(Date.parse(row[0] ?? '') / HOUR_MS) * HOUR_MS);
      if (price === undefined) return [];
      return [{ price, kwh: read(row, plus) - (minus === undefined ? 0 : read(row, minus)) }];
    });
  }
  const GRID = ['grid_import_kwh', 'grid_export_kwh'];
  /** Euros of the same, signed, with two decimals. */
  const costOf = (priced: Awaited<ReturnType<typeof readPriced>>): string =>
    (priced.reduce((cents, { price, kwh }) => cents + (price * kwh) / 10, 0) / 100).toFixed(2);
  /** The sentence of a page about the cost of a day; undefined where there is none. */
  const readCost = async (page: Parameters<typeof pathOf>[0], date: string): Promise<string | undefined> => {
    const { text } = await browser.get(`${pathOf(page)}day=${date}`);
    return /At day-ahead prices.*?\(without fees and taxes\)\./.exec(text)?.[0];
  };

  test.each([
    ['fleet', GRID, 'the exchange with the grid'],
    ['home', GRID, 'the exchange with the grid'],
    ['heat_pump', ['energy_kwh'], 'that much from the grid'],
    ['electric_vehicle', ['energy_charged_kwh'], 'that much from the grid'],
  ] as const)('it is what the series of the API and the prices make (%s)', async (page, columns, subject) => {
    const priced = await readPriced(page, yesterday, columns);
    expect(priced).toHaveLength(4 * hoursOf(yesterday).hours);
    const cost = costOf(priced);
    const verb = cost.startsWith('-') ? 'earned' : 'cost';
    expect(await readCost(page, yesterday)).toBe(
      `At day-ahead prices ${subject} ${verb} ${cost.replace('-', '')} EUR (without fees and taxes).`,
    );
  });

  test('it counts those hours of a day whose prices are known, and says so', async () => {
    const priced = await readPriced('home', dayBefore, GRID);
    expect(priced).toHaveLength(24);
    expect(await readCost('home', dayBefore)).toBe(
      `At day-ahead prices, which are known for 6 h of ${hoursOf(dayBefore).hours} h, the exchange with the grid ` +
        `cost ${costOf(priced)} EUR (without fees and taxes).`,
    );
  });

  test('a day whose prices came later says why heat pumps ran by their own habits', async () => {
    for (const page of ['fleet', 'home', 'heat_pump'] as const) {
      const { text } = await browser.get(`${pathOf(page)}day=${yesterday}`);
      expect([page, text]).toEqual([
        page,
        expect.stringContaining('No price had come in as these quarter hours began: until a price is known'),
      ]);
    }
  });

  test('a heat pump that waits for prices says when it follows those that came', async () => {
    const { text } = await browser.get(pathOf('heat_pump'));
    expect(text).toMatch(
      /none was known when this quarter hour began\. (?:None is known for \d\d:\d\d either, when its next plan may begin\.|Prices came in at .*: it follows them from \d\d:\d\d on at the earliest\.)/,
    );
  });

  test('a day without prices tells no cost', () => {
    for (const text of unpriced) expect(text).not.toContain('At day-ahead prices');
    expect(unpriced.at(-1)).toMatch(new RegExp(`On ${yesterday} it drew [\\d.]+ kWh\\.</p>`));
  });
});
