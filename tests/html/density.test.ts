// What the painting of densities computes, without a browser: rasters, their text, outlines from files.
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decodeDensityWeights } from '../../src/simulation/definition/density-weights.ts';
import {
  boxAround,
  OutlineError,
  paintOutline,
  readOutline,
} from '../../src/html/scripts/density/outline.js';
import { columnOf, DensityRaster, gridOver } from '../../src/html/scripts/density/raster.js';
import { decodeWeights, encodeWeights } from '../../src/html/scripts/density/weights-text.js';

const grid = { origin_lat: 50, origin_lon: 10, cell_deg: 0.1, rows: 40, cols: 60 };
const painted = (raster: DensityRaster): number => raster.weights.filter((weight) => weight > 0).length;

function stroke(raster: DensityRaster, row: number, from: number, to: number, weight = 128): void {
  raster.beginStroke();
  raster.paintSpan(row, from, to, weight);
  raster.endStroke();
}

describe('a raster', () => {
  test('takes strokes back and does them again, until another one is painted', () => {
    const raster = new DensityRaster(grid);
    stroke(raster, 3, 5, 15);
    stroke(raster, 3, 10, 20, 255);
    const both = raster.weights.slice();
    expect([painted(raster), raster.undo(), painted(raster), raster.undo(), painted(raster)]).toEqual([
      15,
      true,
      10,
      true,
      0,
    ]);
    expect(raster.undo()).toBe(false);
    expect([raster.redo(), raster.redo(), raster.redo()]).toEqual([true, true, false]);
    expect(raster.weights).toEqual(both);
    raster.undo();
    stroke(raster, 0, 0, 1);
    expect([raster.redo(), painted(raster)]).toEqual([false, 11]);
    raster.clear();
    expect([raster.isEmpty(), raster.undo(), painted(raster)]).toEqual([true, true, 11]);
  });

  test('leaves out what is outside, and a stroke that touches nothing is none', () => {
    const raster = new DensityRaster(grid);
    raster.beginStroke();
    for (const row of [-1, 40]) raster.paintSpan(row, 0, 60, 1);
    raster.paintSpan(39, 60, 90, 1);
    expect(raster.endStroke()).toBe(false);
    stroke(raster, 39, -9, 999);
    expect([painted(raster), raster.weights.at(-1), raster.weights[39 * 60 - 1]]).toEqual([60, 128, 0]);
  });

  test('of sixteen million cells keeps of each stroke what it touched, and of all at most 96 MB', () => {
    const raster = new DensityRaster({ ...grid, cell_deg: 0.001, rows: 4_000, cols: 4_000 });
    for (let time = 0; time < 8; time += 1) {
      raster.beginStroke();
      for (let row = 0; row < 4_000; row += 1) raster.paintSpan(row, 0, 4_000, time + 1);
      raster.endStroke();
    }
    let undone = 0;
    while (raster.undo()) undone += 1;
    expect([undone, raster.weights[0]]).toEqual([6, 2]);
  });

  test('keeps its places on another grid', () => {
    const raster = new DensityRaster(grid);
    stroke(raster, 10, 20, 30);
    const finer = raster.resample({ ...grid, cell_deg: 0.05, rows: 80, cols: 120 });
    expect([
      painted(finer),
      finer.weights[20 * 120 + 40],
      finer.weights[21 * 120 + 59],
      finer.weights[22 * 120 + 40],
    ]).toEqual([40, 128, 128, 0]);
  });

  test('finds columns across the antimeridian', () => {
    expect([
      columnOf({ ...grid, origin_lon: 175 }, -179),
      columnOf(grid, 370.05),
      columnOf(grid, 9.95),
    ]).toEqual([60, 0, 3_599]);
  });

  test.each([
    [
      'Austria',
      [9.52, 46.378, 17.148, 49.009],
      1_000,
      { origin_lat: 49.01, origin_lon: 9.51, cell_deg: 0.01, rows: 264, cols: 764 },
    ],
    [
      'the globe',
      [-180, -90, 180, 90],
      1_000,
      { origin_lat: 90, origin_lon: -180, cell_deg: 0.5, rows: 360, cols: 720 },
    ],
  ])('lies over the box of %s in round cells', (_name, box, most, expected) => {
    expect(gridOver(box, most)).toEqual(expected);
  });
});

describe('the text of weights', () => {
  test('is what the service reads, and is read back', async () => {
    const raster = new DensityRaster(grid);
    stroke(raster, 10, 20, 30);
    const text = await encodeWeights(raster.weights);
    expect(text).toMatch(/^[\w-]+$/);
    expect(decodeDensityWeights(text, 2_400)).toEqual(Buffer.from(raster.weights));
    expect(await decodeWeights(text, 2_400)).toEqual(raster.weights);
  });

  test('is read plain too, and not where it holds another number of cells or nothing that is known', async () => {
    const weights = Uint8Array.from({ length: 2_400 }, (_, cell) => cell % 256);
    expect(await decodeWeights(Buffer.from(weights).toString('base64'), 2_400)).toEqual(weights);
    const bomb = gzipSync(Buffer.alloc(1_000_000)).toString('base64');
    for (const text of [bomb, 'AAAA', 'H4sIAAAA', '%%%'])
      expect([text.slice(0, 9), await decodeWeights(text, 2_400)]).toEqual([text.slice(0, 9), undefined]);
  });
});

describe('an outline', () => {
  const ring = [
    [11, 49],
    [13, 49],
    [13, 48],
    [11, 48],
    [11, 49],
  ];
  const hole = [
    [11.5, 48.8],
    [12.5, 48.8],
    [12.5, 48.2],
    [11.5, 48.2],
    [11.5, 48.8],
  ];
  const polygon = { type: 'Polygon', coordinates: [ring, hole] };
  const cellsOf = (value: unknown): number => {
    const raster = new DensityRaster(grid);
    raster.beginStroke();
    paintOutline(readOutline(JSON.stringify(value)), grid, (row, from, to) =>
      raster.paintSpan(row, from, to, 1),
    );
    return painted(raster);
  };

  test.each([
    ['a polygon with a hole', polygon, 20 * 10 - 10 * 6],
    ['a multipolygon', { type: 'MultiPolygon', coordinates: [[ring], [hole]] }, 200],
    ['a feature', { type: 'Feature', properties: {}, geometry: polygon }, 140],
    [
      'a collection, whose points are passed over',
      {
        type: 'FeatureCollection',
        features: [
          { type: 'Feature', geometry: { type: 'Point', coordinates: [0, 0] } },
          { type: 'Feature', geometry: polygon },
        ],
      },
      140,
    ],
    [
      'one that is elsewhere',
      { type: 'Polygon', coordinates: [ring.map(([x = 0, y = 0]) => [x - 60, y])] },
      0,
    ],
  ])('of %s is painted by the centres of cells', (_name, value, cells) => {
    expect(cellsOf(value)).toBe(cells);
  });

  test('has a box', () => {
    expect(boxAround(readOutline(JSON.stringify(polygon)))).toEqual([11, 48, 13, 49]);
  });

  test.each([
    ['text', '<kml/>', /not JSON\. Export/],
    ['a line', JSON.stringify({ type: 'LineString', coordinates: ring }), /no Polygon.*Export/],
    ['a polygon without rings', '{"type":"Polygon"}', /no list of rings.*Export/],
    [
      'an open ring',
      JSON.stringify({ type: 'Polygon', coordinates: [ring.slice(0, 3)] }),
      /fewer than four.*Close/,
    ],
    [
      'metres',
      JSON.stringify({ type: 'Polygon', coordinates: [ring.map(() => [4_500_000, 2_700_000])] }),
      /4500000.*degrees.*WGS 84/,
    ],
    [
      'words',
      JSON.stringify({ type: 'Polygon', coordinates: [ring.map(() => ['a', null])] }),
      /degrees.*WGS 84/,
    ],
    ['null', 'null', /no Polygon/],
    [
      'collections in collections',
      '{"type":"GeometryCollection","geometries":['.repeat(20) + ']}'.repeat(20),
      /more than 8 deep\. Put/,
    ],
    [
      'too many positions',
      JSON.stringify({ type: 'Polygon', coordinates: [Array.from({ length: 200_001 }, () => [1, 1])] }),
      /200,001 positions; 200,000 are the most\. Simplify/,
    ],
  ])('that is %s is refused with rule and cure', (_name, text, message) => {
    expect(() => readOutline(text)).toThrow(OutlineError);
    expect(() => readOutline(text)).toThrow(message);
  });
});
