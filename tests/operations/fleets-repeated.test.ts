// A creation with a density that is repeated costs no computation, and a wrong one is refused as ever.
import { randomUUID } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { ComputePool } from '../../src/compute/pool.ts';
import { fleetApi } from '../fleets/fleet-api.ts';

class CountingPool extends ComputePool {
  jobs = 0;

  override run: ComputePool['run'] = (...job) => {
    this.jobs += 1;
    return super.run(...job);
  };
}

const compute = new CountingPool({ threads: 1 });
const fleets = fleetApi({ services: { compute } });
afterAll(() => compute.stop());
beforeEach(() => {
  compute.jobs = 0;
});

const definition = (requestId: string, weight = 1) => ({
  request_id: requestId,
  count: 3,
  density: {
    country: 'DE',
    dataset_version: '1',
    boundary_version: '1',
    grid: { origin_lat: 52, origin_lon: 10, cell_deg: 0.01, rows: 20, cols: 20 },
    weights: deflateRawSync(Buffer.alloc(400, weight)).toString('base64'),
  },
});

test('the same bytes again get the same answer, and nothing is computed', async () => {
  const body = definition(randomUUID());
  const first = await fleets.create(body);
  expect(first.status).toBe(200);
  expect(compute.jobs).toBe(1);
  const repeats = await Promise.all([fleets.create(body), fleets.create(body), fleets.create(body)]);
  expect(repeats.map((answer) => answer.body)).toEqual([first.body, first.body, first.body]);
  expect(compute.jobs).toBe(1);
  expect(compute.usage.turns.held).toBe(0);
});

test('the same in other bytes is read, and answered the same; something else is refused', async () => {
  const requestId = randomUUID();
  const first = await fleets.create(definition(requestId));
  const { count, ...others } = definition(requestId);
  expect((await fleets.create({ ...others, count })).body).toEqual(first.body);
  expect(compute.jobs).toBe(2);
  const other = await fleets.create(definition(requestId, 2));
  expect(other).toMatchObject({ status: 422, body: { errors: [{ code: 'request_id_reused' }] } });
});

test('of a fleet that was purged the same bytes are answered 410', async () => {
  const body = definition(randomUUID());
  const { job_id } = (await fleets.create(body)).body;
  await fleets.act('cancelFleet', job_id as string);
  await fleets.act('purgeFleet', job_id as string);
  await fleets.runner.processAll();
  expect(await fleets.create(body)).toMatchObject({ status: 410, body: { code: 'request_purged' } });
});
