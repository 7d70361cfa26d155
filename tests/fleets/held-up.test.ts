// Work on one partner's fleet that takes long, or does not end, keeps nothing of other partners waiting.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildMissingHouseholds } from '../../src/simulation/household/missing-households.ts';
import type { FleetRunner } from '../../src/fleets/runner.ts';
import { Gate } from '../support/gate.ts';
import { fleetApi } from './fleet-api.ts';

const GATE = 4_711;
const fleets = fleetApi({ faults: true });
let gate: Gate;

beforeAll(async () => {
  gate = await Gate.make(fleets.api, GATE);
});

afterAll(() => gate.end());

type Meanwhile = (runner: FleetRunner) => Promise<void>;

/** Calls `meanwhile` while a runner works on a fleet of a partner and does not get on with it. */
const WHILE_HELD_UP = {
  computed: async (meanwhile: Meanwhile) => {
    const { body } = await fleets.create({ count: 1 });
    const [begins, ends] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const runner = fleets.anotherRunner({
      buildHouseholds: async (partnerId, question) => {
        if (partnerId === fleets.api.own.orgId) {
          begins.resolve(undefined);
          await ends.promise;
        }
        return buildMissingHouseholds(question);
      },
    });
    await runner.start();
    await begins.promise;
    await meanwhile(runner).finally(() => ends.resolve(undefined));
    await expect.poll(async () => (await fleets.get(body.job_id as string)).status).toBe('running');
    await runner.destroy();
  },
  purged: async (meanwhile: Meanwhile) => {
    const { job_id, simulation_org_id } = await fleets.running({ count: 2 });
    await fleets.act('stopFleet', job_id as string);
    await fleets.act('purgeFleet', job_id as string);
    await whileUsersStay(simulation_org_id as string, meanwhile);
  },
  cleaned: async (meanwhile: Meanwhile) => {
    const { job_id, simulation_org_id } = await fleets.running({ count: 2 });
    await fleets.act('stopFleet', job_id as string);
    await sql`update fleets set status = 'cleaned', has_users_to_remove = true where id = ${job_id}`.execute(
      fleets.api.db,
    );
    await whileUsersStay(simulation_org_id as string, meanwhile);
  },
};

/** Calls `meanwhile` while a runner waits for the gate to remove the users of an organization. */
async function whileUsersStay(orgId: string, meanwhile: Meanwhile): Promise<void> {
  const { db } = fleets.api;
  await sql`create function wait_for_gate() returns trigger language plpgsql set lock_timeout = 0 as
    ${sql.raw(`$$ begin perform pg_advisory_xact_lock_shared(${GATE}); return old; end $$`)}`.execute(db);
  await sql`create trigger wait_for_gate before delete on users for each row
    when (old.org_id = '${sql.raw(orgId)}') execute function wait_for_gate()`.execute(db);
  await gate.close();
  const runner = fleets.anotherRunner();
  await runner.start();
  await expect.poll(() => gate.countWaiting()).toBe(1);
  await meanwhile(runner).finally(() => gate.open());
  await runner.destroy();
  await sql`drop function wait_for_gate cascade`.execute(db);
  await fleets.runner.processAll();
}

/** Creates a fleet of the other partner. */
async function createOther() {
  const { orgId, admin } = fleets.api.foreign;
  const body = { request_id: randomUUID(), count: 3 };
  const call = { token: admin.token, path: { org_id: orgId }, body };
  const { body: fleet } = await fleets.api.call('createFleet', call);
  return { jobId: fleet.job_id as string, orgId: fleet.simulation_org_id as string };
}

test.each(['computed', 'purged', 'cleaned'] as const)(
  'while a fleet is %s the faults of another partner begin',
  async (held) => {
    const { db, clock } = fleets.api;
    const { orgId } = await createOther();
    await fleets.runner.processAll();
    const begins_at = clock.now();
    await WHILE_HELD_UP[held](async (runner) => {
      await db.updateTable('device_conditions').set({ begins_at }).where('org_id', '=', orgId).execute();
      runner.wake();
      const due = db.selectFrom('device_conditions').select('device_id').where('org_id', '=', orgId);
      await expect.poll(() => due.where('next_change_at', '<=', begins_at).execute()).toEqual([]);
    });
  },
);

test.each(['computed', 'purged', 'cleaned'] as const)(
  'while a fleet is %s that of another partner starts',
  async (held) => {
    const { db } = fleets.api;
    await WHILE_HELD_UP[held](async (runner) => {
      const { jobId } = await createOther();
      runner.wake();
      const fleet = db.selectFrom('fleets').select('status').where('id', '=', jobId);
      await expect.poll(() => fleet.executeTakeFirst()).toEqual({ status: 'running' });
    });
  },
);
