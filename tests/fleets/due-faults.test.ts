import { expect, test } from 'vitest';
import { applyDueFaults } from '../../src/fleets/due-faults.ts';
import { findNextConditionChangeAt } from '../../src/queries/fleets/planned-conditions.ts';
import { fleetApi } from './fleet-api.ts';

const fleets = fleetApi({ faults: true, services: { simulatorFaults: true } });

async function planned(orgId: string) {
  return fleets.api.db
    .selectFrom('device_conditions')
    .select(['device_id', 'code', 'active', 'next_change_at'])
    .where('org_id', '=', orgId)
    .where('next_change_at', 'is not', null)
    .orderBy('next_change_at')
    .execute();
}

async function items(orgId: string) {
  return fleets.api.db
    .selectFrom('notification_items')
    .select(['device_id', 'code', 'occurred_at', 'cleared_at'])
    .where('org_id', '=', orgId)
    .orderBy('occurred_at')
    .execute();
}

test('a planned outage begins at its instant, once, and ends at its instant', async () => {
  const fleet = await fleets.running({ count: 20 });
  const orgId = fleet.simulation_org_id as string;
  const created = fleets.api.clock.now().getTime();
  const plan = await planned(orgId);
  expect(plan.every(({ active }) => !active)).toBe(true);
  const first = plan.find(({ code }) => code === 'device_offline');
  const beginsAt = first?.next_change_at ?? new Date(0);
  expect(beginsAt.getTime()).toBeGreaterThanOrEqual(created + 3_600_000);

  const ofDevice = async () => (await items(orgId)).filter((item) => item.device_id === first?.device_id);
  fleets.api.clock.set(new Date(beginsAt.getTime() - 1));
  await fleets.runner.processAll();
  expect(await ofDevice()).toEqual([]);
  fleets.api.clock.set(beginsAt);
  await fleets.runner.processAll();
  await fleets.runner.processAll();
  const outage = { device_id: first?.device_id, code: 'device_offline', occurred_at: beginsAt };
  expect(await ofDevice()).toEqual([{ ...outage, cleared_at: null }]);
  const now = (await fleets.devices(fleet.job_id as string)).find(
    (each) => each.device_id === first?.device_id,
  );
  expect(now.online).toBe(false);

  const ending = (await planned(orgId)).find(
    ({ device_id, code }) => device_id === first?.device_id && code === 'device_offline',
  );
  const endsAt = ending?.next_change_at ?? new Date(0);
  expect(endsAt.getTime()).toBeGreaterThan(beginsAt.getTime());
  fleets.api.clock.set(endsAt);
  await fleets.runner.processAll();
  expect(await ofDevice()).toEqual([{ ...outage, cleared_at: endsAt }]);
  const messages = await fleets.api.db
    .selectFrom('messages')
    .select('id')
    .where('org_id', '=', orgId)
    .execute();
  expect(messages).toHaveLength((await items(orgId)).length);
});

test('equal fleets get the same faults at the same instants', async () => {
  const body = { count: 10, seed: 7 };
  const [one, other] = [await fleets.running(body), await fleets.running(body)];
  const instants = async (fleet: { simulation_org_id: string }) =>
    (await planned(fleet.simulation_org_id)).map(({ code, next_change_at }) => [code, next_change_at]);
  const ofOne = await instants(one);
  expect(ofOne.length).toBeGreaterThan(10);
  expect(await instants(other)).toEqual(ofOne);
});

test('what was missed is told late, with its own instant; what began over a day ago and has ended is passed over', async () => {
  const fleet = await fleets.running({ count: 100 });
  const orgId = fleet.simulation_org_id as string;
  const plan = (await planned(orgId)).map(({ next_change_at, ...rest }) => ({
    ...rest,
    beginsAt: next_change_at ?? new Date(0),
  }));
  // A lost session lasts until somebody signs in again.
  const lost = plan.find(({ code }) => code === 'reauthenticate');
  const last = new Date((lost?.beginsAt.getTime() ?? 0) + 2 * 86_400_000);
  const isOld = (at: Date): boolean => last.getTime() - at.getTime() > 86_400_000;
  fleets.api.clock.set(last);
  await fleets.runner.processAll();
  const told = await items(orgId);
  const old = told.filter(({ occurred_at }) => isOld(occurred_at));
  expect(old).toContainEqual({
    device_id: lost?.device_id,
    code: 'reauthenticate',
    occurred_at: lost?.beginsAt,
    cleared_at: null,
  });
  expect(old.filter(({ cleared_at }) => cleared_at !== null)).toEqual([]);
  expect(plan.filter(({ beginsAt }) => isOld(beginsAt)).length).toBeGreaterThan(old.length);
  const recent = plan.filter(({ beginsAt }) => beginsAt <= last && !isOld(beginsAt));
  expect(recent.length).toBeGreaterThan(0);
  for (const { device_id, code, beginsAt } of recent) {
    expect(told).toContainEqual(expect.objectContaining({ device_id, code, occurred_at: beginsAt }));
  }
});

test('nothing happens any more in a stopped fleet, and what held goes on holding', async () => {
  const fleet = await fleets.running({ count: 20 });
  const orgId = fleet.simulation_org_id as string;
  const plan = await planned(orgId);
  fleets.api.clock.set(plan[0]?.next_change_at ?? new Date(0));
  await fleets.runner.processAll();
  const before = await items(orgId);
  expect(before).toHaveLength(1);
  await fleets.act('stopFleet', fleet.job_id as string);
  expect(await planned(orgId)).toEqual([]);
  fleets.api.clock.advance(86_400_000 * 30);
  await fleets.runner.processAll();
  expect(await items(orgId)).toEqual(before);
});

test('without planned faults nothing is planned', async () => {
  const { body } = await fleets.create({ count: 5 });
  await fleets.anotherRunner({ simulatorFaults: false }).processAll();
  expect(await planned(body.simulation_org_id as string)).toEqual([]);
});

test('faults begin at the quota of pending deliveries, and the runner counts what is dropped', async () => {
  const { api } = fleets;
  const fleet = await fleets.running({ count: 20 });
  const orgId = fleet.simulation_org_id as string;
  const topics = ['device.information', 'device.action_required'];
  const url = 'https://partner.example.com/hook';
  await api.call('createWebhook', { path: { org_id: orgId }, body: { url, topics } });
  let dropped = 0;
  const runner = fleets.anotherRunner({
    simulatorFaults: true,
    pendingDeliveries: 0,
    countDropped: (count) => (dropped += count),
  });
  // Two that begin soon after each other: what began over a day ago is passed over.
  const begins = (await planned(orgId)).map(({ next_change_at: at }) => at?.getTime() ?? NaN);
  const [, second] = begins
    .slice(1)
    .map((at, n) => [at - (begins[n] ?? NaN), at] as const)
    .reduce((closest, each) => (each[0] < closest[0] ? each : closest));
  api.clock.set(new Date(second));
  await runner.processAll();
  const deliveries = await api.db
    .selectFrom('deliveries')
    .select(['state', 'cancel_reason'])
    .where('org_id', '=', orgId)
    .execute();
  expect(deliveries.length).toBeGreaterThanOrEqual(2);
  expect((await items(orgId)).length).toBe(deliveries.length);
  expect(deliveries.filter(({ state }) => state === 'pending')).toHaveLength(1);
  expect(deliveries.filter(({ cancel_reason: reason }) => reason === 'quota_reached')).toHaveLength(dropped);
});

test('what is due of a fleet that is not built yet waits, holds up no other one and keeps no loop awake', async () => {
  const { api, runner } = fleets;
  const [building, ready] = [await fleets.running({ count: 3 }), await fleets.running({ count: 3 })];
  await api.db.updateTable('device_conditions').set({ begins_at: null, ends_at: null }).execute();
  const due = (fleet: typeof ready, at: Date) =>
    api.db
      .updateTable('device_conditions')
      .set({ begins_at: at })
      .where('org_id', '=', fleet.simulation_org_id as string)
      .execute();
  const now = api.clock.now();
  await due(building, new Date(now.getTime() - 1));
  await due(ready, now);
  const countDue = async (fleet: typeof ready) =>
    (await planned(fleet.simulation_org_id as string)).filter(({ next_change_at: at }) => at && at <= now)
      .length;
  const setStatus = (status: 'provisioning' | 'running') =>
    api.db
      .updateTable('fleets')
      .set({ status })
      .where('id', '=', building.job_id as string)
      .execute();
  await setStatus('provisioning');
  const pause = () => Promise.resolve();
  await applyDueFaults({ db: api.db, now: api.clock.now, simulatorFaults: true, pause });
  expect(await countDue(ready)).toBe(0);
  expect(await countDue(building)).toBeGreaterThan(0);
  const next = await findNextConditionChangeAt(api.db);
  expect(next?.getTime()).toBeGreaterThan(now.getTime());
  await setStatus('running');
  await runner.processAll();
  expect(await countDue(building)).toBe(0);
});

test('what was read before a fault came in stays, however late it was applied', async () => {
  const { api } = fleets;
  const fleet = await fleets.running({ count: 60, seed: 11, ev_ownership_fraction: 1 });
  const orgId = fleet.simulation_org_id as string;
  const devices = await fleets.devices(fleet.job_id as string);
  const plan = (await planned(orgId)).filter(({ code }) => code === 'reauthenticate');
  const inverter = devices.find(
    ({ device_id, device_type }) =>
      device_type === 'inverter' && plan.some((each) => each.device_id === device_id),
  );
  const begins =
    plan.find(({ device_id }) => device_id === inverter.device_id)?.next_change_at ?? new Date(0);
  // A runner that was away for five hours: meanwhile the data were read.
  const late = new Date(begins.getTime() + 5 * 3_600_000);
  api.clock.set(late);
  const path = {
    org_id: orgId,
    user_id: inverter.user_id as string,
    inverter_id: inverter.device_id as string,
  };
  const query = { from: new Date(begins.getTime() - 3_600_000).toISOString(), to: late.toISOString() };
  const loads = async (): Promise<(number | null)[]> => {
    const { body } = await api.call('getInverterData', { path, query });
    return (body.data as { load_power_w: number | null }[]).map((each) => each.load_power_w);
  };
  const whole = (values: readonly (number | null)[]) => values.slice(0, -1);
  const before = await loads();
  for (let round = 0; round < 20; round += 1) await fleets.runner.processAll();
  const { body } = await api.call('getUserInverter', { path });
  expect([body.as_of, whole(before).includes(null)]).toEqual([late.toISOString(), false]);
  expect(whole(await loads())).toEqual(whole(before));
});
