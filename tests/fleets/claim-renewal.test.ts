// A claim is renewed while households are computed, which may take longer than its lease.
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { buildMissingHouseholds } from '../../src/simulation/household/missing-households.ts';
import { fleetApi } from './fleet-api.ts';

const LEASE_MS = 10_000;

const fleets = fleetApi();

/** Waits that end when the test says so, or are aborted. */
class Waits {
  /** How long each of them was to be, in milliseconds. */
  readonly asked: number[] = [];
  #end: (() => void) | undefined;
  #asked = Promise.withResolvers<undefined>();

  readonly wait = async (waitMs: number, signal: AbortSignal): Promise<void> => {
    this.asked.push(waitMs);
    if (signal.aborted) return;
    const ended = Promise.withResolvers<undefined>();
    this.#end = () => ended.resolve(undefined);
    signal.addEventListener('abort', this.#end);
    this.#asked.resolve(undefined);
    await ended.promise;
  };

  /** Ends the present wait, if there is one. */
  end(): void {
    const end = this.#end;
    this.#end = undefined;
    end?.();
  }

  /** The same; resolves when the next one has begun. */
  async endAndAwaitNext(): Promise<void> {
    if (this.#end === undefined) return;
    this.#asked = Promise.withResolvers<undefined>();
    this.end();
    await this.#asked.promise;
  }
}

const claimOf = (jobId: string) =>
  fleets.api.db
    .selectFrom('fleets')
    .select(['work_token', 'work_lease_until'])
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow();

/** Creates a fleet and lets a runner build it that does `meanwhile` while it computes the households; its id. */
async function buildDuring(waits: Waits, meanwhile: (jobId: string) => Promise<void>): Promise<string> {
  const jobId = (await fleets.create({ count: 2 })).body.job_id as string;
  const runner = fleets.anotherRunner({
    leaseMs: LEASE_MS,
    wait: waits.wait,
    buildHouseholds: async (_partnerId, question) => {
      await meanwhile(jobId);
      return buildMissingHouseholds(question);
    },
  });
  await runner.processAll();
  await runner.destroy();
  return jobId;
}

test('households that take longer than a lease are computed by one worker, which then writes them', async () => {
  const { clock } = fleets.api;
  const waits = new Waits();
  let others = 0;
  const other = fleets.anotherRunner({
    buildHouseholds: (_partnerId, question) => {
      others += 1;
      return Promise.resolve(buildMissingHouseholds(question));
    },
  });
  const jobId = await buildDuring(waits, async () => {
    for (let third = 0; third < 6; third += 1) {
      clock.advance(LEASE_MS / 3);
      await waits.endAndAwaitNext();
      await other.processAll();
    }
  });
  expect(others).toBe(0);
  expect(waits.asked).toEqual(Array<number>(7).fill(LEASE_MS / 3));
  expect(await fleets.get(jobId)).toMatchObject({ status: 'running', progress: { created: 2 } });
});

test('a claim that was lost is renewed no more', async () => {
  const waits = new Waits();
  const lost = { work_token: randomUUID(), work_lease_until: new Date(fleets.api.clock.now().getTime() + 1) };
  const jobId = await buildDuring(waits, async (id) => {
    await fleets.api.db.updateTable('fleets').set(lost).where('id', '=', id).execute();
    waits.end();
    // The renewal has begun, for whose end the work waits.
    await setImmediate();
  });
  expect(waits.asked).toHaveLength(1);
  expect(await claimOf(jobId)).toEqual(lost);
  expect(await fleets.get(jobId)).toMatchObject({ status: 'provisioning', progress: { created: 0 } });
  fleets.api.clock.advance(1);
  await fleets.runner.processAll();
});

test('a renewal that the database does not take is told and tried again', async () => {
  const { db, clock } = fleets.api;
  const waits = new Waits();
  const jobId = await buildDuring(waits, async (id) => {
    await sql`create function refuse() returns trigger language plpgsql as
      'begin raise exception ''refused''; end'`.execute(db);
    await sql`create trigger refuse before update on fleets for each row execute function refuse()`.execute(
      db,
    );
    await waits.endAndAwaitNext();
    await sql`drop function refuse cascade`.execute(db);
    clock.advance(LEASE_MS / 3);
    await waits.endAndAwaitNext();
    const { work_lease_until: until } = await claimOf(id);
    expect(until?.getTime()).toBe(clock.now().getTime() + LEASE_MS);
  });
  expect(fleets.errors.splice(0)).toMatchObject([{ message: 'refused' }]);
  expect((await fleets.get(jobId)).status).toBe('running');
});

test('without a wait of its own a runner renews by the timers of the process', async () => {
  const { clock } = fleets.api;
  const jobId = (await fleets.create({ count: 1 })).body.job_id as string;
  const renewed: (Date | null)[] = [];
  const runner = fleets.anotherRunner({
    leaseMs: 30,
    buildHouseholds: async (_partnerId, question) => {
      clock.advance(1_000);
      const until = async () => (await claimOf(jobId)).work_lease_until;
      await expect.poll(until, { timeout: 20_000 }).toEqual(new Date(clock.now().getTime() + 30));
      renewed.push(await until());
      return buildMissingHouseholds(question);
    },
  });
  await runner.processAll();
  await runner.destroy();
  expect(renewed).toHaveLength(1);
  expect((await fleets.get(jobId)).status).toBe('running');
});
