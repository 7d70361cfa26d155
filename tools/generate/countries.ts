/**
 * Writes generated/countries.json: the land polygons of each country, from Natural Earth 4.1 (world-atlas); and
 * generated/ring-boxes.json: {alpha2: [west, south, east, north, west, …]}, the boxes of all rings of each country in thousandths of
 * a degree, by which the country of a place is looked for before any ring is unpacked.
 *
 * `node tools/generate/countries.ts [--check]`. Shape: {boundary_version, countries: {alpha2: {box, rings}}}. `box` is
 * [west, south, east, north] of the largest polygon in degrees, so that overseas parts do not widen it. Each
 * ring is a flat list of longitude and latitude in thousandths of a degree, each pair relative to the one
 * before. Small countries are taken from the 1:10m set, all others from 1:50m. Rings that run across the
 * antimeridian are cut there, so that each can be read on the plane.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { iso1A2Code } from '@rapideditor/country-coder';
import type { MultiPolygon, Polygon } from 'geojson';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { writeOrCheckFiles } from './files.ts';
import { cutAtAntimeridian } from './antimeridian.ts';
import type { Ring } from './antimeridian.ts';

const UNITS_PER_DEGREE = 1000;
/** Area in square degrees below which the finer set is used (about 50 km by 50 km). */
const SMALL_AREA = 0.25;

interface Country {
  readonly polygons: readonly (readonly Ring[])[];
}

const require = createRequire(import.meta.url);

function readCountries(set: string): Map<string, Country> {
  const topology = JSON.parse(readFileSync(require.resolve(`world-atlas/${set}.json`), 'utf8')) as Topology;
  const collection = feature(topology, topology.objects['countries'] as GeometryCollection<{ name: string }>);
  const countries = new Map<string, Country>();
  for (const { id, geometry, properties } of collection.features) {
    // Kosovo has no numeric code in the set; XK is the code in use for it.
    const code = id === undefined ? (properties.name === 'Kosovo' ? 'XK' : null) : iso1A2Code(String(id));
    if (!code || (geometry.type !== 'Polygon' && geometry.type !== 'MultiPolygon')) continue;
    const shape: Polygon | MultiPolygon = geometry;
    const whole = shape.type === 'Polygon' ? [shape.coordinates] : shape.coordinates;
    const polygons = whole.flatMap((rings) => cutAtAntimeridian(rings));
    countries.set(code, { polygons: [...(countries.get(code)?.polygons ?? []), ...polygons] });
  }
  return countries;
}

function ringArea(ring: Ring): number {
  let sum = 0;
  for (const [i, [x = 0, y = 0]] of ring.entries()) {
    const [nextX = 0, nextY = 0] = ring[(i + 1) % ring.length] ?? [];
    sum += x * nextY - nextX * y;
  }
  return Math.abs(sum / 2);
}

/** The outline of a polygon: not always its first ring, since the set closes Antarctica at the pole. */
const outline = (polygon: readonly Ring[]): Ring =>
  [...polygon].sort((a, b) => ringArea(b) - ringArea(a))[0] ?? [];
const area = (polygon: readonly Ring[]): number => ringArea(outline(polygon));

function largestBox(country: Country): number[] {
  const [largest = []] = [...country.polygons].sort((a, b) => area(b) - area(a));
  const longitudes = outline(largest).map(([x = 0]) => x);
  const latitudes = outline(largest).map(([, y = 0]) => y);
  const box = [
    Math.min(...longitudes),
    Math.min(...latitudes),
    Math.max(...longitudes),
    Math.max(...latitudes),
  ];
  return box.map((degrees) => Math.round(degrees * UNITS_PER_DEGREE) / UNITS_PER_DEGREE);
}

function packRing(ring: Ring): number[] {
  const packed: number[] = [];
  let lastX = 0;
  let lastY = 0;
  for (const [x = 0, y = 0] of ring.slice(0, -1)) {
    const nextX = Math.round(x * UNITS_PER_DEGREE);
    const nextY = Math.round(y * UNITS_PER_DEGREE);
    packed.push(nextX - lastX, nextY - lastY);
    lastX = nextX;
    lastY = nextY;
  }
  return packed;
}

/** [west, south, east, north] of a packed ring, in thousandths of a degree. */
function boxOfPacked(packed: readonly number[]): number[] {
  let [x, y] = [0, 0];
  const [xs, ys]: [number[], number[]] = [[], []];
  for (let i = 0; i < packed.length; i += 2) {
    xs.push((x += packed[i] ?? 0));
    ys.push((y += packed[i + 1] ?? 0));
  }
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

interface PackedCountry {
  readonly code: string;
  readonly box: readonly number[];
  readonly rings: readonly (readonly number[])[];
}

function packCountries(): PackedCountry[] {
  const coarse = readCountries('countries-50m');
  const fine = readCountries('countries-10m');
  const codes = [...new Set([...coarse.keys(), ...fine.keys()])].sort();
  return codes.flatMap((code) => {
    const from50m = coarse.get(code);
    const total = from50m?.polygons.reduce((sum, polygon) => sum + area(polygon), 0) ?? 0;
    const country = total < SMALL_AREA ? (fine.get(code) ?? from50m) : from50m;
    if (!country) throw new Error(`no polygons for ${code}`);
    const box = largestBox(country);
    const [west = 0, south = 0, east = 0, north = 0] = box;
    // Vatican City collapses to a line at the resolution of the set.
    if (west >= east || south >= north) return [];
    return [{ code, box, rings: country.polygons.flat().map(packRing) }];
  });
}

/** The whole file of borders as text; deterministic, one line a country. */
function countriesJson(countries: readonly PackedCountry[]): string {
  const lines = countries.map(({ code, box, rings }) => `"${code}":${JSON.stringify({ box, rings })}`);
  return `{"boundary_version":"natural-earth-4.1-50m","countries":{\n${lines.join(',\n')}\n}}\n`;
}

/** The boxes of their rings, likewise. */
function ringBoxesJson(countries: readonly PackedCountry[]): string {
  const lines = countries.map(({ code, rings }) => `"${code}":${JSON.stringify(rings.flatMap(boxOfPacked))}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

if (import.meta.main) {
  const pathOf = (name: string) => fileURLToPath(new URL(`../../generated/${name}`, import.meta.url));
  const countries = packCountries();
  const files = new Map([
    [pathOf('countries.json'), countriesJson(countries)],
    [pathOf('ring-boxes.json'), ringBoxesJson(countries)],
  ]);
  writeOrCheckFiles(files, process.argv.includes('--check'));
}
