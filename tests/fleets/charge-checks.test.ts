import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { applyDueChargeChecks, CHECKS_OF_FLEET } from '../../src/fleets/charge-checks.ts';
import { yieldLowPriority } from '../../src/households/time-slicer.ts';
import { QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';
import { steeringOf } from '../../src/simulation/control/steering.ts';
import { NO_PRICES } from '../../src/simulation/control/price-book.ts';
import type { Household } from '../../src/simulation/household/household.ts';
import { createHouseholdModel } from '../../src/simulation/model/model.ts';
import { toldFromStart } from '../simulation/controlled.ts';
import type { Company } from '../support/api.ts';
import { fleetApi } from './fleet-api.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { queryEverywhere } from '../support/everywhere.ts';

const fleets = fleetApi();

/** Cars that are to be full an hour after most drivers come home: many cannot. */
const DEMANDING = {
  charge_policy: 'smart',
  target_soc_percent: 100,
  ready_by: Object.fromEntries(
    ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map((day) => [
      day,
      '18:00',
    ]),
  ) as Record<'monday', string>,
} as const;

interface Car {
  readonly id: string;
  readonly user_id: string;
  readonly attributes: Household;
}

/** A running fleet of cars that were asked for the same; its organization, cars and the quarter hour from which on it holds. */
async function fleetOfCars(
  count: number,
  seed: number,
  body: object = DEMANDING,
  { orgId: partnerId, admin: { token } }: Company = fleets.api.own,
) {
  // An afternoon on which many have come home.
  fleets.api.clock.set('2027-03-10T16:50:00.000Z');
  const created = await fleets.api.call('createFleet', {
    token,
    path: { org_id: partnerId },
    body: {
      request_id: randomUUID(),
      count,
      seed,
      ev_ownership_fraction: 1,
      annual_consumption_kwh: 3000,
      annual_consumption_with_ev_kwh: 8000,
    },
  });
  const { body: fleet } = created;
  await fleets.runner.processAll();
  const orgId = fleet.simulation_org_id as string;
  const cars = await fleets.api.db
    .selectFrom('devices')
    .innerJoin('households', (join) =>
      join
        .onRef('households.org_id', '=', 'devices.org_id')
        .onRef('households.household_index', '=', 'devices.household_index'),
    )
    .select(['devices.id', 'devices.user_id', 'households.attributes'])
    .where('devices.org_id', '=', orgId)
    .where('devices.device_type', '=', 'electric_vehicle')
    .orderBy('devices.household_index')
    .execute();
  for (const car of cars) await ask(orgId, car, body, token);
  const quarter = Math.floor(fleets.api.clock.now().getTime() / QUARTER_HOUR_MS) + 1;
  return { fleet, orgId, cars: cars as unknown as Car[], from: quarter };
}

async function ask(
  orgId: string,
  car: { id: string; user_id: string },
  body: object,
  token = fleets.api.own.admin.token,
): Promise<void> {
  const path = { org_id: orgId, user_id: car.user_id, electric_vehicle_id: car.id };
  const answer = await fleets.api.call('updateElectricVehiclePreferences', { token, path, body });
  expect(answer.status).toBe(200);
}

const checks = (orgId: string) =>
  fleets.api.db
    .selectFrom('charge_checks')
    .selectAll()
    .where('org_id', '=', orgId)
    .orderBy('due_at')
    .execute();

/** Lets the clock go from check to check up to an instant. */
async function runUntil(orgId: string, end: Date): Promise<void> {
  for (;;) {
    const [next] = await checks(orgId);
    if (next === undefined || next.due_at > end) break;
    fleets.api.clock.set(next.due_at);
    await fleets.runner.processAll();
  }
  fleets.api.clock.set(end);
}

/** What was told, one line each: the device, when, and when it was over. */
async function told(orgId: string): Promise<string[]> {
  const items = await fleets.api.db
    .selectFrom('notification_items')
    .select(['device_id', 'kind', 'code', 'occurred_at', 'cleared_at'])
    .where('org_id', '=', orgId)
    .orderBy('occurred_at')
    .execute();
  expect(items.every(({ kind, code }) => kind === 'information' && code === 'charge_target_missed')).toBe(
    true,
  );
  return items
    .map((item) => line(item.device_id ?? '', item.occurred_at, item.cleared_at))
    .sort((a, b) => a.localeCompare(b));
}

const line = (device: string, at: Date, over: Date | null): string =>
  `${device} ${at.toISOString()} ${over === null ? 'open' : over.toISOString()}`;

/** What is to be told of cars from a quarter hour on, as their models say: each stay in which something will be missing. */
function expected(cars: readonly Car[], from: number, end: Date): string[] {
  const lines: string[] = [];
  const last = Math.floor(end.getTime() / QUARTER_HOUR_MS);
  const toDate = (quarter: number): Date => new Date(quarter * QUARTER_HOUR_MS);
  for (const { id, attributes } of cars) {
    const { ready_by, ...rest } = DEMANDING;
    const readyBy = ready_by as never;
    const { electricVehicle, ...others } = toldFromStart({ vehicle: { ...rest, ready_by: readyBy } });
    const preferences = electricVehicle.preferences.map((revision) => ({ ...revision, from }));
    const control = { ...others, electricVehicle: { ...electricVehicle, preferences } };
    const model = createHouseholdModel(attributes, steeringOf(NO_PRICES, control));
    for (let quarter = from; quarter <= last;) {
      const { stay, nextStay } = model.chargeOutlookAt(quarter) ?? { stay: null, nextStay: null };
      if (stay && stay.missing > 0) {
        lines.push(line(id, toDate(quarter), stay.end <= last ? toDate(stay.end) : null));
      }
      quarter = stay?.end ?? nextStay ?? Infinity;
    }
  }
  return lines.sort((a, b) => a.localeCompare(b));
}

const daysLater = (days: number): Date =>
  new Date(
    Math.floor(fleets.api.clock.now().getTime() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS + days * 86_400_000,
  );

test('what a smart car will miss is told as it is plugged in, once a departure, and is over when it leaves', async () => {
  const { orgId, cars, from } = await fleetOfCars(4, 11);
  const end = daysLater(4);
  await runUntil(orgId, end);
  const all = expected(cars, from, end);
  expect(all.length).toBeGreaterThan(4);
  expect(await told(orgId)).toEqual(all);
  const messages = await fleets.api.db
    .selectFrom('messages')
    .select(['message_type', sql<string>`convert_from(payload, 'UTF8')`.as('payload')])
    .where('org_id', '=', orgId)
    .execute();
  expect(messages).toHaveLength(all.length);
  for (const { message_type: type, payload } of messages) {
    expect(type).toBe('device.information');
    expect(JSON.parse(payload)).toMatchObject({ data: { notice: 'charge_target_missed' } });
  }
});

test('cars that charge at once, or reach their target, are told of nothing', async () => {
  const modest = { charge_policy: 'smart', target_soc_percent: 10, minimum_soc_percent: 10 };
  const { orgId } = await fleetOfCars(2, 12, modest);
  const { orgId: other } = await fleetOfCars(4, 13, { charge_policy: 'immediate', target_soc_percent: 100 });
  expect(await checks(other)).toEqual([]);
  const end = daysLater(2);
  await runUntil(orgId, end);
  expect([await told(orgId), await told(other)]).toEqual([[], []]);
});

test('five runners at once tell every departure once, and what one does not commit is neither lost nor told twice', async () => {
  const { orgId, cars, from } = await fleetOfCars(CHECKS_OF_FLEET, 14);
  const { db } = fleets.api;
  const at = new Date(from * QUARTER_HOUR_MS);
  fleets.api.clock.set(at);
  const all = expected(cars, from, at);
  expect(all.length).toBeGreaterThan(1);
  await queryEverywhere(fleets.api.everywhere, 'create sequence seen_charges');
  await sql`create function break_second() returns trigger language plpgsql as
    'begin if nextval(''seen_charges'') = 2 then raise exception ''gone''; end if; return new; end'`.execute(
    db,
  );
  await sql`create trigger break_second before insert on messages for each row
    when (new.org_id = '${sql.raw(orgId)}') execute function break_second()`.execute(db);
  await expect(fleets.runner.processAll()).rejects.toThrow('gone');
  expect(await told(orgId)).toEqual([]);
  await Promise.all(Array.from({ length: 5 }, () => fleets.anotherRunner().processAll()));
  expect(await told(orgId)).toEqual(all);
});

test('what is asked between the plug-in and the look at it is looked at as soon as it holds', async () => {
  const { orgId, cars, from } = await fleetOfCars(2, 21, { charge_policy: 'smart' });
  fleets.api.clock.set(new Date(from * QUARTER_HOUR_MS + 500));
  for (const car of cars) await ask(orgId, car, DEMANDING);
  await fleets.runner.processAll();
  const isDue = (await checks(orgId)).map(({ due_at: at }) => at.getTime() === (from + 1) * QUARTER_HOUR_MS);
  expect(isDue).toEqual([true, true]);
});

const contextAt = (now: Date) => ({
  db: fleets.api.db,
  now: () => now,
  yieldToEventLoop: yieldLowPriority,
  pause: () => Promise.resolve(),
  isStopping: () => false,
  elapsedMs: () => 0,
});

/** How many cars of each of these organizations are due. */
const left = async (now: Date, ...orgIds: string[]) =>
  (await Promise.all(orgIds.map(checks))).map((rows) => rows.filter(({ due_at: at }) => at <= now).length);

/** Lets all cars of an organization be due at an instant. */
const postpone = (orgId: string, due_at: Date) =>
  fleets.api.db.updateTable('charge_checks').set({ due_at }).where('org_id', '=', orgId).execute();

test('a pass looks at some cars of one fleet of each partner, so that nobody waits for all of another one', async () => {
  await fleets.api.db.deleteFrom('charge_checks').execute();
  const many = await fleetOfCars(CHECKS_OF_FLEET + 3, 15, { charge_policy: 'smart' });
  const second = await fleetOfCars(2, 16, { charge_policy: 'smart' });
  const other = await fleetOfCars(2, 17, { charge_policy: 'smart' }, fleets.api.foreign);
  const now = new Date((other.from + 1) * QUARTER_HOUR_MS);
  for (const { orgId } of [second, other]) await postpone(orgId, now);
  const due = () => left(now, many.orgId, second.orgId, other.orgId);
  const seen = [await due()];
  while ((await applyDueChargeChecks(contextAt(now))).changed.length > 0) seen.push(await due());
  expect(seen).toEqual([
    [CHECKS_OF_FLEET + 3, 2, 2],
    [3, 2, 0],
    [0, 2, 0],
    [0, 0, 0],
  ]);
});

test('a car of a fleet that is not built yet waits, and holds up no other fleet of its partner', async () => {
  const running = await fleetOfCars(2, 18, { charge_policy: 'smart' });
  const building = await fleetOfCars(2, 19, { charge_policy: 'smart' });
  const { db } = fleets.api;
  const setStatus = (status: 'provisioning' | 'running') =>
    db.updateTable('fleets').set({ status }).where('simulation_org_id', '=', building.orgId).execute();
  await setStatus('provisioning');
  const now = new Date((building.from + 1) * QUARTER_HOUR_MS);
  await postpone(running.orgId, now);
  await applyDueChargeChecks(contextAt(now));
  expect(await left(now, running.orgId, building.orgId)).toEqual([0, 2]);
  await setStatus('running');
  await applyDueChargeChecks(contextAt(now));
  expect(await left(now, building.orgId)).toEqual([0]);
  expect(await checks(building.orgId)).toHaveLength(2);
});

test('what is asked of a car waits for the check before it holds the household, so that nobody waits in a ring', async () => {
  const { orgId, cars } = await fleetOfCars(1, 20, { charge_policy: 'smart' });
  const { db } = fleets.api;
  const countWaiting = async () => (await sql`select 1 from ${sql.raw(lockWaits())}`.execute(db)).rows.length;
  const asked = await db.transaction().execute(async (tx) => {
    await sql`select from charge_checks where org_id = ${orgId} for update`.execute(tx);
    const asking = ask(orgId, cars[0] as Car, { charge_policy: 'immediate' });
    await expect.poll(countWaiting).toBe(1);
    await sql`select from households where org_id = ${orgId} for no key update nowait`.execute(tx);
    return { asking };
  });
  await asked.asking;
});

test('nobody is looked at who charges at once again, or whose fleet has ended', async () => {
  const { orgId, cars, from, fleet } = await fleetOfCars(CHECKS_OF_FLEET, 14);
  const at = new Date(from * QUARTER_HOUR_MS);
  fleets.api.clock.set(at);
  await fleets.runner.processAll();
  const open = (await told(orgId)).filter((each) => each.endsWith('open'));
  const [device = ''] = (open[0] ?? '').split(' ');
  const car = cars.find(({ id }) => id === device);
  if (!car) throw new Error('one car misses its target');
  await ask(orgId, car, { charge_policy: 'immediate' });
  fleets.api.clock.set(new Date(at.getTime() + QUARTER_HOUR_MS));
  await fleets.runner.processAll();
  expect((await told(orgId)).filter((each) => each.startsWith(device))).toEqual([
    line(device, at, new Date(at.getTime() + QUARTER_HOUR_MS)),
  ]);
  expect((await checks(orgId)).map(({ device_id: id }) => id)).not.toContain(device);
  await fleets.act('stopFleet', fleet.job_id as string);
  fleets.api.clock.set(daysLater(3));
  await fleets.runner.processAll();
  expect(await checks(orgId)).toEqual([]);
});
