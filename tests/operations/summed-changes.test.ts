// What was asked of many households goes to threads in pieces, whatever was asked, and no answer tells.
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { beforeAll, expect, test, vi } from 'vitest';
import { loadControls } from '../../src/households/household-controls.ts';
import type { Context } from '../../src/operations/context.ts';
import { requireFleet } from '../../src/operations/fleets/fleet-access.ts';
import { openHouseholds } from '../../src/operations/fleets/fleet-data.ts';
import { listHouseholdPowers } from '../../src/operations/fleets/household-powers.ts';
import { CHANGES_PER_JOB } from '../../src/operations/household-pages.ts';
import { streamPeriods } from '../../src/operations/summed-data.ts';
import type { SummedHouseholds } from '../../src/operations/summed-data.ts';
import { toSummedTable } from '../../src/operations/summed-tables.ts';
import { readHouseholdPage } from '../../src/queries/fleets/household-pages.ts';
import { fleetApi } from '../fleets/fleet-api.ts';
import { askOften } from '../support/asked-often.ts';
import { computeSumsHere, indexesOf } from './own-sums.ts';
import { watchedContext } from './watched-context.ts';

const NOW = new Date('2026-01-15T12:00:00.000Z');
const fleets = fleetApi({ now: NOW });
const COUNT = 12;
const DAY = { from: new Date('2026-01-14T00:00:00Z'), to: new Date('2026-01-15T00:00:00Z') };

let jobId: string;
let orgId: string;
/** What was asked of each household, by its index. */
let versions: readonly number[];

beforeAll(async () => {
  const fleet = await fleets.running({ count: COUNT, history_days: 3, seed: 7, ev_ownership_fraction: 1 });
  [jobId, orgId] = [fleet.job_id as string, fleet.simulation_org_id as string];
  const { db } = fleets.api;
  const pumps = (await fleets.devices(jobId)).filter(({ device_type }) => device_type === 'heat_pump');
  for (const { device_id } of pumps.slice(0, 2))
    await askOften(db, { orgId, deviceId: device_id as string }, NOW);
  // As if something that has ended since had been asked of each, of one of them more than of all of a job.
  await sql`update households set control_version = control_version + 900 + 50 * household_index + 3000 * (household_index = 5)::integer
    where org_id = ${orgId}`.execute(db);
  const rows = await db
    .selectFrom('households')
    .select('control_version')
    .where('org_id', '=', orgId)
    .orderBy('household_index')
    .execute();
  versions = rows.map((row) => row.control_version);
});

/** The fleet's households, as they are read for an answer and all in one page. */
async function openPages(context: Context) {
  const fleet = await requireFleet(context.db, context.orgId, jobId);
  const filter = { orgId, group: undefined };
  const { span, households } = await openHouseholds(context, fleet, filter, DAY);
  if (households === undefined) throw new Error('The fleet has no households.');
  const bounds = { end: COUNT, limit: 250, changes: 1_000_000_000 };
  const readPage = (from: number) => readHouseholdPage(context.db, filter, { from, ...bounds });
  return { span, households, whole: { ...households, readPage } };
}

const contextOf = () => watchedContext(fleets.api, () => undefined);

/** The indexes of the households of each job that is done meanwhile, as if none took any time. */
async function listJobs(work: () => Promise<unknown>): Promise<number[][]> {
  const questions = computeSumsHere(fleets.api.services.compute, 0);
  await work();
  return questions.map(indexesOf);
}

/** Whether the jobs have all households in order, each as many as it may have, and none more. */
function expectBounded(jobs: readonly (readonly number[])[]): void {
  expect(jobs.flat()).toEqual(versions.map((_, index) => index));
  const sumOf = (indexes: readonly number[]): number =>
    indexes.reduce((sum, index) => sum + (versions[index] ?? NaN), 0);
  for (const [at, job] of jobs.entries()) {
    if (job.length > 1) expect(sumOf(job)).toBeLessThanOrEqual(CHANGES_PER_JOB);
    const next = jobs[at + 1]?.slice(0, 1);
    if (next !== undefined) expect(sumOf([...job, ...next])).toBeGreaterThan(CHANGES_PER_JOB);
  }
  expect(jobs).toContainEqual([5]);
  expect(jobs.length).toBeGreaterThan(3);
}

test('the sums of a fleet are computed of households of whom 3,000 things were asked together, and are those of all', async () => {
  const context = contextOf();
  const { span, households, whole } = await openPages(context);
  const table = { of: 'fleet', type: 'application/json', metadata: {} } as const;
  const sum = async (of: SummedHouseholds) =>
    text((await toSummedTable(context, table, streamPeriods(context, of, span, '15MIN'))).parts);
  let inPieces = '';
  expectBounded(await listJobs(async () => (inPieces = await sum(households))));
  vi.restoreAllMocks();
  const atOnce = await listJobs(async () => expect(await sum(whole)).toBe(inPieces));
  expect(atOnce).toHaveLength(1);
  expect(inPieces).toContain('smallest_user_id');
});

test('the powers of its households too', async () => {
  const context = contextOf();
  let inPieces: readonly number[][] = [];
  const jobs = await listJobs(async () => {
    const { households } = await listHouseholdPowers(context, { jobId, ...DAY });
    inPieces = households.map(({ powers }) => [...powers]);
  });
  expectBounded(jobs);
  const { span, households, whole } = await openPages(context);
  const { attributes, checkpoints, households: rows } = await whole.readPage(0);
  const { prices } = households;
  const controls = await loadControls(context.db, prices.partnerId, rows);
  const question = { orgId, attributes, checkpoints, prices, controls, span, quarters: 1, now: context.now };
  const { compute } = fleets.api.services;
  const powers = await compute.run(context.actor.partnerId, 'listHouseholdPowers', question);
  expect(inPieces.flat()).toEqual([...powers]);
});
