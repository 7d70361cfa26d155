import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { fleetApi } from './fleet-api.ts';

const fleets = fleetApi();

afterEach(async () => {
  await sql`drop trigger if exists refuse on households`.execute(fleets.api.db);
});

/** From now on PostgreSQL refuses households with this SQLSTATE, after the users of the batch were written. */
async function refuseHouseholds(sqlstate: string): Promise<void> {
  await sql`create or replace function refuse() returns trigger language plpgsql as
    ${sql.raw(`$$ begin raise exception using errcode = '${sqlstate}', message = 'refused'; end $$`)}`.execute(
    fleets.api.db,
  );
  await sql`create trigger refuse before insert on households for each statement execute function refuse()`.execute(
    fleets.api.db,
  );
}

test.each(['53100', '53200', '53400', '40P01', '40001', '55P03', '57014', '25006', '58030'])(
  'a fleet that meets SQLSTATE %s keeps its work and runs once the database can do it',
  async (sqlstate) => {
    await refuseHouseholds(sqlstate);
    const { body } = await fleets.create({ count: 2 });
    const jobId = body.job_id as string;
    for (const waitMs of [250, 500, 1_000]) {
      await fleets.runner.processAll();
      expect(fleets.errors.splice(0)).toHaveLength(1);
      expect(await fleets.get(jobId)).toMatchObject({ status: 'provisioning', error: null });
      // Until then no runner tries it.
      fleets.api.clock.advance(waitMs - 1);
      await fleets.anotherRunner().processAll();
      expect(fleets.errors).toEqual([]);
      fleets.api.clock.advance(1);
    }
    await sql`drop trigger refuse on households`.execute(fleets.api.db);
    await fleets.runner.processAll();
    expect(await fleets.get(jobId)).toMatchObject({
      status: 'running',
      error: null,
      progress: { created: 2, total: 2 },
    });
  },
);

test('an error of ours or of the values makes the fleet fail', async () => {
  await refuseHouseholds('22003');
  const { body } = await fleets.create({ count: 2 });
  await fleets.runner.processAll();
  expect(fleets.errors.splice(0)).toHaveLength(1);
  expect((await fleets.get(body.job_id as string)).status).toBe('failed');
});

test('a claim that could not be given back is given back as soon as the database can do it', async () => {
  const { db } = fleets.api;
  await refuseHouseholds('53100');
  await sql`create trigger refuse before update on fleets for each row when (new.work_token is null)
    execute function refuse()`.execute(db);
  const { body } = await fleets.create({ count: 2 });
  await fleets.runner.processAll();
  expect(fleets.errors.splice(0)).toHaveLength(1);
  await expect(fleets.runner.processAll()).rejects.toThrow('refused');
  await sql`drop trigger refuse on fleets`.execute(db);
  await sql`drop trigger refuse on households`.execute(db);
  await fleets.runner.processAll();
  expect(await fleets.get(body.job_id as string)).toMatchObject({ status: 'running' });
});
