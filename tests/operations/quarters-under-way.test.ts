// What waits for a lock while a quarter hour begins leaves that quarter hour as it is: it counts from the next one on.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';
import { COMMIT_MARGIN_MS, effectiveFrom } from '../../src/domain/api/quarter-hours.ts';
import { activateCondition } from '../../src/queries/notifications/device-conditions.ts';
import { fleetApi } from '../fleets/fleet-api.ts';
import { until } from '../process/partner.ts';
import type { Answer } from '../support/api-client.ts';
import { lockWaits } from '../support/lock-waits.ts';

const fleets = fleetApi({ now: new Date('2026-01-15T11:02:00.000Z') });
const BEFORE = '2026-01-15T13:29:59.900Z';
const BEGUN = '2026-01-15T13:30:01.000Z';
const NEXT = '2026-01-15T13:45:00.000Z';

let fleet: Answer['body'];
let path: { readonly org_id: string; readonly user_id: string; readonly heat_pump_id: string };

beforeEach(async () => {
  fleets.api.clock.set('2026-01-15T11:02:00.000Z');
  fleet = await fleets.running({ count: 8, seed: 21, history_days: 3 });
  const devices = await fleets.devices(fleet.job_id as string);
  const pump = devices.find(({ device_type }) => device_type === 'heat_pump');
  path = {
    org_id: pump.org_id as string,
    user_id: pump.user_id as string,
    heat_pump_id: pump.device_id as string,
  };
  fleets.api.clock.set(BEFORE);
});

const upload = (from: string, hours: number) =>
  fleets.api.call('uploadDayAheadPrices', {
    path: { org_id: path.org_id },
    body: {
      data: Array.from({ length: hours }, (_, hour) => ({
        timestamp: new Date(Date.parse(from) + hour * 4 * QUARTER_HOUR_MS).toISOString(),
        price: hour % 5 === 0 ? 20 : 150,
      })),
    },
  });

const device = async () => (await fleets.api.call('getUserHeatPump', { path })).body;
const state = async () => (await device()).state;

async function countWaiting(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from ${sql.raw(lockWaits())}`.execute(fleets.api.db);
  return rows[0]?.count ?? 0;
}

/** Holds a lock while the quarter hour begins for which a call waits: the state in it before and after, and the answer. */
async function overTheBeginning(lock: RawBuilder<unknown>, call: () => Promise<Answer>) {
  // Nobody waits for a lock for more than two seconds: what the state is computed from is read before.
  await state();
  const { promise, resolve: release } = Promise.withResolvers<undefined>();
  const held = Promise.withResolvers<undefined>();
  const holder = fleets.api.db.transaction().execute(async (tx) => {
    await lock.execute(tx);
    held.resolve(undefined);
    await promise;
  });
  await held.promise;
  const calling = call();
  await until(countWaiting, (waiting) => waiting > 0);
  fleets.api.clock.set(BEGUN);
  const before = await state();
  release(undefined);
  await holder;
  const answer = await calling;
  expect(answer.status).toBe(200);
  return { before, after: await state(), answer };
}

const deviceLock = () =>
  sql`select from devices where org_id = ${path.org_id} and id = ${path.heat_pump_id} for update`;
const householdLock = () =>
  sql`select from households where org_id = ${path.org_id} and user_id = ${path.user_id} for update`;

async function expectFromNextOn(control: object): Promise<void> {
  fleets.api.clock.set(new Date(Date.parse(NEXT) - 1));
  expect((await state()).control).not.toMatchObject(control);
  fleets.api.clock.set(NEXT);
  expect((await state()).control).toMatchObject(control);
}

test('a boost', async () => {
  const { before, after, answer } = await overTheBeginning(deviceLock(), () =>
    fleets.api.call('startHeatPumpBoost', { path, body: { ends_at: '2026-01-15T14:00:00Z' } }),
  );
  expect(answer.body).toMatchObject({ starts_at: NEXT });
  expect(after).toEqual(before);
  await expectFromNextOn({ mode: 'boost' });
});

test('preferences', async () => {
  const { before, after, answer } = await overTheBeginning(householdLock(), () =>
    fleets.api.call('updateHeatPumpPreferences', {
      path,
      body: { comfort_temperature_c: 26, price_response: false },
    }),
  );
  expect(answer.body).toMatchObject({ effective_from: NEXT });
  expect(after).toEqual(before);
  await expectFromNextOn({ mode: 'automatic', reason: 'preference' });
});

test('a place', async () => {
  const { before, after } = await overTheBeginning(
    sql`select from users where org_id = ${path.org_id} and id = ${path.user_id} for update`,
    () => fleets.api.call('updateUser', { path, body: { latitude: -25, longitude: 140 } }),
  );
  expect(after).toEqual(before);
  fleets.api.clock.set(NEXT);
  const warmer = Number((await state()).outdoor_temperature_c) - Number(before.outdoor_temperature_c);
  expect(warmer).toBeGreaterThan(10);
});

async function listUnsteeredFrom(): Promise<Date[]> {
  const rows = await fleets.api.db
    .selectFrom('device_interruptions')
    .select('unsteered_from')
    .distinct()
    .where('org_id', '=', path.org_id)
    .execute();
  return rows.map(({ unsteered_from: quarter }) => new Date(quarter * QUARTER_HOUR_MS));
}

test('a condition that somebody raises', async () => {
  await overTheBeginning(householdLock(), () =>
    fleets.api.call('triggerDeviceEvent', {
      path: { job_id: fleet.job_id as string, device_id: path.heat_pump_id },
      body: { code: 'steering_recovery_failed' },
    }),
  );
  expect(await listUnsteeredFrom()).toEqual([new Date(NEXT)]);
});

test('a shared outage that a worker applies', async () => {
  const body = {
    request_id: randomUUID(),
    cause: 'household_router',
    user_ids: [path.user_id],
    duration_minutes: 60,
  };
  const raised = await fleets.api.call('triggerFleetEvent', {
    path: { job_id: fleet.job_id as string },
    body,
  });
  await overTheBeginning(householdLock(), async () => {
    await fleets.runner.processAll();
    return raised;
  });
  expect((await device()).as_of).toBe(BEFORE);
  expect(await listUnsteeredFrom()).toEqual([new Date(NEXT)]);
});

test('prices', async () => {
  const { before, after, answer } = await overTheBeginning(
    sql`select lock_organization(${fleets.api.own.orgId})`,
    () => upload('2026-01-15T12:00:00Z', 20),
  );
  expect(answer.body).toMatchObject({ state: 'success', next_load_curve_calculation: NEXT });
  expect([after, before.control.reason]).toEqual([before, 'no_prices']);
  // Plans begin with the two hours of a run.
  await expectFromNextOn({ mode: 'automatic', reason: 'next_plan' });
});

test('what comes in a moment before a quarter hour counts from the one after it, wherever that is computed', async () => {
  const begins = Date.parse(NEXT);
  for (const beforeMs of [COMMIT_MARGIN_MS + 1, COMMIT_MARGIN_MS, 1, 0]) {
    const at = new Date(begins - beforeMs);
    const deviceId = (await fleets.devices(fleet.job_id as string))[0].device_id as string;
    const key = {
      orgId: fleet.simulation_org_id as string,
      deviceId,
      code: 'subscription_required',
    } as const;
    const from = await fleets.api.db.transaction().execute(async (tx) => {
      await activateCondition(tx, key, { at, appliedAt: at }, null);
      const { unsteered_from } = await tx
        .selectFrom('device_interruptions')
        .select('unsteered_from')
        .where('device_id', '=', deviceId)
        .where('code', '=', key.code)
        .executeTakeFirstOrThrow();
      await tx
        .deleteFrom('device_conditions')
        .where('device_id', '=', deviceId)
        .where('code', '=', key.code)
        .execute();
      return unsteered_from;
    });
    expect(from * QUARTER_HOUR_MS).toBe(effectiveFrom(at).getTime());
    expect(effectiveFrom(at).getTime() - begins).toBe(beforeMs > COMMIT_MARGIN_MS ? 0 : QUARTER_HOUR_MS);
  }
});
