// The pictures of a day of a fleet, a home and a device: power, prices with what heat pumps are asked for, charge and temperatures.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/domain/api/durations.ts';
import { Problem } from '../../src/domain/api/problem.ts';
import type { DeviceType } from '../../src/domain/fleets/devices.ts';
import { addHome, addPrices, SEGMENTS } from './portal-fleets.ts';
import type { SiteFleet } from './portal-fleets.ts';
import { startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';
import type { Visitor } from './visitor.ts';

interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
  readonly texts: readonly string[];
}
interface Chart {
  readonly clocks: readonly string[];
  readonly panels: readonly { name: string; above: Line[]; below: Line[]; lines: Line[] }[];
}

let site: PortalSite;
let admin: Person;
let browser: Visitor;
let fleet: SiteFleet;
let home: string;
let devices: ReadonlyMap<DeviceType, string>;
/** Some of the day is over. */
const now = Math.floor(Date.now() / DAY_MS) * DAY_MS + 10 * HOUR_MS;
const dayOf = (days: number): string => new Date(now + days * DAY_MS).toISOString().slice(0, 10);

beforeAll(async () => {
  site = await startPortal({ startsAt: new Date(now) });
  admin = await site.addPerson(await site.addOrganization(), 'admin');
  browser = await site.signedIn(admin);
  const { userId, ...built } = await addHome(site, admin);
  ({ fleet, devices } = built);
  home = `/portal/homes/${userId}/`;
  // Prices of today and tomorrow by UTC; of yesterday there are none.
  const from = Math.floor(now / DAY_MS) * DAY_MS + HOUR_MS;
  const hours = Array.from({ length: 46 }, (_, hour) => hour);
  const prices = hours.map((hour) => [new Date(from + hour * HOUR_MS), hour % 6 < 3 ? 20 : 200] as const);
  await addPrices(site, admin, new Map(prices));
});
afterAll(() => site.close());

const deviceOf = (type: DeviceType): string => `${home}${SEGMENTS[type]}/${devices.get(type) ?? ''}/`;

async function readChart(path: string): Promise<Chart> {
  const { status, text } = await browser.get(path);
  if (status !== 200) throw new Error(`${path} is answered ${status}.`);
  return JSON.parse(/<script type="application\/json">([^<]*)<\/script>/.exec(text)?.[1] ?? 'null') as Chart;
}
const at = (path: string, day: string): string => `${path}?org=${fleet.simulationOrgId}&zone=utc&day=${day}`;
const namesOf = ({ panels }: Chart): string[] => panels.map(({ name }) => name);

test('a day without prices has neither a price nor a schedule', async () => {
  const names = ['Power', 'Temperature'];
  expect(namesOf(await readChart(at(`/portal/fleets/${fleet.id}/`, dayOf(-1))))).toEqual(names);
  expect(namesOf(await readChart(at(home, dayOf(-1))))).toEqual(names);
  expect(namesOf(await readChart(at(deviceOf('heat_pump'), dayOf(-1))))).toEqual(names);
});

test('under the price stands what the heat pump of a home is asked for, one state in each quarter hour', async () => {
  const chart = await readChart(at(home, dayOf(0)));
  expect(namesOf(chart)).toEqual(['Power', 'Price', 'Schedule of the heat pump', 'Temperature']);
  const [, price, strip] = chart.panels;
  expect(price?.lines[0]?.texts.slice(0, 6)).toEqual(['–', '–', '–', '–', '20.00 EUR/MWh', '20.00 EUR/MWh']);
  expect(strip?.above.map(({ label }) => label)).toEqual([
    'Blocked (min)',
    'Set back (low)',
    'Normal (mid)',
    'Boosted (max)',
  ]);
  const asked = chart.clocks
    .slice(0, -1)
    .map((_, index) => strip?.above.filter(({ texts }) => texts[index] === 'asked for').length);
  expect(new Set(asked)).toEqual(new Set([1]));
  const heights = strip?.above.map(({ values }) => Math.max(...values.map((value) => value ?? 0))) ?? [];
  expect(heights.filter((height, level) => height !== 0 && height !== (level + 1) / 4)).toEqual([]);
  expect(await readChart(at(deviceOf('heat_pump'), dayOf(0)))).toMatchObject({
    panels: [{ name: 'Power' }, { name: 'Price' }, strip, { name: 'Temperature' }],
  });
});

test('of a fleet it is told how many of its heat pumps are asked for what', async () => {
  const { panels } = await readChart(at(`/portal/fleets/${fleet.id}/`, dayOf(0)));
  const strip = panels.find(({ name }) => /^Schedules? of \d+ heat pumps$/.test(name));
  const sums = strip?.above[0]?.values.map((_, index) =>
    strip.above.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
  );
  expect(sums?.filter((sum) => Math.abs(sum - 1) > 1e-9)).toEqual([]);
  expect(strip?.above[0]?.texts[0]).toMatch(/^\d+ %$/);
});

test.each([
  ['electric_vehicle', ['Power', 'Charge'], ['charge_power_w', 'soc_percent']],
  ['heat_pump', ['Power', 'Temperature'], ['power_w', 'hot_water_temperature_c']],
  ['inverter', ['Power', 'Charge'], ['grid_power_w', 'soc_percent']],
  ['wallbox', ['Power'], ['power_w']],
] as const)('a device (%s) has its pictures and the same as a file', async (type, names, columns) => {
  const chart = await readChart(at(deviceOf(type), dayOf(-1)));
  expect(namesOf(chart)).toEqual(names);
  const file = await browser.get(at(`${deviceOf(type)}data.csv`, dayOf(-1)));
  expect([file.status, file.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(file.headers['content-disposition']).toMatch(/^attachment; filename=device-/);
  const [head = '', ...lines] = file.text.trimEnd().split('\r\n');
  expect([head.split(',')[0], lines.length]).toEqual(['time', 96]);
  expect(head.split(',')).toEqual(expect.arrayContaining([...columns]));
  const empty = await browser.get(at(`${deviceOf(type)}data.csv`, dayOf(2)));
  expect(empty.text).toBe(`${head}\r\n`);
  const drawn = chart.panels.flatMap(({ lines: curves, above }) => [...curves, ...above]);
  const column = head.split(',').indexOf(columns[0]);
  const values = lines.map((line) => Number(line.split(',')[column]));
  expect(drawn.some((line) => line.values.every((value, index) => value === values[index]))).toBe(true);
});

test('what a home did comes as a file too', async () => {
  const file = await browser.get(at(`${home}data.csv`, dayOf(-1)));
  expect([file.status, file.headers['content-type']]).toEqual([200, expect.stringMatching(/^text\/csv/)]);
  expect(file.text.trimEnd().split('\r\n')).toHaveLength(97);
});

test.each([
  ['fleet', () => `/portal/fleets/${fleet.id}/`],
  ['home', () => home],
])('a file of a %s that cannot be computed now is refused, and its connection goes on', async (_, path) => {
  const refusal = new Problem('overloaded', 'Its share is in use.', { headers: { 'Retry-After': '1' } });
  const inTurn = vi.spyOn(site.services.compute, 'inTurn').mockRejectedValue(refusal);
  try {
    const file = await browser.get(at(`${path()}data.csv`, dayOf(-2)));
    expect([file.status, file.headers['retry-after'], file.headers['content-disposition']]).toEqual([
      503,
      '1',
      undefined,
    ]);
  } finally {
    inTurn.mockRestore();
  }
});
