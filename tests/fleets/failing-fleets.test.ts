// What fails for one fleet keeps no other one waiting.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Company } from '../support/api.ts';
import { fleetApi } from './fleet-api.ts';

const fleets = fleetApi({ faults: true, services: { simulatorFaults: true } });

/** A running fleet of a partner; its id and organization. */
async function runningFleet({ orgId, admin: { token } }: Company) {
  const body = { request_id: randomUUID(), count: 3, ev_ownership_fraction: 1 };
  const { body: fleet } = await fleets.api.call('createFleet', { token, path: { org_id: orgId }, body });
  await fleets.runner.processAll();
  return { jobId: fleet.job_id as string, orgId: fleet.simulation_org_id as string };
}

const FAILURES = {
  outages: async ({ orgId: org_id, admin: { token } }: Company, jobId: string) => {
    const body = { request_id: randomUUID(), cause: 'region', country: 'DE', duration_minutes: 60 };
    const path = { org_id, job_id: jobId };
    expect((await fleets.api.call('triggerFleetEvent', { token, path, body })).status).toBe(200);
  },
  faults: async (_company: Company, _jobId: string, orgId: string) => {
    const begins_at = fleets.api.clock.now();
    await fleets.api.db
      .updateTable('device_conditions')
      .set({ begins_at })
      .where('org_id', '=', orgId)
      .execute();
  },
  'charge checks': async (_company: Company, _jobId: string, orgId: string) => {
    await sql`insert into charge_checks (org_id, device_id, due_at)
      select org_id, id, ${fleets.api.clock.now()} from devices
      where org_id = ${orgId} and device_type = 'electric_vehicle'`.execute(fleets.api.db);
  },
};

/** What is left to do of a fleet. */
async function countDue(orgId: string): Promise<number> {
  const now = fleets.api.clock.now();
  const { rows } = await sql<{ due: number }>`select
    (select count(*) from shared_outages where org_id = ${orgId} and not is_applied)::integer
    + (select count(*) from device_conditions where org_id = ${orgId} and next_change_at <= ${now})::integer
    + (select count(*) from charge_checks where org_id = ${orgId} and due_at <= ${now})::integer as due`.execute(
    fleets.api.db,
  );
  return rows[0]?.due ?? 0;
}

// A mistake or a value that is refused, and a statement that takes too long.
const STATES = ['P0001', '57014'];
const CASES = (['outages', 'faults', 'charge checks'] as const).flatMap((failing) =>
  STATES.map((state) => [failing, state] as const),
);

test.each(CASES)(
  '%s of one partner that cannot be told (%s) keep nothing of others waiting',
  async (failing, state) => {
    const { db, own, foreign } = fleets.api;
    // Partners come in the order of their ids.
    const [first, last] = [own, foreign].toSorted((a, b) => (a.orgId < b.orgId ? -1 : 1)) as [
      Company,
      Company,
    ];
    const [broken, healthy] = [await runningFleet(first), await runningFleet(last)];
    await FAILURES[failing](first, broken.jobId, broken.orgId);
    for (const make of Object.values(FAILURES)) await make(last, healthy.jobId, healthy.orgId);
    await sql`create function refuse() returns trigger language plpgsql as
      ${sql.lit(`begin raise exception using errcode = '${state}', message = 'refused'; end`)}`.execute(db);
    for (const table of ['charge_checks', 'device_conditions', 'shared_outages'])
      await sql`create trigger refuse before update or delete on ${sql.table(table)} for each row
        when (old.org_id = '${sql.raw(broken.orgId)}') execute function refuse()`.execute(db);
    try {
      const woken: string[] = [];
      const runner = fleets.anotherRunner({ wakeDispatcher: (orgIds) => woken.push(...orgIds) });
      await expect(runner.processAll()).rejects.toThrow('refused');
      expect(await countDue(healthy.orgId)).toBe(0);
      expect(woken).toContain(healthy.orgId);
      expect(await countDue(broken.orgId)).toBeGreaterThan(0);
    } finally {
      await sql`drop function refuse cascade`.execute(db);
    }
    await fleets.runner.processAll();
    expect(await countDue(broken.orgId)).toBe(0);
  },
);
