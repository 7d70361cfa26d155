import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { sql } from 'kysely';
import { sha256Digest } from '../../src/domain/security/credentials.ts';
import { HOUR_MS } from '../../src/domain/api/durations.ts';
import { loadControls } from '../../src/households/household-controls.ts';
import { listFleetDevices } from '../../src/queries/fleets/devices.ts';
import { insertApplication } from '../../src/queries/accounts/applications.ts';
import { fleetApi } from '../fleets/fleet-api.ts';

const fleets = fleetApi();

/** A fleet of two households with three more that its worker had built when it died. */
async function halfExpanded(): Promise<{ jobId: string; orgId: string; userIds: string[] }> {
  const fleet = await fleets.running({ count: 2, ev_ownership_fraction: 1 });
  const [jobId, orgId] = [fleet.job_id as string, fleet.simulation_org_id as string];
  await fleets.expand(jobId, 6);
  await fleets.runner.processAll();
  await sql`update fleets set status = 'expanding', created_count = 5 where id = ${jobId}`.execute(
    fleets.api.db,
  );
  for (const table of ['devices', 'users', 'households']) {
    await sql`delete from ${sql.table(table)} where org_id = ${orgId} and household_index >= 5`.execute(
      fleets.api.db,
    );
  }
  const users = (await fleets.locations(jobId)) as { user_id: string }[];
  return { jobId, orgId, userIds: users.map(({ user_id }) => user_id) };
}

test.each(['stopFleet', 'cancelFleet'] as const)(
  '%s drops households that were built already, with whatever their users have since',
  async (operation) => {
    const { jobId, orgId, userIds } = await halfExpanded();
    expect(userIds).toHaveLength(5);
    for (const ownerUserId of [userIds[1] ?? '', userIds[4] ?? '']) {
      const application = { orgId, ownerUserId, name: 'Own', grantType: 'client-credentials' } as const;
      const secret = { clientId: randomUUID(), secretHash: sha256Digest('secret') };
      await insertApplication(fleets.api.db, { ...application, ...secret }, fleets.api.clock.now());
    }
    const answer = await fleets.act(operation, jobId);
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { count: 2, progress: { created: 2, total: 2 }, device_counts: { inverter: 2, wallbox: 2 } },
    ]);
    expect(await fleets.locations(jobId)).toHaveLength(2);
    const { rows } = await sql`select owner_user_id as id from applications where org_id = ${orgId}`.execute(
      fleets.api.db,
    );
    expect(rows).toEqual([{ id: userIds[1] }]);
    await fleets.runner.processAll();
    expect((await fleets.get(jobId)).count).toBe(2);
  },
);

test('what was asked of a household that was dropped steers none that takes its place', async () => {
  const { api, runner } = fleets;
  const { jobId, orgId, userIds } = await halfExpanded();
  const inverterOf = async (userId: string) =>
    (await fleets.devices(jobId)).find(
      (device) => device.user_id === userId && device.device_type === 'inverter',
    );
  const ask = async (reserve_percent: number) => {
    const { user_id, device_id } = await inverterOf(userIds[4] ?? '');
    const path = { org_id: orgId, user_id, inverter_id: device_id };
    expect((await api.call('updateInverterPreferences', { path, body: { reserve_percent } })).status).toBe(
      200,
    );
    api.clock.advance(HOUR_MS);
    const rows = await listFleetDevices(api.db, orgId, { deviceType: 'inverter' }, { limit: 10, offset: 0 });
    const controls = await loadControls(api.db, api.own.orgId, rows);
    const index = rows.find(({ id }) => id === device_id)?.household_index ?? -1;
    return controls.get(index)?.control.inverter.preferences.map(({ value }) => value.reserve_percent);
  };
  expect(await ask(20)).toEqual([20]);
  await fleets.act('cancelFleet', jobId);
  await fleets.expand(jobId, 6);
  await runner.processAll();
  expect(await ask(70)).toEqual([70]);
});
