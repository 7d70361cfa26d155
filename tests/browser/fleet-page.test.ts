// A fleet's page with scripts: one crosshair for all pictures, by mouse and by keyboard, and values that change by themselves.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '../../src/domain/api/durations.ts';
import { openWatched, startPortalWorld } from './portal-world.ts';
import type { PortalWorld } from './portal-world.ts';
import { readScriptSizes } from './script-sizes.ts';

let world: PortalWorld;
beforeAll(async () => {
  world = await startPortalWorld();
});
afterAll(() => world.close());

const MOST_SCRIPT_BYTES = 150 * 1024;
const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);
const pageOfFleet = (): string => `/portal/fleets/${world.fleet.jobId}/?day=${yesterday}`;

test('the mouse over one picture moves the readout, the slider and the crosshair of all', async () => {
  const context = await world.open('admin', { viewport: { width: 1280, height: 1200 } });
  const { page, complaints } = await openWatched(context, world.baseUrl);
  await page.goto(pageOfFleet());
  await page.locator('.plot canvas').nth(1).waitFor();
  const temperature = page.locator('.plot').last();
  await temperature.scrollIntoViewIfNeeded();
  await temperature.hover({ position: { x: 400, y: 50 } });
  const time = await page.locator('.readout output').textContent();
  expect(time).toMatch(/^(?:0[1-9]|1\d):\d\d$/);
  expect(await page.locator('#instant').getAttribute('aria-valuetext')).toMatch(
    new RegExp(`^${time}, From the grid`),
  );
  const lines = page.locator('.u-cursor-x');
  const places = await lines.evaluateAll((all) =>
    all.map((each) => Math.round(each.getBoundingClientRect().x)),
  );
  expect(places.length).toBeGreaterThanOrEqual(2);
  expect(new Set(places).size).toBe(1);
  expect(complaints).toEqual([]);
  await context.close();
});

test('the keyboard moves by a quarter hour, and by an hour with Shift', async () => {
  const context = await world.open('admin', { viewport: { width: 390, height: 900 } });
  const page = await context.newPage();
  await page.goto(pageOfFleet());
  await page.locator('.plot canvas').first().waitFor();
  const time = page.locator('.readout output');
  await page.locator('#instant').focus();
  await page.keyboard.press('Home');
  expect(await time.textContent()).toBe('00:00');
  await page.keyboard.press('ArrowRight');
  expect(await time.textContent()).toBe('00:15');
  await page.keyboard.press('Shift+ArrowRight');
  expect(await time.textContent()).toBe('01:15');
  await page.keyboard.press('PageUp');
  await page.keyboard.press('ArrowLeft');
  expect(await time.textContent()).toBe('00:00');
  // At once, since a day that is not computed yet is shown as it comes.
  const [shown, first] = await page.evaluate<[string, string]>(`(() => {
    const chart = document.querySelector('.chart');
    const { panels } = JSON.parse(chart.querySelector('script').textContent);
    const [line] = [...panels[0].lines, ...panels[0].above];
    return [chart.querySelector('.legend b').textContent, line.texts[0]];
  })()`);
  expect(shown).toBe(first);
  const crosshairs = page.locator('.u-cursor-x');
  const areHidden = await crosshairs.evaluateAll((all) => all.map((each) => each.className.includes('off')));
  expect(areHidden).toEqual(areHidden.map(() => false));
  await context.close();
});

/** How many pixels of a picture have a colour, in the middle of the quarter hour that begins at each of these hours. */
const countPixels = (colour: string, hours: readonly number[]): string => `(() => {
  const canvas = document.querySelector('.plot canvas');
  const over = document.querySelector('.plot .u-over');
  const [frame, plot] = [canvas.getBoundingClientRect(), over.getBoundingClientRect()];
  const probe = document.body.appendChild(document.createElement('i'));
  probe.style.color = 'var(--${colour})';
  const [red, green, blue] = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
  const ratio = canvas.width / frame.width;
  return ${JSON.stringify(hours)}.map((hour) => {
    const x = plot.left - frame.left + (plot.width * (hour + 0.125)) / 24;
    const { data } = canvas.getContext('2d').getImageData(Math.round(x * ratio), 0, 1, canvas.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4)
      if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) count += 1;
    return count;
  });
})()`;

test('a gap begins where the last value before it ends', async () => {
  const context = await world.open('admin', { viewport: { width: 1280, height: 1200 } });
  const page = await context.newPage();
  await page.route(world.baseUrl + pageOfFleet(), async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replace(
      /(<script type="application\/json">)([^<]*)/,
      (_, tag: string, json: string) => tag + JSON.stringify(withGap(JSON.parse(json))),
    );
    await route.fulfill({ response: answer, body });
  });
  await page.goto(pageOfFleet());
  await page.locator('.plot canvas').first().waitFor();
  const [before, last, within, lastWithin, after] = await page.evaluate<number[]>(
    countPixels('load', [9.5, 9.75, 10, 11.75, 12]),
  );
  expect([within, lastWithin]).toEqual([0, 0]);
  for (const count of [before, last, after]) expect(count).toBeGreaterThan(5);
  await context.close();
});

/** The pictures of a day, of which from 10:00 to 12:00 nothing is known, and always the same is drawn otherwise. */
function withGap(day: { panels: Record<'above' | 'below' | 'lines', { values: (number | null)[] }[]>[] }) {
  for (const { above, below, lines } of day.panels)
    for (const line of [...above, ...below, ...lines])
      line.values = line.values.map((_, index) => (index >= 40 && index < 48 ? null : 1_000));
  return day;
}

test('the map shows what each home draws at the instant of the crosshair, and the table the same', async () => {
  const context = await world.open('admin', { viewport: { width: 1280, height: 1200 } });
  const { page, complaints } = await openWatched(context, world.baseUrl);
  await page.goto(pageOfFleet());
  await page.locator('[data-fleet-map][data-shown]').waitFor();
  const time = page.locator('[data-map-time]');
  const counts = page.locator('.fleet-map .legend b');
  const homes = async () => (await counts.allTextContents()).reduce((sum, count) => sum + Number(count), 0);
  expect(await time.textContent()).toBe(await page.locator('.readout output').textContent());
  expect(await homes()).toBe(12);
  await page.getByText('Table of the homes').click();
  const row = page.getByRole('table', { name: 'Power of each home' }).locator('tbody tr');
  // The table is written once it is opened.
  await row.first().waitFor();
  expect(await row.count()).toBe(1);
  const power = row.locator('td').last();
  const before = await power.textContent();
  await page.locator('#instant').focus();
  await page.keyboard.press('Home');
  expect(await time.textContent()).toBe('00:00');
  expect(await power.textContent()).not.toBe(before);
  // Twelve homes at one place: the mean of what the readout tells of all.
  const together = Number.parseFloat(
    (await page.locator('.readout ~ .legend b').first().textContent()) ?? '',
  );
  expect(Number.parseFloat((await power.textContent()) ?? '')).toBeCloseTo(together / 12, 1);
  expect(await homes()).toBe(12);
  expect(complaints).toEqual([]);
  await context.close();
});

test('without JavaScript the table tells what the pictures would', async () => {
  const context = await world.open('admin', { javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(pageOfFleet());
  expect(await page.locator('.plots').isVisible()).toBe(false);
  await page.getByText('As table').click();
  expect(await page.getByRole('table', { name: 'Values of the day' }).getByRole('row').count()).toBe(97);
  await context.close();
});

test('the list shows a fleet that is stopped elsewhere, without a reload and without moving the layout', async () => {
  const context = await world.open('admin');
  const page = await context.newPage();
  await page.clock.install();
  await page.goto('/portal/fleets/');
  const row = page.locator('.rows tbody tr').first();
  expect(await row.textContent()).toContain('Running');
  const other = await context.newPage();
  await other.goto(`/portal/fleets/${world.fleet.jobId}/stop/`);
  await other.getByLabel('Name of the fleet').fill('Vienna pilot');
  await other.getByRole('button', { name: 'Stop the fleet' }).click();
  await other.getByText('The fleet was stopped.').waitFor();
  await page.bringToFront();
  await page.clock.fastForward(31_000);
  await row.getByText('Stopped').waitFor();
  expect(new URL(page.url()).search).toBe('');
  await context.close();
});

test('the scripts of each page are small', async () => {
  const context = await world.open('admin');
  const page = await context.newPage();
  const sizes = await readScriptSizes(page, pageOfFleet());
  expect(sizes.length).toBe(5);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_SCRIPT_BYTES);
  await context.close();
});
