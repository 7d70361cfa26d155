import { expect, test } from 'vitest';
import { TIME_SLICE_DAYS, yieldToEventLoop } from '../../src/households/time-slicer.ts';
import type { YieldToEventLoop } from '../../src/households/time-slicer.ts';
import { fleetApi } from '../fleets/fleet-api.ts';
import { DAYS, householdsOf, kept, modelsOf, NOON, oldFleet, summed, TODAY } from '../fleets/old-fleets.ts';
import type { Answer } from '../support/api-client.ts';

/** The turns that requests wait for; a test may let something happen in them. */
let turns: YieldToEventLoop = yieldToEventLoop;
const fleets = fleetApi({ now: NOON, services: { yieldToEventLoop: (days) => turns(days) } });

test('a cold look at a fleet ten years old lets other requests through, in slices of bounded work', async () => {
  const fleet = await oldFleet(fleets, 3, { seed: 1 });
  const slices: number[] = [];
  const answered: string[] = [];
  turns = async (days) => {
    slices.push(days);
    // Only what comes between the slices can answer this: the list waits for it.
    if (slices.length === 5) answered.push(`config ${(await fleets.api.call('getFleetConfig')).status}`);
  };
  const list = await fleets.api.call('listFleetDevices', { path: { job_id: fleet.job_id as string } });
  answered.push(`devices ${list.status}`);
  turns = yieldToEventLoop;
  expect(answered).toEqual(['config 200', 'devices 200']);
  expect(Math.max(...slices)).toBeLessThanOrEqual(TIME_SLICE_DAYS);
  expect(slices.length).toBeGreaterThanOrEqual(Math.floor((3 * DAYS) / TIME_SLICE_DAYS));
});

test('between the turns of the event loop a request that came later is answered', async () => {
  const fleet = await oldFleet(fleets, 6, { seed: 2 });
  let config: Promise<Answer> | undefined;
  let isAnswered = false;
  let wasAnswered = false;
  turns = (days) => {
    config ??= fleets.api.call('getFleetConfig').finally(() => (isAnswered = true));
    wasAnswered = isAnswered;
    return yieldToEventLoop(days);
  };
  await fleets.api.call('listFleetDevices', { path: { job_id: fleet.job_id as string } });
  turns = yieldToEventLoop;
  // As the last slice began.
  expect(wasAnswered).toBe(true);
  expect((await config)?.status).toBe(200);
});

test('shows what the devices counted since then, leaves checkpoints behind and starts at them', async () => {
  const fleet = await oldFleet(fleets, 2, { seed: 3, ev_ownership_fraction: 1 });
  const orgId = fleet.simulation_org_id as string;
  const path = { job_id: fleet.job_id as string };
  const before = await fleets.devices(path.job_id);
  const households = await householdsOf(fleets, orgId);
  const models = await modelsOf(fleets, orgId);
  for (const [index, model] of models.entries()) {
    const counters = model.countersBefore(NOON.getTime() / 900_000);
    const kwh = (milliWh: number): number => Math.round(milliWh / 1000) / 1000;
    const stateOf = (type: string) =>
      before.find((device) => device.device_type === type && device.household_index === index)?.state;
    expect(stateOf('inverter')).toMatchObject({
      pv_energy_kwh: kwh(counters.pv),
      grid_import_kwh: kwh(counters.gridImport),
      grid_export_kwh: kwh(counters.gridExport),
    });
    expect(stateOf('wallbox')).toMatchObject({ energy_kwh: kwh(counters.ev) });
  }
  expect(await kept(fleets, orgId)).toEqual(await summed(fleets, orgId, [TODAY, TODAY]));

  const inverter = before.find((device) => device.device_type === 'inverter');
  const data = () =>
    fleets.api.call('getInverterData', {
      path: { org_id: orgId, user_id: inverter.user_id, inverter_id: inverter.device_id },
      query: { from: '2026-06-14', to: '2026-06-16', resolution: '1HOUR' },
    });
  const series = await data();
  expect([series.status, series.body.data.length]).toEqual([200, 36]);
  // Nobody remembers the household of another seed: what it shows began at what is kept.
  await fleets.api.db
    .updateTable('household_checkpoints')
    .set({ pv: 5e12 })
    .where('org_id', '=', orgId)
    .execute();
  await fleets.api.db
    .updateTable('households')
    .set({ attributes: JSON.stringify({ ...households[0], seed: 4 }) })
    .where('org_id', '=', orgId)
    .where('household_index', '=', 0)
    .execute();
  const [shown] = (await fleets.devices(path.job_id)).filter(
    (device) => device.device_type === 'inverter' && device.household_index === 0,
  );
  expect(shown.state.pv_energy_kwh).toBeGreaterThanOrEqual(5e6);
});

test('what was summed for a household that another has replaced meanwhile is not kept', async () => {
  const fleet = await oldFleet(fleets, 2, { seed: 11 });
  const orgId = fleet.simulation_org_id as string;
  const [, second] = await householdsOf(fleets, orgId);
  let slices = 0;
  turns = async () => {
    slices += 1;
    if (slices > 1) return;
    await fleets.api.db
      .updateTable('households')
      .set({ attributes: JSON.stringify({ ...second, profile: 'shared_flat' }) })
      .where('org_id', '=', orgId)
      .where('household_index', '=', 1)
      .execute();
  };
  await fleets.devices(fleet.job_id as string);
  turns = yieldToEventLoop;
  expect(await kept(fleets, orgId)).toHaveLength(1);
  await fleets.devices(fleet.job_id as string);
  expect(await kept(fleets, orgId)).toEqual(await summed(fleets, orgId, [TODAY, TODAY]));
});
