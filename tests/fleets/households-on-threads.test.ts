import { expect, test } from 'vitest';
import { OverlongComputation } from '../../src/domain/api/overlong-computation.ts';
import { Problem } from '../../src/domain/api/problem.ts';
import { countCalls } from '../support/call-counts.ts';
import { fleetApi } from './fleet-api.ts';

const fleets = fleetApi();

const density = {
  country: 'AT',
  dataset_version: '1',
  boundary_version: '1',
  grid: { origin_lat: 48, origin_lon: 14, cell_deg: 1, rows: 1, cols: 3 },
  weights: Buffer.from([1, 2, 3]).toString('base64'),
};

async function listLocations(jobId: string): Promise<unknown[]> {
  const devices = await fleets.locations(jobId);
  return devices.map(({ latitude, longitude }) => [latitude, longitude]);
}

test('households that a thread computes are those that the runner would, and the loop prepares no density', async () => {
  const here = await fleets.running({ count: 5, seed: 3, density });
  const { body: there } = await fleets.create({ count: 5, seed: 3, density });
  const runner = fleets.anotherRunner({ buildHouseholds: fleets.buildOnThread });
  const prepared = await countCalls('definition/density.ts', () => runner.processAll());
  await runner.destroy();
  expect(prepared.get('prepareDensity') ?? 0).toBe(0);
  expect((await fleets.get(there.job_id)).status).toBe('running');
  const locations = await listLocations(there.job_id as string);
  expect(locations.length).toBeGreaterThan(0);
  expect(locations).toEqual(await listLocations(here.job_id as string));
});

test('a fleet for which no thread is free waits, and is built later', async () => {
  const { body } = await fleets.create({ count: 3, seed: 3 });
  let refusals = 1;
  const runner = fleets.anotherRunner({
    buildHouseholds: (partnerId, question) =>
      refusals-- > 0
        ? Promise.reject(new Problem('overloaded', 'No thread is free.'))
        : fleets.buildOnThread(partnerId, question),
  });
  await runner.processAll();
  expect((await fleets.get(body.job_id)).status).toBe('provisioning');
  expect(fleets.errors.splice(0)).toMatchObject([{ code: 'overloaded' }]);
  fleets.api.clock.advance(1_000);
  await runner.processAll();
  await runner.destroy();
  expect(await fleets.get(body.job_id)).toMatchObject({ status: 'running', progress: { created: 3 } });
});

test('a fleet whose households take too long three times has failed, and its record says why', async () => {
  const { body } = await fleets.create({ count: 3, seed: 3 });
  const runner = fleets.anotherRunner({
    buildHouseholds: () => Promise.reject(new OverlongComputation(15_000, undefined)),
  });
  const statuses: unknown[] = [];
  for (let round = 0; round < 3; round += 1) {
    await runner.processAll();
    statuses.push((await fleets.get(body.job_id)).status);
    fleets.api.clock.advance(1_000);
  }
  await runner.destroy();
  expect(statuses).toEqual(['provisioning', 'provisioning', 'failed']);
  expect(fleets.errors.splice(0)).toHaveLength(3);
  expect((await fleets.get(body.job_id)).error).toBe(
    'The households could not be created. The computation took more than 15 s and was ended; repeat it later, or ask for less.',
  );
});
