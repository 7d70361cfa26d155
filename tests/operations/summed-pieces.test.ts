// Households that take a thread long are computed in several jobs, from the checkpoints that are stored of them, and no answer tells.
import { buffer } from 'node:stream/consumers';
import { beforeAll, expect, test, vi } from 'vitest';
import type { StreamedBytes } from '../../src/contract/streamed-bytes.ts';
import type { HouseholdSumsQuestion } from '../../src/households/household-sums.ts';
import { getFleetData } from '../../src/operations/fleets/fleet-data.ts';
import { listHouseholdPowers } from '../../src/operations/fleets/household-powers.ts';
import { getHouseholdData } from '../../src/operations/household-data.ts';
import { TABLE_TYPES } from '../../src/presenters/tables.ts';
import type { TableType } from '../../src/presenters/tables.ts';
import { fleetApi } from '../fleets/fleet-api.ts';
import { computeSumsHere, indexesOf } from './own-sums.ts';
import { watchedContext } from './watched-context.ts';

const fleets = fleetApi({ now: new Date('2026-01-15T12:00:00.000Z') });
const DAYS = { from: '2026-01-13T00:00:00Z', to: '2026-01-15T00:00:00Z' };
const COUNT = 4;
/** As long as a job may take at most before it begins another household, and no time at all. */
const [LONG_MS, NO_MS] = [1_000, 0];

let jobId: string;
let orgId: string;
beforeAll(async () => {
  const fleet = await fleets.running({ count: COUNT, history_days: 10, seed: 7, ev_ownership_fraction: 1 });
  [jobId, orgId] = [fleet.job_id as string, fleet.simulation_org_id as string];
});

const contextOf = () => watchedContext(fleets.api, () => undefined);
const computeHere = (householdMs: number) => computeSumsHere(fleets.api.services.compute, householdMs);

async function readTable(answerType: TableType): Promise<Buffer> {
  const context = contextOf();
  const { body } = await getFleetData(context, {
    path: { org_id: context.orgId, job_id: jobId },
    query: DAYS,
    headers: {},
    body: undefined,
    answerType,
  });
  return buffer((body as StreamedBytes).parts);
}

async function readPowers() {
  const day = { from: new Date(DAYS.from), to: new Date(DAYS.to) };
  return (await listHouseholdPowers(contextOf(), { jobId, ...day })).households;
}

test.each(TABLE_TYPES)(
  '%s is the same to the byte where each household is a job in a turn of its own',
  async (type) => {
    const whole = computeHere(NO_MS);
    const atOnce = await readTable(type);
    expect(whole.map(indexesOf)).toEqual([0, 1].map(() => [0, 1, 2, 3]));
    vi.restoreAllMocks();
    const pieces = computeHere(LONG_MS);
    const turns = vi.spyOn(fleets.api.services.compute, 'inTurn');
    expect(await readTable(type)).toEqual(atOnce);
    expect(atOnce.length).toBeGreaterThan(5_000);
    expect(pieces.map(indexesOf)).toEqual([0, 1].flatMap(() => [[0, 1, 2, 3], [1, 2, 3], [2, 3], [3]]));
    // One to open the households, one for each job, and one to write each part.
    expect(turns).toHaveBeenCalledTimes(1 + 2 * COUNT + 2);
  },
);

test('the powers of households are the same', async () => {
  computeHere(NO_MS);
  const atOnce = await readPowers();
  vi.restoreAllMocks();
  const pieces = computeHere(LONG_MS);
  const turns = vi.spyOn(fleets.api.services.compute, 'inTurn');
  expect(await readPowers()).toEqual(atOnce);
  expect(atOnce.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  expect(pieces.map(indexesOf)).toEqual([[0, 1, 2, 3], [1, 2, 3], [2, 3], [3]]);
  expect(turns).toHaveBeenCalledTimes(1 + COUNT);
});

test('jobs get the checkpoints that are stored of their households, each its own', async () => {
  const { db } = fleets.api;
  const stored = await db
    .selectFrom('household_checkpoints')
    .selectAll()
    .where('org_id', '=', orgId)
    .orderBy('household_index')
    .execute();
  expect(stored).toHaveLength(COUNT);
  await db
    .deleteFrom('household_checkpoints')
    .where('org_id', '=', orgId)
    .where('household_index', '=', 2)
    .execute();
  const left = stored.map((row) => (row.household_index === 2 ? null : row));
  const questions = computeHere(NO_MS);
  await readTable('text/csv');
  await readPowers();
  expect(questions.map(checkpointsOf)).toEqual([left, left, left]);
  for (const { userId } of await readPowers()) await readHome(userId);
  expect(questions.slice(4).map(checkpointsOf)).toEqual(left.map((checkpoint) => [checkpoint]));
});

const checkpointsOf = ({ checkpoints }: HouseholdSumsQuestion) => JSON.parse(checkpoints) as unknown;

/** One day of the household of a user. */
async function readHome(userId: string): Promise<void> {
  const { body } = await getHouseholdData(
    { ...contextOf(), orgId },
    {
      path: { org_id: orgId, user_id: userId },
      query: { ...DAYS, from: '2026-01-14T00:00:00Z' },
      headers: {},
      body: undefined,
      answerType: 'application/json',
    },
  );
  await buffer((body as StreamedBytes).parts);
}
