import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { advanceCheckpoints } from '../../src/fleets/checkpoints.ts';
import type { CheckpointWorkContext } from '../../src/fleets/checkpoints.ts';
import { TIME_SLICE_DAYS, yieldToEventLoop } from '../../src/households/time-slicer.ts';
import type { YieldToEventLoop } from '../../src/households/time-slicer.ts';
import { deleteLeftCheckpoints } from '../../src/queries/fleets/fleet-removal.ts';
import { fleetApi } from './fleet-api.ts';
import { DAYS, kept, NOON, oldFleet, oldFleetOf, summed, TODAY } from './old-fleets.ts';
import { DAY_MS } from '../../src/domain/api/durations.ts';

const LEASE_MS = 10_000;

const fleets = fleetApi({ now: NOON });

const tools = (more: Partial<CheckpointWorkContext> = {}): CheckpointWorkContext => ({
  db: fleets.api.db,
  now: fleets.api.clock.now,
  leaseUntil: () => new Date(fleets.api.clock.now().getTime() + LEASE_MS),
  simulatorFaults: false,
  isStopping: () => false,
  pause: () => Promise.resolve(),
  yieldToEventLoop,
  elapsedMs: () => 0,
  ...more,
});

test('the runner makes checkpoints of live fleets and moves them on once a week', async () => {
  const fleet = await oldFleet(fleets, 3, { seed: 5 });
  const orgId = fleet.simulation_org_id as string;
  await fleets.runner.processAll();
  expect(await kept(fleets, orgId)).toEqual(await summed(fleets, orgId, [TODAY, TODAY, TODAY]));
  fleets.api.clock.advance(6 * DAY_MS);
  await fleets.runner.processAll();
  expect((await kept(fleets, orgId)).map(({ day }) => day)).toEqual([TODAY, TODAY, TODAY]);
  fleets.api.clock.advance(DAY_MS);
  await Promise.all([fleets.runner.processAll(), fleets.anotherRunner().processAll()]);
  expect(await kept(fleets, orgId)).toEqual(await summed(fleets, orgId, [TODAY + 7, TODAY + 7, TODAY + 7]));
  fleets.api.clock.set(NOON);
});

test('a fleet that begins now needs none until it is a week old, and one that grows gets those that it lacks', async () => {
  const fleet = await fleets.running({ count: 2, seed: 6 });
  const orgId = fleet.simulation_org_id as string;
  expect(await kept(fleets, orgId)).toEqual([]);
  fleets.api.clock.advance(7 * DAY_MS);
  await fleets.runner.processAll();
  expect((await kept(fleets, orgId)).map(({ day }) => day)).toEqual([TODAY + 7, TODAY + 7]);
  fleets.api.clock.advance(DAY_MS);
  await fleets.expand(fleet.job_id as string, 1);
  await fleets.runner.processAll();
  expect((await kept(fleets, orgId)).map(({ day }) => day)).toEqual([TODAY + 8, TODAY + 8, TODAY + 8]);
  fleets.api.clock.set(NOON);
});

test('where a worker died another goes on when its lease has ended; the dead one writes nothing more', async () => {
  const fleet = await oldFleet(fleets, 3, { seed: 7 });
  const orgId = fleet.simulation_org_id as string;
  let days = 0;
  let revive = (): void => {};
  const isDead = new Promise<void>((dead) => {
    const turn: YieldToEventLoop = async (spent) => {
      days += spent;
      if (days < 1.5 * DAYS) return yieldToEventLoop(spent);
      return new Promise((resolve) => {
        revive = resolve;
        dead();
      });
    };
    void advanceCheckpoints(tools({ yieldToEventLoop: turn })).then((served) =>
      expect(served).toBe(fleets.api.own.orgId),
    );
  });
  await isDead;
  const half = await kept(fleets, orgId);
  expect(half.map(({ day }) => day)).toEqual([TODAY, TODAY - DAYS + 4000 - DAYS - 10]);
  expect(half).toEqual(
    await summed(
      fleets,
      orgId,
      half.map(({ day }) => day),
    ),
  );
  expect(await advanceCheckpoints(tools())).toBeUndefined();

  fleets.api.clock.advance(LEASE_MS);
  expect(await advanceCheckpoints(tools())).toBe(fleets.api.own.orgId);
  const all = await kept(fleets, orgId);
  expect(all).toEqual(await summed(fleets, orgId, [TODAY, TODAY, TODAY]));
  revive();
  await fleets.runner.processAll();
  expect(await kept(fleets, orgId)).toEqual(all);
  fleets.api.clock.set(NOON);
});

test('work that takes long is written in between, so that the claim does not run out', async () => {
  const fleet = await oldFleet(fleets, 1, { seed: 12 });
  const orgId = fleet.simulation_org_id as string;
  let elapsed = 0;
  let leases = 0;
  const leaseUntil = (): Date => {
    leases += 1;
    return tools().leaseUntil();
  };
  const elapsedMs = () => (elapsed += 700);
  let served: string | undefined;
  do served = await advanceCheckpoints(tools({ leaseUntil, elapsedMs }));
  while (served !== undefined);
  // Of one household there would be two: the claim, and all in one writing.
  expect(leases).toBeGreaterThan(4);
  expect(await kept(fleets, orgId)).toEqual(await summed(fleets, orgId, [TODAY]));
});

test('partners have turns of ten seconds, however much others have to do', async () => {
  const { own, foreign } = fleets.api;
  const of = { mine: await oldFleet(fleets, 2, { seed: 13 }), theirs: await oldFleetOf(fleets, foreign, 1) };
  let elapsed = 0;
  const context = tools({ elapsedMs: () => (elapsed += 1_900) });
  const turns: string[] = [];
  let served: string | undefined;
  while ((served = await advanceCheckpoints(context, served)) !== undefined) turns.push(served);
  const [first, second] = [own.orgId, foreign.orgId].toSorted();
  expect(turns.slice(0, 4)).toEqual([first, second, first, second]);
  for (const { simulation_org_id } of Object.values(of)) {
    const checkpoints = await kept(fleets, simulation_org_id as string);
    expect(new Set(checkpoints.map(({ day }) => day))).toEqual(new Set([TODAY]));
  }
});

/** Lets PostgreSQL refuse the checkpoints of an organization while something is done. */
async function whileRefused(orgId: string, work: () => Promise<void>): Promise<void> {
  const { db } = fleets.api;
  await sql`create function refuse() returns trigger language plpgsql as
    'begin raise exception ''refused''; end'`.execute(db);
  await sql`create trigger refuse before insert on household_checkpoints for each row
    when (new.org_id = '${sql.raw(orgId)}') execute function refuse()`.execute(db);
  await work();
  await sql`drop function refuse cascade`.execute(db);
}

test('a turn that fails is one too: the next is that of another partner', async () => {
  const { own, foreign, clock } = fleets.api;
  const [first, second] = own.orgId < foreign.orgId ? [own, foreign] : [foreign, own];
  const [broken, healthy] = [await oldFleetOf(fleets, first, 1), await oldFleetOf(fleets, second, 1)];
  const runner = fleets.anotherRunner();
  await whileRefused(broken.simulation_org_id as string, async () => {
    await expect(runner.processAll()).rejects.toThrow('refused');
    expect(await kept(fleets, healthy.simulation_org_id as string)).toEqual([]);
    // The claim would have ended.
    clock.advance(LEASE_MS);
    await expect(runner.processAll()).rejects.toThrow('refused');
    expect(await kept(fleets, healthy.simulation_org_id as string)).toHaveLength(1);
  });
  clock.advance(LEASE_MS);
  await runner.processAll();
  expect(await kept(fleets, broken.simulation_org_id as string)).toHaveLength(1);
  clock.set(NOON);
});

test('a fleet whose turn fails lets the others of its partner go before it for as long as a lease', async () => {
  const { own, clock } = fleets.api;
  const broken = await oldFleet(fleets, 1, { seed: 14 });
  const later = await oldFleet(fleets, 1, { seed: 15, history_cutoff: '2020-06-15T07:20:00Z' });
  let isSlow = true;
  const yieldSlowly: YieldToEventLoop = (days) => {
    // The claim ends while the work goes on.
    if (isSlow) clock.advance(LEASE_MS);
    isSlow = false;
    return yieldToEventLoop(days);
  };
  await whileRefused(broken.simulation_org_id as string, async () => {
    await expect(advanceCheckpoints(tools({ yieldToEventLoop: yieldSlowly }))).rejects.toThrow('refused');
    await expect(advanceCheckpoints(tools())).resolves.toBe(own.orgId);
    expect(await advanceCheckpoints(tools())).toBeUndefined();
    expect(await kept(fleets, later.simulation_org_id as string)).toHaveLength(1);
  });
  clock.advance(LEASE_MS);
  expect(await advanceCheckpoints(tools())).toBe(own.orgId);
  expect(await kept(fleets, broken.simulation_org_id as string)).toHaveLength(1);
  clock.set(NOON);
});

test.each(['stopFleet', 'runner.destroy'] as const)('%s ends the work at once', async (end) => {
  const fleet = await oldFleet(fleets, 4, { seed: 8 });
  const orgId = fleet.simulation_org_id as string;
  let slices = 0;
  let pieces = 0;
  let isStopping = false;
  const turn: YieldToEventLoop = async (days) => {
    slices += 1;
    pieces += days;
    if (slices === 3 && end === 'stopFleet') await fleets.act(end, fleet.job_id as string);
    if (slices === 3) isStopping = end === 'runner.destroy';
    return yieldToEventLoop(days);
  };
  const { orgId: partnerId } = fleets.api.own;
  expect(await advanceCheckpoints(tools({ yieldToEventLoop: turn, isStopping: () => isStopping }))).toBe(
    partnerId,
  );
  expect(await kept(fleets, orgId)).toEqual([]);
  // What is summed between two writings at most: steps of 8 days make 256 of 250, and each household counts for ten more. A day of a
  // heat pump that prices steer is two pieces: its window, and what is summed of it.
  const mostPieces = 2 * 4000 * (256 / 250) + 4 * 10;
  if (end === 'stopFleet') expect(pieces).toBeLessThanOrEqual(mostPieces + TIME_SLICE_DAYS);
  else expect(slices).toBe(3);
  const { checkpoint_token } = await fleets.api.db
    .selectFrom('fleets')
    .select('checkpoint_token')
    .where('id', '=', fleet.job_id as string)
    .executeTakeFirstOrThrow();
  expect(checkpoint_token).toBeNull();
  expect(await advanceCheckpoints(tools())).toBe(end === 'stopFleet' ? undefined : partnerId);
  expect(await kept(fleets, orgId)).toHaveLength(end === 'stopFleet' ? 0 : 4);
});

async function countStored(orgId: string): Promise<number> {
  const rows = await fleets.api.db
    .selectFrom('household_checkpoints')
    .select('day')
    .where('org_id', '=', orgId)
    .execute();
  return rows.length;
}

test('an expansion that is cancelled takes its checkpoints along; clean-up and purge leave none', async () => {
  const fleet = await oldFleet(fleets, 2, { seed: 9 });
  const [jobId, orgId] = [fleet.job_id as string, fleet.simulation_org_id as string];
  await fleets.runner.processAll();
  await fleets.expand(jobId, 2);
  await fleets.runner.processAll();
  expect(await kept(fleets, orgId)).toHaveLength(4);
  await fleets.api.db
    .updateTable('fleets')
    .set({ status: 'expanding', settled_count: 3 })
    .where('id', '=', jobId)
    .execute();
  await fleets.act('cancelFleet', jobId);
  expect(await kept(fleets, orgId)).toHaveLength(3);
  await fleets.act('stopFleet', jobId);
  const other = await oldFleet(fleets, 2, { seed: 10 });
  await fleets.runner.processAll();
  await fleets.act('cleanupFleet', jobId);
  // Those of a cleaned fleet go later, a few at a time, until nothing is left to do.
  const left: number[] = [];
  do left.push(await countStored(orgId));
  while ((await deleteLeftCheckpoints(fleets.api.db, 2)) > 0);
  expect(left).toEqual([3, 1, 0]);
  expect(await deleteLeftCheckpoints(fleets.api.db, 2)).toBe(0);
  expect(await kept(fleets, other.simulation_org_id as string)).toHaveLength(2);
  await fleets.act('stopFleet', other.job_id as string);
  await fleets.act('purgeFleet', other.job_id as string);
  await fleets.runner.processAll();
  expect(await kept(fleets, other.simulation_org_id as string)).toEqual([]);
  expect((await fleets.api.call('getFleet', { path: { job_id: other.job_id as string } })).status).toBe(404);
});
