// Painting a density on the map of the form: by mouse and keyboard, from a file, on the largest grid.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { openWatched, startPortalWorld } from './portal-world.ts';
import type { PortalWorld } from './portal-world.ts';

let world: PortalWorld;
beforeAll(async () => {
  world = await startPortalWorld();
});
afterAll(() => world.close());

const PATH = '/portal/fleets/create/';
const STROKES = 40;
/** A stroke on 4000 x 4000 cells is answered within so many milliseconds on a quiet machine. */
const GOAL_MS = 50;

async function openForm(options = {}) {
  const context = await world.open('admin', { viewport: { width: 1280, height: 900 }, ...options });
  const { page, complaints } = await openWatched(context, world.baseUrl);
  await page.goto(PATH);
  await page.locator('#fleet-map[data-ready]').waitFor();
  await page.locator('[data-density-tools]:not([inert])').waitFor();
  // The first preview moves the map to where the homes stand.
  await page.locator('[data-part="preview"] .chart').first().waitFor();
  await page.locator('summary', { hasText: 'Density' }).click();
  return { context, page, complaints };
}

const field = (page: Page, name: string) => page.locator(`[name="density/${name}"]`);
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const previewOf = (page: Page, body: string) =>
  page.waitForResponse(
    (answer) => answer.request().method() === 'POST' && (answer.request().postData() ?? '').includes(body),
  );

async function paintStroke(
  page: Page,
  from: readonly [number, number],
  to: readonly [number, number],
): Promise<void> {
  const box = await page.locator('#fleet-map').boundingBox();
  if (box === null) throw new Error('There is no map.');
  const at = ([x, y]: readonly [number, number]): [number, number] => [
    box.x + x * box.width,
    box.y + y * box.height,
  ];
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at(to), { steps: 6 });
  await page.mouse.up();
}

test('what is painted is sent as the density, and homes stand there; it is taken back and cleared', async () => {
  const { context, page, complaints } = await openForm();
  await field(page, 'country').selectOption('AT');
  expect(await field(page, 'grid/rows').inputValue()).toBe('261');
  await button(page, 'Paint').click();
  const previewed = previewOf(page, 'density%2Fweights=H4sI');
  await paintStroke(page, [0.6, 0.5], [0.75, 0.45]);
  await previewed;
  const first = await field(page, 'weights').inputValue();
  await page.locator('[data-part="json"]').getByText('"country": "AT"').waitFor({ state: 'attached' });
  const points = async () =>
    (JSON.parse((await page.locator('[data-map]').textContent()) ?? '') as { points: number[][] }).points;
  await expect.poll(async () => (await points()).length).toBe(10);
  for (const [latitude = 0, longitude = 0] of await points())
    expect([latitude > 46.3 && latitude < 49.1, longitude > 12 && longitude < 17.2]).toEqual([true, true]);
  await paintStroke(page, [0.4, 0.5], [0.45, 0.6]);
  await expect.poll(() => field(page, 'weights').inputValue()).not.toBe(first);
  const second = await field(page, 'weights').inputValue();
  await button(page, 'Undo').click();
  await expect.poll(() => field(page, 'weights').inputValue()).toBe(first);
  await button(page, 'Redo').click();
  await expect.poll(() => field(page, 'weights').inputValue()).toBe(second);
  await button(page, 'Erase').click();
  await paintStroke(page, [0.6, 0.5], [0.75, 0.45]);
  await expect.poll(() => field(page, 'weights').inputValue()).not.toBe(second);
  await button(page, 'Clear').click();
  await expect.poll(() => field(page, 'weights').inputValue()).toBe('');
  expect([await field(page, 'country').inputValue(), await field(page, 'grid/rows').inputValue()]).toEqual([
    '',
    '',
  ]);
  expect(complaints).toEqual([]);
  await context.close();
});

test('the keyboard paints too, in the country under the brush, with other sizes', async () => {
  const { context, page, complaints } = await openForm();
  await page.locator('#fleet-map').focus();
  await page.keyboard.press('b');
  await page.keyboard.press(']');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press(' ');
  await expect.poll(() => field(page, 'weights').inputValue()).toMatch(/^H4sI/);
  expect(await field(page, 'country').inputValue()).toBe('DE');
  const large = await field(page, 'weights').inputValue();
  await page.keyboard.press('Control+z');
  await expect.poll(() => field(page, 'weights').inputValue()).toBe('');
  await page.keyboard.press('Control+Shift+z');
  await expect.poll(() => field(page, 'weights').inputValue()).toBe(large);
  expect(await field(page, 'country').inputValue()).toBe('DE');
  await page.keyboard.press('e');
  await page.keyboard.press('[');
  await page.keyboard.press(' ');
  await expect.poll(() => field(page, 'weights').inputValue()).not.toBe(large);
  expect(complaints).toEqual([]);
  await context.close();
});

test('an outline from a file is painted; one that is none says which rule it breaks and what to do', async () => {
  const { context, page, complaints } = await openForm();
  const ring = [
    [14.2, 48.2],
    [14.4, 48.2],
    [14.4, 48.4],
    [14.2, 48.4],
    [14.2, 48.2],
  ];
  const choose = (name: string, text: string) =>
    page
      .locator('#outline_file')
      .setInputFiles({ name, mimeType: 'application/geo+json', buffer: Buffer.from(text) });
  const said = page.locator('[data-density-status]');
  await choose('line.geojson', JSON.stringify({ type: 'LineString', coordinates: ring }));
  await said.getByText('line.geojson: The file has no Polygon').waitFor();
  expect(await field(page, 'weights').inputValue()).toBe('');
  await choose('large.geojson', ' '.repeat(5 * 1_024 * 1_024 + 1));
  await said.getByText('large.geojson: The file has more than 5 MB').waitFor();
  const previewed = previewOf(page, 'density%2Fweights=H4sI');
  await choose('linz.geojson', JSON.stringify({ type: 'Polygon', coordinates: [ring] }));
  await said.getByText('linz.geojson is painted.').waitFor();
  expect((await previewed).status()).toBe(200);
  expect(await field(page, 'country').inputValue()).toBe('AT');
  await expect
    .poll(
      async () =>
        (JSON.parse((await page.locator('[data-map]').textContent()) ?? '') as { points: number[][] }).points,
    )
    .toEqual(Array.from({ length: 10 }, () => [expect.closeTo(48.3, 0), expect.closeTo(14.3, 0), 0, 1]));
  expect(complaints).toEqual([]);
  await context.close();
});

test('a stroke on 4000 x 4000 cells is answered at once', async () => {
  const { context, page, complaints } = await openForm();
  await field(page, 'country').selectOption('AT');
  await field(page, 'grid/cell_deg').fill('0.002');
  for (const name of ['grid/rows', 'grid/cols']) await field(page, name).fill('4000');
  await field(page, 'grid/cols').blur();
  for (let size = 0; size < 2; size += 1) await button(page, 'Larger brush').click();
  await button(page, 'Paint').click();
  await paintStroke(page, [0.3, 0.5], [0.4, 0.5]);
  await expect.poll(() => field(page, 'weights').inputValue()).toMatch(/^H4sI/);
  const { strokes, loop } = await page.evaluate<{ strokes: number[]; loop: number }>(measureStrokes(STROKES));
  const sorted = strokes.toSorted((a, b) => a - b);
  const [median, most] = [sorted[Math.floor(sorted.length / 2)] ?? NaN, sorted.at(-1) ?? NaN];
  // The loop tells how busy the machine is: 100 million steps take some 70 ms where nothing else runs.
  process.stdout.write(
    `A stroke on 4000 x 4000 cells: median ${median.toFixed(1)} ms, most ${most.toFixed(1)} ms (goal ${GOAL_MS} ms; loop of 100 million steps ${loop.toFixed(0)} ms).\n`,
  );
  expect(strokes.length).toBe(STROKES);
  // What does not depend on the machine: a stroke touches no more of the picture than the brush, whatever the raster has.
  const drawn = await page.evaluate<number>(countDrawnPixels);
  const [width = 0, height = 0] = await page.evaluate<number[]>(
    "(({ width, height }) => [width, height])(document.querySelector('.leaflet-density-pane canvas'))",
  );
  expect(drawn).toBeGreaterThan(0);
  expect(drawn).toBeLessThan((width * height) / 2);
  expect(complaints).toEqual([]);
  await context.close();
});

/** In the page: from a pointer event of a stroke to the next frame after it was painted, ms, and a loop to compare with. */
const measureStrokes = (count: number): string => `(async () => {
  const map = document.getElementById('fleet-map');
  const { left, top, width, height } = map.getBoundingClientRect();
  const send = (type, x, y) => map.dispatchEvent(new PointerEvent(type, {
    pointerId: 1, isPrimary: true, button: 0, bubbles: true, clientX: left + x * width, clientY: top + y * height,
  }));
  map.setPointerCapture = () => {};
  const strokes = [];
  send('pointerdown', 0.2, 0.3);
  for (let stroke = 0; stroke < ${count}; stroke += 1) {
    await new Promise(requestAnimationFrame);
    const begun = performance.now();
    send('pointermove', 0.2 + 0.6 * (stroke / ${count}), 0.3 + 0.4 * (stroke % 2));
    await new Promise(requestAnimationFrame);
    strokes.push(performance.now() - begun);
  }
  send('pointerup', 0.8, 0.7);
  const begun = performance.now();
  let sum = 0;
  for (let step = 0; step < 100_000_000; step += 1) sum += step & 3;
  return { strokes, loop: performance.now() - begun, sum };
})()`;

/** In the page: how many pixels one dab puts on the canvas of the density. */
const countDrawnPixels = `(() => {
  const map = document.getElementById('fleet-map');
  const { left, top, width, height } = map.getBoundingClientRect();
  const { prototype } = CanvasRenderingContext2D;
  const { putImageData } = prototype;
  let pixels = 0;
  prototype.putImageData = function (image, x, y, left, top, width, height) {
    pixels += width * height;
    return putImageData.call(this, image, x, y, left, top, width, height);
  };
  const send = (type) => map.dispatchEvent(new PointerEvent(type, {
    pointerId: 1, button: 0, bubbles: true, clientX: left + width / 2, clientY: top + height / 2,
  }));
  send('pointerdown');
  const ofOneDab = pixels;
  send('pointerup');
  prototype.putImageData = putImageData;
  return ofOneDab;
})()`;
