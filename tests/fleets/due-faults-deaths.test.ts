import { expect, test } from 'vitest';
import { sql } from 'kysely';
import { fleetApi } from './fleet-api.ts';
import { queryEverywhere } from '../support/everywhere.ts';

const fleets = fleetApi({ faults: true, services: { simulatorFaults: true } });

/** Moves the clock to where ten conditions of a new fleet are due, all within a day; tells which. */
async function untilDue(seed: number) {
  const fleet = await fleets.running({ count: 600, seed });
  const orgId = fleet.simulation_org_id as string;
  const { db, clock } = fleets.api;
  const plan = await db
    .selectFrom('device_conditions')
    .select(['device_id', 'code', 'next_change_at'])
    .where('org_id', '=', orgId)
    .where('next_change_at', 'is not', null)
    .orderBy('next_change_at')
    .orderBy('device_id')
    .limit(10)
    .execute();
  clock.set(plan.at(-1)?.next_change_at ?? new Date(0));
  const due = plan.map(
    ({ device_id, code, next_change_at: at }) => `${device_id} ${code} ${at?.toISOString() ?? ''}`,
  );
  return { orgId, due };
}

/** What was told, each notice and each message. */
async function told(orgId: string): Promise<{ notices: string[]; messages: number }> {
  const notices = await fleets.api.db
    .selectFrom('notification_items')
    .select(['device_id', 'code', 'occurred_at'])
    .where('org_id', '=', orgId)
    .orderBy('occurred_at')
    .orderBy('device_id')
    .execute();
  const messages = await fleets.api.db
    .selectFrom('messages')
    .select('id')
    .where('org_id', '=', orgId)
    .execute();
  return {
    notices: notices.map(
      ({ device_id, code, occurred_at: at }) => `${device_id ?? ''} ${code ?? ''} ${at.toISOString()}`,
    ),
    messages: messages.length,
  };
}

test('five runners at once tell every condition once', async () => {
  const { orgId, due } = await untilDue(5);
  const runners = Array.from({ length: 5 }, () => fleets.anotherRunner({ simulatorFaults: true }));
  await Promise.all(runners.map((runner) => runner.processAll()));
  expect(await told(orgId)).toEqual({ notices: due, messages: due.length });
});

test('what a runner does not commit is neither lost nor told twice', async () => {
  const { orgId, due } = await untilDue(6);
  const { db } = fleets.api;
  // The seventh message breaks the transaction, as the end of the process or of its connection would.
  await queryEverywhere(fleets.api.everywhere, 'create sequence seen');
  await sql`create function break_seventh() returns trigger language plpgsql as
    'begin if nextval(''seen'') = 7 then raise exception ''gone''; end if; return new; end'`.execute(db);
  await sql`create trigger break_seventh before insert on messages for each row
    when (new.org_id = '${sql.raw(orgId)}') execute function break_seventh()`.execute(db);
  await expect(fleets.runner.processAll()).rejects.toThrow('gone');
  expect(await told(orgId)).toEqual({ notices: [], messages: 0 });
  await fleets.anotherRunner({ simulatorFaults: true }).processAll();
  expect(await told(orgId)).toEqual({ notices: due, messages: due.length });
  await fleets.runner.processAll();
  expect(await told(orgId)).toEqual({ notices: due, messages: due.length });
});
