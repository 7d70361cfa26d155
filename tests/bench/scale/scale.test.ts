// docs/scale.md says what its script computes, and the script computes what is meant.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GROUPS } from '../../../bench/groups.ts';
import type { Results } from '../../../bench/results.ts';
import { replaceBetween } from '../../../tools/rooms/block.ts';
import { computeDemand } from '../../../bench/scale/demand.ts';
import { ROWS, takeFigures } from '../../../bench/scale/figures.ts';
import type { ScaleFigures } from '../../../bench/scale/figures.ts';
import { findDevicesWithin } from '../../../bench/scale/limits.ts';
import { SCALE_MARKERS } from '../../../bench/scale/markers.ts';
import { measureTables } from '../../../bench/scale/row-sizes.ts';
import { printTables } from '../../../bench/scale/table.ts';
import { root } from '../../readme/document.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';

const planted = JSON.parse(
  readFileSync(join(import.meta.dirname, 'planted-results.json'), 'utf8'),
) as Results;
const kept = JSON.parse(readFileSync(join(root, 'docs/scale-figures.json'), 'utf8')) as ScaleFigures;
const bytesOfRow = Object.fromEntries(Object.keys(kept.bytesOfRow).map((table) => [table, 1000]));
const figures: ScaleFigures = { ...takeFigures([planted]), bytesOfRow };

/** The planted results with other rows or another start. */
function resultsWith(change: Partial<Results>): Results {
  return { ...planted, ...change };
}

describe('the page', () => {
  const page = readFileSync(join(root, 'docs/scale.md'), 'utf8');

  test('has the tables that node bench/scale/main.ts prints from the kept figures', () => {
    expect(replaceBetween(page, SCALE_MARKERS, printTables(kept))).toBe(page);
  });

  test('a page without markers is refused', () => {
    expect(() => replaceBetween('# Scale', SCALE_MARKERS, '')).toThrow('needs the markers');
  });
});

describe('the demand of planted figures', () => {
  test('a million devices', () => {
    const { cores, disk, ...rest } = computeDemand(figures, 1_000_000);
    expect(rest).toEqual({
      devices: 1_000_000,
      homes: expect.closeTo(333_333.33) as number,
      partners: 4,
      requestsPerSecond: expect.closeTo(873.26) as number,
      requestsPerSecondOfPartner: expect.closeTo(261.98) as number,
      eventsPerSecond: expect.closeTo(0.329, 3) as number,
      messagesPerSecond: expect.closeTo(0.987, 3) as number,
      outageMessages: 75_000,
      outageSeconds: 468.75,
      processes: { api: 3, workers: 2 },
      connections: 85,
    });
    expect(cores).toEqual({
      api: expect.closeTo(2.9323, 4) as number,
      workers: expect.closeTo(0.01052, 5) as number,
      database: expect.closeTo(0.5665, 4) as number,
    });
    expect(disk).toEqual({
      total: expect.closeTo(123.7296e9, -6) as number,
      requestLog: expect.closeTo(54.432e9, -6) as number,
      hot: expect.closeTo(6.75e9, -6) as number,
      added: expect.closeTo(43.1477e9, -6) as number,
    });
  });

  test('few devices have two processes of each, and a partner that is not full', () => {
    const demand = computeDemand(figures, 300);
    expect(demand).toMatchObject({ processes: { api: 2, workers: 2 }, connections: 64, outageMessages: 75 });
    expect(demand.requestsPerSecondOfPartner).toBe(demand.requestsPerSecond);
  });

  test('the number of devices within a limit is where the demand reaches it', () => {
    const within = findDevicesWithin(figures, ({ cores }) => cores.api, 1) ?? 0;
    expect(computeDemand(figures, within * 0.98).cores.api).toBeLessThan(1);
    expect(computeDemand(figures, within * 1.02).cores.api).toBeGreaterThan(1);
    expect(findDevicesWithin(figures, () => 0, 1)).toBeUndefined();
  });

  test('a table without a size, and a row that is missing, are told', () => {
    expect(() => computeDemand({ ...figures, bytesOfRow: {} }, 10)).toThrow('lack the table users');
    expect(() => computeDemand({ ...figures, rows: {} }, 10)).toThrow('lack the row');
  });
});

describe('figures of results', () => {
  test('the latest result with a row counts', () => {
    const rows = planted.rows.filter(({ name }) => name === 'POST user');
    const faster = rows.map((row) => ({ ...row, figures: { measured: { median: 2000, noise: 0 } } }));
    const later = resultsWith({ startedAt: '2026-02-01T00:00:00.000Z', rows: faster });
    const taken = takeFigures([later, planted]).rows;
    expect(taken.change).toMatchObject({ median: 2000, measuredOn: '2026-02-01', calibration: 500 });
    expect(taken.userRead).toMatchObject({ median: 1000, measuredOn: '2026-01-01', commit: 'abcdef0' });
  });

  test('a delivery costs what the bench says where a result has its row', () => {
    const [row] = planted.rows;
    const delivery = {
      ...row,
      name: 'deliveries over TLS, processor time of each',
      unit: 'ms',
      figures: { measured: { median: 1000, noise: 0 } },
    } as Results['rows'][number];
    const measured = { ...figures, ...takeFigures([resultsWith({ rows: [...planted.rows, delivery] })]) };
    const [with_, without] = [measured, figures].map((each) => computeDemand(each, 1_000_000).cores.workers);
    expect((with_ ?? 0) - (without ?? 0)).toBeCloseTo(0.98696 * 2 * 0.99974, 3);
  });

  test('the rows that are used are rows of the bench', () => {
    const names = GROUPS.flatMap((group) => group.rows.map(({ name }) => name));
    expect(Object.values(ROWS).filter((name) => !names.includes(name))).toEqual([]);
  });

  test.each([
    ['no result', [], 'of one machine'],
    [
      'another machine',
      [planted, resultsWith({ machine: { ...planted.machine, cores: 8 } })],
      'of one machine',
    ],
    ['changes', [resultsWith({ version: { commit: 'abc', isChanged: true } })], 'no commit has'],
    ['a missing row', [resultsWith({ rows: planted.rows.slice(1) })], 'No result has the row "GET user"'],
  ])('%s: refused', (_, results, reason) => {
    expect(() => takeFigures(results)).toThrow(reason);
  });
});

describe('bytes of a row', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.close());

  test('are those of the schema, to a tenth', async () => {
    const client = await database.pool.connect();
    const sizes = await measureTables(client).finally(() => client.release(true));
    expect(Object.keys(sizes)).toEqual(Object.keys(kept.bytesOfRow));
    for (const [table, bytes] of Object.entries(sizes))
      expect(Math.abs(bytes / (kept.bytesOfRow[table] ?? 0) - 1), table).toBeLessThan(0.1);
  });
});
