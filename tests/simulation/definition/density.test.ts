import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { decodeBase64, decodeDensityWeights } from '../../../src/simulation/definition/density-weights.ts';
import { drawLocation, decodeDensity } from '../../../src/simulation/definition/density.ts';
import type { Density } from '../../../src/simulation/definition/density.ts';
import type { DensityGrid } from '../../../src/simulation/definition/fleet-definition.ts';
import {
  COUNTRY_CODES,
  findCountryCodeAt,
  findCountry,
  isInsideCountry,
} from '../../../src/simulation/environment/geography.ts';
import { NOISE_CHANNEL, hashCounter, splitSeed } from '../../../src/simulation/kernel/noise.ts';

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
/** Covers Austria in cells of half a degree. */
const AUSTRIA = { origin_lat: 49.5, origin_lon: 9, cell_deg: 0.5, rows: 7, cols: 18 };

function raster(grid: DensityGrid, weights: Uint8Array | string, country = 'AT') {
  const text = typeof weights === 'string' ? weights : base64(weights);
  return {
    country,
    dataset_version: 'test-1',
    boundary_version: 'natural-earth-4.1-50m',
    grid,
    weights: text,
  };
}
function read(grid: DensityGrid, weights: Uint8Array | string, country?: string): Density {
  const result = decodeDensity(raster(grid, weights, country));
  if ('errors' in result) throw new Error(JSON.stringify(result.errors));
  return result.density;
}
function faults(grid: DensityGrid, weights: Uint8Array | string, country?: string) {
  const result = decodeDensity(raster(grid, weights, country));
  return 'errors' in result ? result.errors : [];
}
const filled = ({ rows, cols }: DensityGrid, value = 9) => new Uint8Array(rows * cols).fill(value);

describe('encodings', () => {
  test('base64 is read padded, bare and with the URL-safe alphabet', () => {
    for (const text of ['+/+/AA==', '+/+/AA', '-_-_AA', '-_-_AA==']) {
      expect([...(decodeBase64(text) ?? [])]).toEqual([251, 255, 191, 0]);
    }
    for (const text of ['A', 'AAAAA', 'AA=', 'A A=', 'AA==AA==', 'äöü1'])
      expect(decodeBase64(text)).toBeUndefined();
  });

  test.each([
    ['padding', `${'='.repeat(100_000)}A`],
    ['padding behind what it pads', `${'AA=='.repeat(25_000)}A`],
    ['letters', `${'A'.repeat(100_000)}!`],
    ['blanks', `${' '.repeat(100_000)}=`],
  ])('a long text of %s that is no base64 is refused in little time', (_, text) => {
    const before = process.threadCpuUsage();
    expect(decodeBase64(text)).toBeUndefined();
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(500);
  });

  test('raw, gzip, zlib and deflate give the same cells', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 400 }), (cells) => {
        // A text that happens to be as long as the grid is raw by definition.
        for (const pack of [(bytes: Uint8Array) => bytes, gzipSync, deflateSync, deflateRawSync]) {
          const packed = pack(cells);
          if (packed !== cells && packed.length === cells.length) continue;
          expect(Buffer.from(decodeDensityWeights(base64(packed), cells.length) as Uint8Array)).toEqual(
            Buffer.from(cells),
          );
        }
      }),
    );
  });

  test('a bomb is refused without being unpacked', () => {
    const bomb = base64(deflateRawSync(new Uint8Array(50_000_000)));
    const before = process.memoryUsage().arrayBuffers;
    expect(decodeDensityWeights(bomb, 100)).toMatchObject({
      pointer: '/density/weights',
      code: 'density_size',
    });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
  });

  test('what is too short, too long or no compressed data is refused by size', () => {
    const grid = { ...AUSTRIA, rows: 1, cols: 10 };
    for (const bytes of [
      gzipSync(new Uint8Array(9)),
      gzipSync(new Uint8Array(11)),
      new Uint8Array(11).fill(255),
    ]) {
      expect(faults(grid, bytes)).toMatchObject([{ code: 'density_size' }]);
    }
    expect(faults(grid, '????')).toMatchObject([{ code: 'density_encoding', pointer: '/density/weights' }]);
  });
});

describe('the grid', () => {
  test('must lie on the globe', () => {
    const grid = { origin_lat: -89, origin_lon: 0, cell_deg: 1, rows: 2, cols: 1 };
    expect(faults(grid, filled(grid))).toMatchObject([
      { code: 'density_off_globe', pointer: '/density/grid' },
    ]);
    const wide = { origin_lat: 50, origin_lon: 0, cell_deg: 1, rows: 1, cols: 361 };
    expect(faults(wide, filled(wide))).toMatchObject([{ code: 'density_off_globe' }]);
  });

  test('must hold somebody, in a country with borders', () => {
    expect(faults(AUSTRIA, filled(AUSTRIA, 0), 'ZZ')).toMatchObject([
      { code: 'country_unknown', pointer: '/density/country' },
      { code: 'density_empty', pointer: '/density/weights' },
    ]);
  });

  test('must touch the country, and a south-west origin is named as the likely cause', () => {
    expect(faults(AUSTRIA, filled(AUSTRIA), 'PT')).toMatchObject([{ code: 'density_outside_country' }]);
    expect(faults(AUSTRIA, filled(AUSTRIA), 'PT')[0]?.detail).not.toContain('south-west');
    const upsideDown = { ...AUSTRIA, origin_lat: 46 };
    expect(faults(upsideDown, filled(upsideDown))[0]?.detail).toContain('south-west');
  });

  test('is cut to the country, and says how many cells that drops', () => {
    const density = read(AUSTRIA, filled(AUSTRIA));
    expect(density.nonzeroCells).toBe(126);
    expect(density.droppedCells).toBeGreaterThan(50);
    expect(density.warnings).toMatchObject([{ code: 'density_cells_dropped' }]);
  });

  test('whose cells are larger than the country skips the mask and warns', () => {
    const grid = { origin_lat: 36.05, origin_lon: 13.4, cell_deg: 1, rows: 1, cols: 1 };
    const density = read(grid, 'AQ==', 'MT');
    expect(density.warnings).toMatchObject([{ code: 'density_mask_skipped' }]);
  });

  test('may run across the 180th meridian', () => {
    const grid = { origin_lat: 70, origin_lon: 174, cell_deg: 0.5, rows: 12, cols: 24 };
    const density = read(grid, filled(grid), 'RU');
    const places = Array.from({ length: 200 }, (_, i) => drawLocation(density, splitSeed(3), i));
    expect(places.every(({ longitude }) => longitude >= -180 && longitude <= 180)).toBe(true);
    expect(new Set(places.map(({ longitude }) => longitude > 0)).size).toBe(2);
  });
});

describe('places', () => {
  test('lie inside the country and its cells', () => {
    const density = read(AUSTRIA, filled(AUSTRIA));
    for (let i = 0; i < 500; i++) {
      const { latitude, longitude } = drawLocation(density, splitSeed(42), i);
      expect(isInsideCountry(density.country, latitude, longitude)).toBe(true);
    }
  });

  test('follow the weights, row 0 in the north', () => {
    const grid = { origin_lat: 48.5, origin_lon: 14, cell_deg: 0.5, rows: 2, cols: 2 };
    const density = read(grid, Uint8Array.from([0, 30, 10, 0]));
    const places = Array.from({ length: 4000 }, (_, i) => drawLocation(density, splitSeed(5), i));
    const northEast = places.filter(({ latitude, longitude }) => latitude > 48 && longitude > 14.5).length;
    const southWest = places.filter(({ latitude, longitude }) => latitude <= 48 && longitude <= 14.5).length;
    expect(northEast + southWest).toBe(4000);
    // Five standard deviations of a binomial draw.
    expect(Math.abs(northEast - 3000)).toBeLessThan(140);
  });
});

test('a cell is drawn as from the cumulative weights of every single cell', () => {
  const grid = { origin_lat: 49.1, origin_lon: 9.4, cell_deg: 0.1, rows: 28, cols: 79 };
  const cells = grid.rows * grid.cols;
  const weights = fc
    .uint8Array({ minLength: cells, maxLength: cells, max: 3 })
    .map((each) => each.fill(0, 300, 1500).with(1200, 1));
  fc.assert(
    fc.property(weights, fc.maxSafeNat(), (weights, number) => {
      const density = read(grid, weights);
      const seed = splitSeed(number);
      const used = [...weights.keys()].filter((cell) => weights[cell] !== 0 && density.drawable.has(cell));
      expect(density.droppedCells).toBe(density.nonzeroCells - used.length);
      let total = 0;
      const ends = used.map((cell) => (total += weights[cell] ?? 0));
      for (let index = 0; index < 20; index++) {
        const share = hashCounter(seed, index, NOISE_CHANNEL.densityCell, 0) / 2 ** 32;
        const cell = used[ends.findIndex((end) => end > Math.floor(share * total))] ?? -1;
        const { latitude, longitude } = drawLocation(density, seed, index);
        const row = Math.floor((grid.origin_lat - latitude) / grid.cell_deg);
        const column = Math.floor((longitude - grid.origin_lon) / grid.cell_deg);
        expect(row * grid.cols + column).toBe(cell);
      }
    }),
  );
});

describe('borders', () => {
  test('know where cities lie', () => {
    const cities = {
      AT: [48.21, 16.37],
      DE: [52.52, 13.4],
      FR: [48.86, 2.35],
      US: [39.1, -94.6],
      LS: [-29.5, 28.2],
      ZA: [-26.2, 28.05],
    };
    for (const [code, [latitude = 0, longitude = 0]] of Object.entries(cities))
      expect(findCountryCodeAt(latitude, longitude)).toBe(code);
    expect(findCountryCodeAt(55.5, 3)).toBeNull();
  });

  test('are right where a country runs across the 180th meridian, and on the other side of the globe', () => {
    const places: readonly (readonly [string | null, number, number])[] = [
      ['RU', 67, 100],
      ['RU', 66.5, 179],
      ['RU', 66.5, -175],
      ['RU', 71.2, -179.5],
      ['SE', 67.85, 20.22],
      ['US', 66, -150],
      ['FJ', -16.6, 179.3],
      ['AQ', -80, 0],
      ['AQ', -89, 120],
      [null, 67, 0],
      [null, 71.2, 0],
      [null, -16.5, -30],
    ];
    for (const [code, latitude, longitude] of places)
      expect([latitude, longitude, findCountryCodeAt(latitude, longitude)]).toEqual([
        latitude,
        longitude,
        code,
      ]);
    for (const code of COUNTRY_CODES) {
      const { ringBoxes = [], box = [] } = findCountry(code) ?? {};
      // Only Antarctica lies all around the globe.
      const widest = Math.max(...ringBoxes.map(([west = 0, , east = 0]) => east - west));
      if (code !== 'AQ') expect([code, widest < 180]).toEqual([code, true]);
      expect((box[2] ?? 0) - (box[0] ?? 0)).toBeLessThanOrEqual(360);
    }
  });

  test('are there for every country, with a box that holds its largest part', () => {
    expect(COUNTRY_CODES.length).toBeGreaterThan(230);
    for (const code of COUNTRY_CODES) {
      const [west = 0, south = 0, east = 0, north = 0] = findCountry(code)?.box ?? [];
      expect(west < east && south < north).toBe(true);
    }
    expect(findCountry('FR')?.box[0]).toBeGreaterThan(-6);
    expect(findCountry('RU')?.box).toEqual([27.351, 41.199, 180, 77.73]);
    expect(findCountry('AQ')?.box).toEqual([-180, -90, 180, -63.226]);
  });
});
