// Definitions that mean harm or nonsense: each with the one place that has to be named. The same on every run.
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { hashCounter, splitSeed } from '../../src/simulation/kernel/noise.ts';

export interface Hostile {
  readonly title: string;
  /** The body as it is sent. */
  readonly text: string;
  readonly pointer: string;
}

type Fields = Readonly<Record<string, unknown>>;

const request_id = '3b241101-e2bb-4255-8caf-4136c566a962';
const seed = splitSeed(2026);
let draws = 0;
/** A whole number from 0 to below `limit`, from the seed. */
const draw = (limit: number): number => hashCounter(seed, 0, 0, draws++) % limit;
const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => 1 + draw(255)));

const hostile = (title: string, pointer: string, fields: Fields): Hostile => ({
  title,
  pointer,
  text: JSON.stringify({ request_id, ...fields }),
});
/** A number as only text can have it. */
const written = (title: string, pointer: string, json: string): Hostile => ({
  title,
  pointer,
  text: `{"request_id": "${request_id}", ${json}}`,
});

const grid = { origin_lat: 48.4, origin_lon: 16.2, cell_deg: 0.2, rows: 2, cols: 3 };
const around = {
  country: 'AT',
  dataset_version: 'v1',
  boundary_version: 'natural-earth-4.1-50m',
  grid,
  weights: 'ACgKFP88',
};
const raster = (title: string, pointer: string, change: Fields): Hostile =>
  hostile(`raster ${title}`, `/density${pointer}`, { density: { ...around, ...change } });
const packers = { gzip: gzipSync, zlib: deflateSync, deflate: deflateRawSync } as const;

function* rasters(): Generator<Hostile> {
  const bombs = [Buffer.alloc(64 * 1024 * 1024), Buffer.alloc(16_000_001, 7), Buffer.alloc(70_000, 9)];
  for (const [name, pack] of Object.entries(packers)) {
    for (const bomb of bombs) {
      const weights = pack(bomb, { level: 1 }).toString('base64');
      if (weights.length > 340_000) continue;
      yield raster(`${name} of ${bomb.length} bytes for 6 cells`, '/weights', { weights });
      const huge = { ...grid, cell_deg: 0.001, rows: 4000, cols: 4000 };
      if (bomb.length === 16_000_001) {
        yield raster(`${name} of one byte too much for 4000 x 4000`, '/weights', { weights, grid: huge });
      }
    }
    const packed = pack(bytes(6));
    const cut = packed.subarray(0, packed.length - 1 - draw(4));
    if (name !== 'deflate') yield raster(`${name} cut off`, '/weights', { weights: cut.toString('base64') });
    const broken = Buffer.from(pack(bytes(4000)));
    broken.fill(draw(256), 12, 400);
    yield raster(`${name} with a hole`, '/weights', { weights: broken.toString('base64') });
    yield raster(`${name} of ${name}`, '/weights', { weights: pack(packed).toString('base64') });
    yield raster(`${name} of nothing`, '/weights', { weights: pack(Buffer.alloc(0)).toString('base64') });
    yield raster(`${name} of zeros`, '/weights', { weights: pack(Buffer.alloc(6)).toString('base64') });
  }
  for (const length of [5, 7, 60, 1000, 200_000]) {
    yield raster(`of ${length} raw bytes for 6`, '/weights', { weights: bytes(length).toString('base64') });
  }
  for (const weights of [
    'ACgK====',
    'AC gKFP8',
    'ACgKFP8',
    '\u00e4'.repeat(8),
    'A=CgKFP8',
    '<svg/>AA',
    'ACgKF',
  ]) {
    yield raster(`in ${JSON.stringify(weights)}`, '/weights', { weights });
  }
  yield raster('too short', '/weights', { weights: 'ACg' });
  yield raster('too long', '/weights', { weights: 'A'.repeat(340_004) });
  yield raster('as a list', '/weights', { weights: [0, 1, 2, 3, 4, 5] });
  for (const [name, values] of Object.entries({
    rows: [0, -1, 4001, 1.5, 2 ** 53, '2', null],
    cols: [0, -3, 4001, 2.5, 1e300, true],
    cell_deg: [0, -0.2, 1e308, '0.2', null],
    origin_lat: [91, -91, 1e20, '48', []],
    origin_lon: [181, -181, -1e20, {}],
  })) {
    for (const value of values) {
      const change = { grid: { ...grid, [name]: value } };
      yield raster(`with ${name} ${JSON.stringify(value)}`, `/grid/${name}`, change);
    }
  }
  yield raster('below the south pole', '/grid', { grid: { ...grid, origin_lat: -89.9 } });
  yield raster('in the Pacific', '/grid', { grid: { ...grid, origin_lon: -140 } });
  yield raster('upside down', '/grid', { grid: { ...grid, origin_lat: 46.3, origin_lon: 9 } });
  for (const country of ['XX', 'ZZ', 'EU', 'QQ']) yield raster(`of ${country}`, '/country', { country });
  for (const country of ['at', 'AUT', '', '\u0000\u0000', 'A'.repeat(100_000), 40]) {
    yield raster(`of country ${JSON.stringify(country).slice(0, 20)}`, '/country', { country });
  }
  for (const version of ['../etc/passwd', '', 'v'.repeat(129), '$(id)']) {
    yield raster(`named ${version.slice(0, 20)}`, '/dataset_version', { dataset_version: version });
  }
}

const numbers = {
  count: [0, 1001, 0.5, '10', [], 1e21],
  seed: [-1, 2 ** 53, 1.5, '42', {}],
  history_days: [-1, 91, 0.1, true],
  ev_ownership_fraction: [-0.01, 1.01, '0.5', []],
  pv_rating_kw: [-1, 100.001, '5'],
  battery_capacity_kwh: [0, -1, 1000.5, false],
  max_charge_power_w: [0, 100_001, 1.5],
  max_discharge_power_w: [0, -5, 1e9],
  initial_soc_percent: [4.99, 100.01, '50'],
  annual_consumption_kwh: [0, 100_001, '4000'],
  annual_consumption_with_ev_kwh: [0.5, 1e6, []],
} as const;

function* numbersAndTexts(): Generator<Hostile> {
  for (const [name, values] of Object.entries(numbers)) {
    for (const value of values)
      yield hostile(`${name} ${JSON.stringify(value)}`, `/${name}`, { [name]: value });
    // JSON has no NaN or Infinity, but a number too large becomes one.
    for (const text of ['1e999', '-1e999', '"NaN"', '"Infinity"']) {
      yield written(`${name} ${text}`, `/${name}`, `"${name}": ${text}`);
    }
  }
  for (const [name, pointer] of [
    ['latitude', '/latitude'],
    ['longitude', '/longitude'],
  ] as const) {
    const other = name === 'latitude' ? 'longitude' : 'latitude';
    for (const text of ['1e999', '-1e999', '181', '"8"', '[8]']) {
      yield written(`${name} ${text}`, pointer, `"${name}": ${text}, "${other}": 8`);
    }
    yield hostile(`${name} alone`, `/${other}`, { [name]: 8 });
  }
  for (const name of ['', ' ', '\n\t', 'n'.repeat(121), 'n'.repeat(900_000), 7, ['n'], '\u0000']) {
    yield hostile(`name ${JSON.stringify(name).slice(0, 12)}`, '/name', { name });
  }
  for (const history_cutoff of [
    ...['yesterday', '2026-02-30', '2026-13-01T00:00:00Z', '+275760-09-13T00:00:00Z', '2026-06-01T25:00:00Z'],
    ...['9999-12-31', '1969-12-31T23:59:59Z', '1970-01-01T00:00:00+00:15', '', '9'.repeat(500_000)],
  ]) {
    yield hostile(`cutoff ${history_cutoff.slice(0, 24)}`, '/history_cutoff', { history_cutoff });
  }
  for (const id of ['', 'x', '0'.repeat(36), `{${request_id}}`, 'a'.repeat(500_000), 5, null]) {
    yield hostile(`request id ${String(id).slice(0, 12)}`, '/request_id', { request_id: id });
  }
  for (const name of ['__proto__', 'constructor', 'toString', 'a/b', 'a~b', '']) {
    const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    yield written(`property ${name}`, pointer, `${JSON.stringify(name)}: {"count": 1}`);
  }
  for (const name of ['pv_rating_kw', 'battery_capacity_kwh', 'initial_soc_percent', 'max_charge_power_w']) {
    const pointer = `/${name}_range`;
    yield hostile(`${name} backwards`, pointer, { [`${name}_range`]: { min: 9 + draw(20), max: draw(9) } });
    yield hostile(`${name} without an end`, `${pointer}/max`, { [`${name}_range`]: { min: 5 } });
    yield hostile(`${name} as a pair`, pointer, { [`${name}_range`]: [5, 9] });
    yield written(`${name} up to 1e999`, `${pointer}/max`, `"${name}_range": {"min": 5, "max": 1e999}`);
  }
}

const only = (...groups: readonly Fields[]): Fields => ({ groups });
const ten = Array.from({ length: 10 }, () => 1);

function* groups(): Generator<Hostile> {
  for (const [title, pointer, fields] of [
    ['count and percentage', '/groups/0', only({ name: 'A', count: 1, percentage: 5 })],
    ['more than the fleet', '/groups', { count: 5, ...only({ name: 'A', count: 6 }) }],
    ['more than all', '/groups', only({ name: 'A', percentage: 70 }, { name: 'B', percentage: 31 })],
    ['nobody', '/groups', only({ name: 'A', count: 0 }, { name: 'B', count: 0 })],
    ['too many', '/groups', only({ name: 'A', count: 1000 }, { name: 'B', count: 1 })],
    ['the same name', '/groups/1/name', only({ name: 'A' }, { name: 'A' })],
    ['the name of the rest', '/groups/0/name', only({ name: 'default', percentage: 50 })],
    ['a named profile mixed', '/groups/0/weights', only({ name: 'A', profile: 'home_office', weights: ten })],
    ['weights of zero', '/groups/0/weights', only({ name: 'A', weights: ten.map(() => 0) })],
    ['nine weights', '/groups/0/weights', only({ name: 'A', weights: ten.slice(1) })],
    [
      'a million weights',
      '/groups/0/weights',
      only({ name: 'A', weights: Array.from({ length: 200_000 }, () => 1) }),
    ],
    ['a negative weight', '/groups/0/weights/4', only({ name: 'A', weights: ten.with(4, -1) })],
    [
      'less with a vehicle',
      '/groups/0/annual_consumption_with_ev_kwh',
      only({ name: 'A', annual_consumption_kwh: 5000, annual_consumption_with_ev_kwh: 4999 }),
    ],
    [
      'less with a vehicle than the fleet',
      '/groups/0/annual_consumption_with_ev_kwh',
      { annual_consumption_kwh: 5000, ...only({ name: 'A', annual_consumption_with_ev_kwh: 100 }) },
    ],
    ['an unknown profile', '/groups/0/profile', only({ name: 'A', profile: 'castle' })],
    ['no name', '/groups/0/name', only({})],
    ['a long name', '/groups/0/name', only({ name: 'A'.repeat(129) })],
    ['a list as a group', '/groups/0', { groups: [[]] }],
    ['null as a group', '/groups/0', { groups: [null] }],
    ['an object of groups', '/groups', { groups: { name: 'A' } }],
    ['a group in a group', '/groups/0/groups', only({ name: 'A', groups: [] })],
    ['101 groups', '/groups', only(...Array.from({ length: 101 }, (_, i) => ({ name: `G${i}` })))],
    ['60,000 groups', '/groups', only(...Array.from({ length: 60_000 }, () => ({ name: 'A' })))],
  ] as const) {
    yield hostile(`groups with ${title}`, pointer, fields);
  }
  for (const depth of [10, 50]) {
    const nest = '['.repeat(depth) + ']'.repeat(depth);
    yield written(`a group ${depth} deep`, '/groups/0', `"groups": [${nest}]`);
    yield written(`a name ${depth} deep`, '/name', `"name": ${nest}`);
  }
  for (const [name, texts] of Object.entries({
    percentage: ['-1', '100.5', '1e999'],
    count: ['-1', '0.5', '1e999'],
    max_time_shift_minutes: ['-1', '181', '1.5'],
    variation_fraction: ['-0.1', '0.51', '1e999'],
  })) {
    for (const text of texts) {
      yield written(
        `group ${name} ${text}`,
        `/groups/0/${name}`,
        `"groups": [{"name": "A", "${name}": ${text}}]`,
      );
    }
  }
}

/** Bodies that are nested deeper than any is read. */
export const deepDefinitions: readonly Omit<Hostile, 'pointer'>[] = [100, 5_000, 200_000].flatMap((depth) => {
  const nest = '['.repeat(depth) + ']'.repeat(depth);
  return [
    written(`a group ${depth} deep`, '', `"groups": [${nest}]`),
    written(`a name ${depth} deep`, '', `"name": ${nest}`),
  ];
});

export const hostileDefinitions: readonly Hostile[] = [...rasters(), ...numbersAndTexts(), ...groups()];
