import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { applyDueChargeChecks } from '../../src/fleets/charge-checks.ts';
import { purgeFleetInBatches } from '../../src/fleets/purge.ts';
import { yieldLowPriority } from '../../src/households/time-slicer.ts';
import { pauseForOthers } from '../../src/loops/pause-for-others.ts';
import { buildMissingHouseholds } from '../../src/simulation/household/missing-households.ts';
import { claimFleet } from '../../src/queries/fleets/fleet-work.ts';
import { foundCompany } from '../support/api.ts';
import { fleetApi } from './fleet-api.ts';

const fleets = fleetApi({ faults: true });

/** Queues fleets of a partner that floods, then one of another partner; their ids. */
async function flood(count: number): Promise<{ flooded: string[]; other: string }> {
  const flooded: string[] = [];
  for (let index = 0; index < count; index += 1) {
    flooded.push((await fleets.create({ count: 1 })).body.job_id as string);
    fleets.api.clock.advance(1);
  }
  const { orgId, admin } = fleets.api.foreign;
  const answer = await fleets.api.call('createFleet', {
    token: admin.token,
    path: { org_id: orgId },
    body: { request_id: randomUUID(), count: 1 },
  });
  return { flooded, other: answer.body.job_id as string };
}

/** The ids of fleets in the order in which they began to run. */
async function orderOfStart(ids: readonly string[]): Promise<string[]> {
  const rows = await fleets.api.db
    .selectFrom('fleets')
    .select('id')
    .where('id', 'in', ids)
    .where('status', '=', 'running')
    .orderBy('started_at')
    .execute();
  return rows.map(({ id }) => id);
}

/** A clock on which no two instants are the same. */
const tickingClock = (): Date => {
  fleets.api.clock.advance(1);
  return fleets.api.clock.now();
};

test.each([1, 3])(
  'a partner with many queued fleets does not make another wait for all of them: %i lanes',
  async (lanes) => {
    const { own, foreign } = fleets.api;
    const { flooded, other } = await flood(6);
    const begun: string[] = [];
    const isOtherBegun = Promise.withResolvers<undefined>();
    const runner = fleets.anotherRunner({
      lanes,
      now: tickingClock,
      buildHouseholds: async (partnerId, question) => {
        begun.push(partnerId);
        if (partnerId === foreign.orgId) isOtherBegun.resolve(undefined);
        // The first of the flood is in work until then, and one of several lanes is not.
        else if (lanes > 1 && begun.length === 1) await isOtherBegun.promise;
        return buildMissingHouseholds(question);
      },
    });
    await runner.processAll();
    expect(begun.slice(0, 2)).toEqual([own.orgId, foreign.orgId]);
    expect(await orderOfStart([...flooded, other])).toHaveLength(7);
  },
);

/** Queues two fleets of each of as many partners; fleets that the runner works on at each beginning of one's building. */
async function countInWork(partners: number): Promise<number[]> {
  const { api } = fleets;
  for (let index = 0; index < partners; index += 1) {
    const { orgId, admin } = await foundCompany(api.db, api.clock.now(), `Partner ${index}`);
    for (let fleet = 0; fleet < 2; fleet += 1) {
      const body = { request_id: randomUUID(), count: 1 };
      await api.call('createFleet', { token: admin.token, path: { org_id: orgId }, body });
    }
  }
  const counts: number[] = [];
  const runner = fleets.anotherRunner({
    buildHouseholds: async (_partnerId, question) => {
      const inWork = await api.db
        .selectFrom('fleets')
        .select('id')
        .where('work_lease_until', '>', api.clock.now())
        .execute();
      counts.push(inWork.length);
      return buildMissingHouseholds(question);
    },
  });
  await runner.processAll();
  return counts;
}

test('a process works on three fleets at once', async () => {
  const counts = await countInWork(4);
  expect(counts).toHaveLength(8);
  // All claims of a turn come before its work.
  expect(counts[0]).toBe(3);
  expect(Math.max(...counts)).toBe(3);
});

test('a process works on one fleet of a partner at once', async () => {
  expect(await countInWork(1)).toEqual([1, 1]);
  expect(Math.max(...(await countInWork(2)))).toBe(2);
});

test('requests of others have a pause between the batches of a fleet that is built and removed', async () => {
  const created = await fleets.create({ count: 250 });
  const jobId = created.body.job_id as string;
  const progress: number[] = [];
  const runner = fleets.anotherRunner({
    pause: async () => {
      const { rows } = await sql<{ count: number }>`select count(*)::integer as count from users
        where fleet_id = ${jobId}`.execute(fleets.api.db);
      progress.push(rows[0]?.count ?? 0);
    },
  });
  await runner.processAll();
  expect(progress).toEqual([100, 200, 250]);
  await fleets.act('stopFleet', jobId);
  await fleets.act('purgeFleet', jobId);
  progress.length = 0;
  await runner.processAll();
  expect(progress.filter((count) => count > 0 && count < 250)).toEqual([150, 50]);
});

test('a pause is long enough for requests of others', async () => {
  const startedMs = performance.now();
  await pauseForOthers();
  expect(performance.now() - startedMs).toBeGreaterThan(4);
});

test('a partner whose fleet another process works on comes after one that has none in work', async () => {
  const { other } = await flood(2);
  const { db, clock } = fleets.api;
  const claimNext = () => claimFleet(db, clock.now(), new Date(clock.now().getTime() + 10_000));
  const [first, second] = [await claimNext(), await claimNext()];
  expect(first?.org_id).toBe(fleets.api.own.orgId);
  expect(second?.id).toBe(other);
  clock.advance(10_000);
  await fleets.runner.processAll();
});

test('a removal of many rows gives its turn up and is continued', async () => {
  const fleet = await fleets.running({ count: 300 });
  await fleets.act('stopFleet', fleet.job_id);
  await fleets.act('purgeFleet', fleet.job_id);
  const { db, clock } = fleets.api;
  const leaseUntil = (): Date => new Date(clock.now().getTime() + 10_000);
  const claim = await claimFleet(db, clock.now(), leaseUntil());
  const pause = () => Promise.resolve();
  const context = { db, now: clock.now, leaseUntil, simulatorFaults: false, isStopping: () => false, pause };
  if (claim === undefined) throw new Error('No fleet has work.');
  expect(await purgeFleetInBatches(context, claim, 1)).toBe(false);
  expect(await purgeFleetInBatches(context, claim)).toBe(true);
});

test('a runner removes a fleet of many rows in several turns, between which others have theirs', async () => {
  const fleet = await fleets.running({ count: 1 });
  const orgId = fleet.simulation_org_id as string;
  const { clock, db } = fleets.api;
  // More than the eighty batches that a turn may do.
  await sql`
    insert into users (org_id, id, email, role, created_at, updated_at)
    select ${orgId}, gen_random_uuid(), index || '@example.com', 'user', now(), now() from generate_series(1, 21000) index
  `.execute(db);
  await fleets.act('stopFleet', fleet.job_id as string);
  await fleets.act('purgeFleet', fleet.job_id as string);
  clock.advance(1);
  await flood(2);
  const left: number[] = [];
  const runner = fleets.anotherRunner({
    lanes: 1,
    now: tickingClock,
    buildHouseholds: async (_partnerId, question) => {
      const rows = await db.selectFrom('users').select('id').where('org_id', '=', orgId).execute();
      left.push(rows.length);
      return buildMissingHouseholds(question);
    },
  });
  await runner.processAll();
  expect(left).toContainEqual(expect.toSatisfy((count: number) => count > 0 && count < 20_000));
  expect(await db.selectFrom('users').select('id').where('org_id', '=', orgId).execute()).toEqual([]);
});

test('cars whose looking at waits for requests make no fleet wait', async () => {
  const { api } = fleets;
  const { simulation_org_id: orgId } = await fleets.running({ count: 4, ev_ownership_fraction: 1 });
  await sql`insert into charge_checks (org_id, device_id, due_at)
    select org_id, id, ${api.clock.now()} from devices
    where org_id = ${orgId} and device_type = 'electric_vehicle'`.execute(api.db);
  const [waits, isIdle] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const runner = fleets.anotherRunner({
    yieldToEventLoop: () => {
      waits.resolve(undefined);
      return isIdle.promise;
    },
  });
  await runner.start();
  await waits.promise;
  const created = (await fleets.create({ count: 1 })).body.job_id as string;
  runner.wake();
  try {
    await expect.poll(async () => (await fleets.get(created)).status).toBe('running');
  } finally {
    isIdle.resolve(undefined);
    await runner.destroy();
  }
  await fleets.runner.processAll();
  const { rows } = await sql`select 1 from charge_checks where due_at <= ${api.clock.now()}`.execute(api.db);
  expect(rows).toEqual([]);
});

test('a pass that has taken a second looks at no further car of the fleet', async () => {
  const { api } = fleets;
  const { simulation_org_id: orgId } = await fleets.running({ count: 5, ev_ownership_fraction: 1 });
  const now = api.clock.now();
  const due = sql`insert into charge_checks (org_id, device_id, due_at)
    select org_id, id, ${now} from devices where org_id = ${orgId} and device_type = 'electric_vehicle'`;
  await due.execute(api.db);
  let elapsed = 0;
  const context = {
    db: api.db,
    now: api.clock.now,
    yieldToEventLoop: yieldLowPriority,
    pause: () => Promise.resolve(),
    isStopping: () => false,
    elapsedMs: () => (elapsed += 600),
  };
  expect((await applyDueChargeChecks(context)).changed).toEqual([orgId]);
  const { rows } = await sql`select from charge_checks where org_id = ${orgId} and due_at <= ${now}`.execute(
    api.db,
  );
  expect(rows).toHaveLength(3);
  await fleets.runner.processAll();
});
