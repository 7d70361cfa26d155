import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { toJsonBytes } from '../../src/contract/json-bytes.ts';
import { answerPreview, readNewFleet } from '../../src/compute/fleet-definition.ts';
import { fleetApi } from '../fleets/fleet-api.ts';
import { countCalls } from '../support/call-counts.ts';

const fleets = fleetApi();

/** A raster over Austria: three cells of a degree, raw. */
const density = {
  country: 'AT',
  dataset_version: '1',
  boundary_version: '1',
  grid: { origin_lat: 48, origin_lon: 14, cell_deg: 1, rows: 1, cols: 3 },
  weights: Buffer.from([1, 2, 3]).toString('base64'),
};

test('a density is decoded on a thread, and prepared once by the runner', async () => {
  let jobId = '';
  const create = async (): Promise<void> => {
    const created = await fleets.create({ count: 300, density });
    expect(created.status).toBe(200);
    jobId = created.body.job_id as string;
  };
  expect((await countCalls('definition/density-weights.ts', create)).get('decodeDensityWeights') ?? 0).toBe(
    0,
  );

  const provision = (): Promise<void> => fleets.runner.processAll();
  const prepared = await countCalls('definition/density.ts', provision);
  expect((await fleets.get(jobId)).status).toBe('running');
  // Two batches of households, one preparation of what is stored.
  expect(prepared.get('prepareDensity')).toBe(1);
  expect(prepared.get('decodeDensity') ?? 0).toBe(0);
});

test('a density is stored as it was sent', async () => {
  const packed = gzipSync(Buffer.alloc(1_000 * 1_000, 1));
  const grid = { origin_lat: 48, origin_lon: 14, cell_deg: 0.001, rows: 1_000, cols: 1_000 };
  const sent = { ...density, grid, weights: packed.toString('base64') };
  const { body } = await fleets.create({ count: 2, density: sent });
  const { rows } = await sql<{ density_weights: Buffer }>`
    select density_weights from fleets where id = ${body.job_id}
  `.execute(fleets.api.db);
  expect(rows).toEqual([{ density_weights: packed }]);
  await fleets.runner.processAll();
  const locations = await fleets.locations(body.job_id as string);
  expect(locations.map(({ source }) => source)).toEqual(['density', 'density']);
});

test('a preview does not decode a density on the event loop', async () => {
  const preview = async (): Promise<void> => {
    const body = { request_id: 'b9a1d5c0-23f1-4a62-9f0b-3f5a7f3b8c11', count: 3, density };
    expect((await fleets.api.call('previewFleet', { body })).status).toBe(200);
  };
  expect((await countCalls('definition/density-weights.ts', preview)).get('decodeDensityWeights') ?? 0).toBe(
    0,
  );
});

test('a job decodes a density once', async () => {
  const body = { request_id: 'b9a1d5c0-23f1-4a62-9f0b-3f5a7f3b8c11', count: 3, density };
  const input = { pieces: [toJsonBytes(body)], errors: [], now: new Date('2026-06-15T12:00:00Z') };
  const compute = async (): Promise<void> => {
    expect(readNewFleet(input).sentWeights).toEqual(new Uint8Array([1, 2, 3]));
    expect(answerPreview({ ...input, orgId: randomUUID() }).requestId).toBe(body.request_id);
  };
  expect((await countCalls('definition/density-weights.ts', compute)).get('decodeDensityWeights')).toBe(2);
});
