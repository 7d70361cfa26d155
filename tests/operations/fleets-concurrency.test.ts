import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { fleetApi } from '../fleets/fleet-api.ts';
import { hashCounter, splitSeed } from '../../src/simulation/kernel/noise.ts';

const fleets = fleetApi();
beforeAll(async () => {
  // What is loaded at the first call is loaded now, so that the operations below meet.
  const { jobId } = await startIn('stopped');
  await fleets.act('cleanupFleet', jobId);
  await fleets.act('purgeFleet', jobId);
});

const OPERATIONS = ['expandFleet', 'stopFleet', 'cancelFleet', 'cleanupFleet', 'purgeFleet'] as const;
type Operation = (typeof OPERATIONS)[number];
const STARTS = ['queued', 'running', 'expanding', 'stopped'] as const;

async function startIn(status: (typeof STARTS)[number]): Promise<{ jobId: string; orgId: string }> {
  const created = await fleets.create({ count: 3 });
  const jobId = created.body.job_id as string;
  if (status !== 'queued') await fleets.runner.processAll();
  if (status === 'expanding') await fleets.expand(jobId, 2);
  if (status === 'stopped') await fleets.act('stopFleet', jobId);
  expect((await fleets.get(jobId)).status).toBe(status);
  return { jobId, orgId: created.body.simulation_org_id as string };
}

async function rowsOf(table: 'users' | 'households' | 'devices' | 'device_conditions', orgId: string) {
  const { count } = await fleets.api.db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Twenty operations, four of each kind (without purge, five of each), in an order of the round's own. */
function mixture(round: number): Operation[] {
  const kinds = round % 2 === 0 ? OPERATIONS : OPERATIONS.slice(0, 4);
  const list = Array.from({ length: 20 }, (_, i) => kinds[i % kinds.length] ?? 'stopFleet');
  const order = list.map((_, i) => hashCounter(splitSeed(99), round, 0, i));
  return list
    .map((operation, i) => ({ operation, rank: order[i] ?? 0 }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ operation }) => operation);
}

const rounds = STARTS.flatMap((status) => [0, 1, 2, 3].map((round) => ({ status, round })));

test.each(rounds)(
  'twenty operations at once on a $status fleet, mixture $round, leave one outcome',
  async ({ status, round }) => {
    const { jobId, orgId } = await startIn(status);
    const path = { job_id: jobId };
    const calls = mixture(round).map(async (operation) => {
      const body = operation === 'expandFleet' ? { request_id: randomUUID(), count: 2 } : undefined;
      return { operation, ...(await fleets.api.call(operation, { path, body })) };
    });
    const others = [fleets.runner, fleets.anotherRunner()].map((runner) => runner.processAll());
    const answers = await Promise.all(calls);
    await Promise.all(others);
    await fleets.runner.processAll();

    for (const { status: code } of answers) expect([200, 404, 409]).toContain(code);
    const done = (operation: Operation): number =>
      answers.filter((answer) => answer.operation === operation && answer.status === 200).length;
    const after = await fleets.api.call('getFleet', { path });
    if (done('purgeFleet') > 0) {
      expect(after.status).toBe(404);
      for (const table of ['users', 'households', 'devices', 'device_conditions'] as const) {
        expect([table, await rowsOf(table, orgId)]).toEqual([table, 0]);
      }
      return;
    }
    expect(after.status).toBe(200);
    const { status: end, count, progress, device_counts } = after.body;
    // Nothing is left half done, and what was answered last for good holds.
    expect(['running', 'stopped', 'cancelled', 'cleaned']).toContain(end);
    if (done('cleanupFleet') > 0) expect(end).toBe('cleaned');
    else if (done('stopFleet') > 0) expect(end).toBe('stopped');
    else expect(['running', 'cancelled']).toContain(end);
    const households = await rowsOf('households', orgId);
    expect(progress.created).toBe(households);
    if (end === 'running' || end === 'stopped') expect(households).toBe(count);
    const before = status === 'expanding' ? 5 : 3;
    expect(households).toBeLessThanOrEqual(before + 2 * done('expandFleet'));
    const isGone = end === 'cleaned';
    expect(await rowsOf('users', orgId)).toBe(isGone ? 0 : households);
    const counted = Object.values(device_counts as Record<string, number>).reduce((a, b) => a + b, 0);
    expect(counted).toBe(await rowsOf('devices', orgId));
    if (isGone) expect(counted).toBe(0);
    // The outcome is at rest: another look changes nothing.
    await fleets.runner.processAll();
    expect((await fleets.api.call('getFleet', { path })).body).toEqual(after.body);
  },
);
