// Sums of a fleet are read in the turns of their partner: who waits for one, or is refused, costs the database nothing.
import { text } from 'node:stream/consumers';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { StreamedBytes } from '../../src/contract/streamed-bytes.ts';
import { OverlongComputation } from '../../src/domain/api/overlong-computation.ts';
import { Problem } from '../../src/domain/api/problem.ts';
import type { Context } from '../../src/operations/context.ts';
import { getFleetData } from '../../src/operations/fleets/fleet-data.ts';
import { listHouseholdPowers } from '../../src/operations/fleets/household-powers.ts';
import { fleetApi } from '../fleets/fleet-api.ts';
import { until } from '../process/partner.ts';
import { watchedContext } from './watched-context.ts';

const fleets = fleetApi({ now: new Date('2026-01-15T12:00:00.000Z') });
const DAY = { from: '2026-01-14T00:00:00Z', to: '2026-01-15T00:00:00Z' };
/** Callers of one partner that wait for its turn; one more is refused. */
const MAX_WAITING = 8;

let jobId: string;
beforeAll(async () => {
  const fleet = await fleets.running({ count: 3, history_days: 3 });
  jobId = fleet.job_id as string;
});

const readSums = (context: Context): Promise<unknown> =>
  getFleetData(context, {
    path: { org_id: context.orgId, job_id: jobId },
    query: DAY,
    headers: {},
    body: undefined,
    answerType: 'application/json',
  });

const readPowers = (context: Context): Promise<unknown> =>
  listHouseholdPowers(context, { jobId, from: new Date(DAY.from), to: new Date(DAY.to) });

/** Asks; `reads` tells what of the fleet's households was read meanwhile. */
function begin(read: (context: Context) => Promise<unknown>) {
  const reads: string[] = [];
  const context = watchedContext(fleets.api, (rows) => {
    for (const [column, name] of [
      ['endIndex', 'number'],
      ['household_index', 'page'],
    ] as const)
      if (rows.some((row) => column in row)) reads.push(name);
  });
  return { reads, answer: read(context) };
}

/** What two days sum up to, in two parts. */
async function readLines(): Promise<string> {
  const context = watchedContext(fleets.api, () => undefined);
  const { body } = await getFleetData(context, {
    path: { org_id: context.orgId, job_id: jobId },
    query: { from: '2026-01-13T00:00:00Z', to: DAY.to },
    headers: {},
    body: undefined,
    answerType: 'text/csv',
  });
  return text((body as StreamedBytes).parts);
}

test('a part whose work is refused when it is done is computed anew, and counts once', async () => {
  const quiet = await readLines();
  const { compute } = fleets.api.services;
  const inTurn = compute.inTurn.bind(compute);
  const run = vi.spyOn(compute, 'run');
  onTestFinished(() => void vi.restoreAllMocks());
  const countJobs = (): number => run.mock.calls.filter(([, name]) => name === 'sumHouseholds').length;
  let refusals = 0;
  vi.spyOn(compute, 'inTurn').mockImplementation(async (partnerId, work) => {
    const before = countJobs();
    const result = await inTurn(partnerId, work);
    // The first job computes the first part, which may be refused for good.
    if (before === 0 || countJobs() === before || refusals > 0) return result;
    refusals += 1;
    throw new Problem('overloaded', 'The turn is over.');
  });
  expect(await readLines()).toBe(quiet);
  expect([refusals, countJobs()]).toEqual([1, 3]);
});

test('a part that took too long is not computed again', async () => {
  const { compute } = fleets.api.services;
  const run = compute.run.bind(compute);
  onTestFinished(() => void vi.restoreAllMocks());
  let jobs = 0;
  vi.spyOn(compute, 'run').mockImplementation((partnerId, name, input) => {
    if (name === 'sumHouseholds') jobs += 1;
    return jobs < 2
      ? run(partnerId, name, input)
      : Promise.reject(new OverlongComputation(30_000, undefined));
  });
  await expect(readLines()).rejects.toThrow(OverlongComputation);
  expect(jobs).toBe(2);
});

/** Takes turns of the partner or gets in line for them, until they are ended; `begun` resolves when the first of them is taken. */
function takeTurns(count: number) {
  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<undefined>();
  const { services, own } = fleets.api;
  const turns = Array.from({ length: count }, () =>
    services.compute.inTurn(own.admin.orgId, () => {
      begin(undefined);
      return ended;
    }),
  );
  return {
    begun,
    end: () => {
      end(undefined);
      return Promise.all(turns);
    },
  };
}

test.each([
  ['sums', readSums],
  ['powers of households', readPowers],
])('%s: who waits for a turn, or is refused it, has not read what the turn is for', async (_, read) => {
  const { compute } = fleets.api.services;
  const isWaiting = (): Promise<number> => until(() => compute.usage.turns.waiting, Boolean);
  const taken = takeTurns(1 + MAX_WAITING);
  const refused = begin(read);
  await expect(refused.answer).rejects.toMatchObject({ code: 'overloaded' });
  expect(refused.reads).toEqual([]);
  await taken.end();

  const first = takeTurns(1);
  const answered = begin(read);
  await isWaiting();
  const second = takeTurns(1);
  await first.end();
  await second.begun;
  await isWaiting();
  expect(answered.reads).toEqual(['number']);
  await second.end();
  await answered.answer;
  expect(answered.reads).toEqual(['number', 'page']);
});
