// Sums of a fleet of which households are removed while they are read.
import { expect, test } from 'vitest';
import { StreamedBytes } from '../../src/contract/streamed-bytes.ts';
import { getFleetData } from '../../src/operations/fleets/fleet-data.ts';
import { fleetApi } from '../fleets/fleet-api.ts';
import { watchedContext } from './watched-context.ts';

const fleets = fleetApi({ now: new Date('2026-01-15T12:00:00.000Z') });
// Two parts: a day, and the others.
const FOUR_DAYS = { from: '2026-01-11T00:00:00Z', to: '2026-01-15T00:00:00Z', resolution: '15MIN' as const };

interface Fleet {
  readonly jobId: string;
  readonly orgId: string;
}

async function startFleet(): Promise<Fleet> {
  const { job_id, simulation_org_id } = await fleets.running({ count: 3, history_days: 10 });
  return { jobId: job_id as string, orgId: simulation_org_id as string };
}

async function removeOne({ jobId, orgId }: Fleet, nth = 0): Promise<void> {
  const user = (await fleets.locations(jobId))[nth];
  const path = { org_id: orgId, user_id: user?.user_id as string };
  expect((await fleets.api.call('deleteUser', { path })).status).toBe(204);
}

async function cleanUp({ jobId }: Fleet): Promise<void> {
  for (const operation of ['stopFleet', 'cleanupFleet'] as const)
    expect((await fleets.act(operation, jobId)).status).toBe(200);
  await fleets.runner.processAll();
}

/** The answer, whose parts are made when they are asked for; `afterCount` is called each time the households were counted. */
async function begin(
  { jobId }: Fleet,
  afterCount: () => Promise<void> = () => Promise.resolve(),
): Promise<AsyncIterator<string | Uint8Array>> {
  const context = watchedContext(fleets.api, async (rows) => {
    if (rows.some((row) => 'endIndex' in row)) await afterCount();
  });
  const { body } = await getFleetData(context, {
    path: { org_id: context.orgId, job_id: jobId },
    query: FOUR_DAYS,
    headers: {},
    body: undefined,
    answerType: 'application/json',
  });
  if (!(body instanceof StreamedBytes)) throw new Error('The sums are streamed.');
  return body.parts[Symbol.asyncIterator]();
}

async function readAll(parts: AsyncIterator<string | Uint8Array>): Promise<string> {
  let text = '';
  for (let next = await parts.next(); next.done !== true; next = await parts.next())
    text += Buffer.from(next.value as Uint8Array).toString();
  return text;
}

test.each([
  ['a clean-up', cleanUp],
  ['the removal of one user', (fleet: Fleet) => removeOne(fleet)],
])('an answer that has begun does not go on with fewer households after %s', async (_, remove) => {
  const fleet = await startFleet();
  const parts = await begin(fleet);
  expect(Buffer.from((await parts.next()).value as Uint8Array).toString()).toContain('"households":3');
  await remove(fleet);
  await expect(readAll(parts)).rejects.toThrow('Households were removed');
});

test('before the first sums households are counted anew', async () => {
  const fleet = await startFleet();
  let counts = 0;
  const text = await readAll(
    await begin(fleet, async () => {
      counts += 1;
      if (counts === 1) await removeOne(fleet);
    }),
  );
  const { metadata, data } = JSON.parse(text) as { metadata: { households: number }; data: unknown[] };
  expect([counts, metadata.households, data.length]).toEqual([2, 2, 4 * 96]);
});

test('who removes households each time that they are counted is told to ask later', async () => {
  const fleet = await startFleet();
  let removed = 0;
  await expect(begin(fleet, () => removeOne(fleet, removed++))).rejects.toMatchObject({ code: 'overloaded' });
});
