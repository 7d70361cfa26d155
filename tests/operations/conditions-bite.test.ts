// The table of docs/simulation.md, executed: what each condition keeps from those who read a device.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { createConsentRequests } from '../../src/conditions/consent-requests.ts';
import { CONDITION_CODES } from '../../src/domain/notifications/conditions.ts';
import { MAX_INTERRUPTIONS } from '../../src/domain/notifications/interruptions.ts';
import { fleetApi } from '../fleets/fleet-api.ts';
import { root, tableRows } from '../readme/document.ts';
import type { Answer } from '../support/api-client.ts';

const page = readFileSync(join(root, 'docs/simulation.md'), 'utf8');
const table = tableRows(page, 'Conditions').map(([code = '', ...cells]) => [
  code.replaceAll('`', ''),
  ...cells,
]);

const BEGIN = '2026-01-15T12:07:00.000Z';
const END = '2026-01-15T14:20:00.000Z';
const fleets = fleetApi({ now: new Date('2026-01-15T12:00:00.000Z') });
let jobId: string;
let orgId: string;
let inverter: Answer['body'];

async function openFleet(): Promise<void> {
  const history = { history_days: 3, history_cutoff: '2026-01-15T12:00:00Z' };
  const fleet = await fleets.running({ count: 1, seed: 11, ...history });
  [jobId, orgId] = [fleet.job_id as string, fleet.simulation_org_id as string];
  inverter = (await fleets.devices(jobId)).find((device) => device.device_type === 'inverter');
}

beforeEach(async () => {
  fleets.api.clock.set('2026-01-15T12:00:00.000Z');
  await openFleet();
});

const pathOf = ({ user_id, device_id }: Answer['body']) => ({
  org_id: orgId,
  user_id: user_id as string,
  inverter_id: device_id as string,
});

async function read(): Promise<Answer['body']> {
  return (await fleets.api.call('getUserInverter', { path: pathOf(inverter) })).body;
}

interface Entry {
  readonly time: string;
  readonly grid_power_w: number | null;
}

async function data(from: string, to: string, resolution = '15MIN'): Promise<Entry[]> {
  const query = { from, to, resolution };
  const { body } = await fleets.api.call('getInverterData', { path: pathOf(inverter), query });
  return body.data as Entry[];
}

/** The times of periods of which all values are null; the others have all values. */
function unread(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ time, ...values }) => {
    const known = Object.values(values).filter((value) => value !== null);
    expect([0, Object.keys(values).length]).toContain(known.length);
    return known.length === 0 ? [time.slice(11, 16)] : [];
  });
}

async function trigger(code: string, device = inverter): Promise<Answer> {
  const path = { job_id: jobId, device_id: device.device_id as string };
  return fleets.api.call('triggerDeviceEvent', { path, body: { code } });
}

/** What ends each condition: the reconnect, the consent, the dismissal of the notice. */
async function end(code: string): Promise<void> {
  if (code === 'device_offline') {
    await trigger('reconnect');
    return;
  }
  const { db, clock } = fleets.api;
  const { items } = (await fleets.api.call('listActions', { path: { org_id: orgId } })).body;
  const shown = items as { id: string; code: string; resolution: { url: string } }[];
  const item = shown.find((each) => (each.code === 'reauthenticate') === (code === 'reauthenticate'));
  if (code === 'reauthenticate') {
    const consents = createConsentRequests(db);
    const found = await consents.find({ orgId, itemId: item?.id ?? '' }, clock.now());
    if (found === undefined) throw new Error('Nobody is asked for a consent.');
    expect(await consents.approve(found, clock.now())).toBe(true);
    return;
  }
  const secret = new URL(item?.resolution.url ?? '', fleets.api.baseUrl).searchParams.get('secret') ?? '';
  const path = { item_id: item?.id ?? '' };
  expect((await fleets.api.call('resolveNotificationItem', { path, query: { secret } })).status).toBe(200);
}

const FIRST_TO_LAST_TOUCHED = [
  '12:00',
  '12:15',
  '12:30',
  '12:45',
  '13:00',
  '13:15',
  '13:30',
  '13:45',
  '14:00',
];

test('the table has every condition', () => {
  expect(table.map(([code]) => code)).toEqual(CONDITION_CODES);
});

describe.each(table)('%s', (code = '', isRead, _isSteered, stateMeanwhile, dataMeanwhile, afterwards) => {
  test(`reads ${isRead}: state ${stateMeanwhile}, data ${dataMeanwhile}, then ${afterwards}`, async () => {
    const { clock } = fleets.api;
    clock.set(BEGIN);
    const before = await read();
    expect(before.as_of).toBe(BEGIN);
    await trigger(code);
    const control = { mode: 'interrupted', reason: code };
    expect((await read()).state).toEqual({ ...before.state, control });

    clock.set(END);
    const meanwhile = await read();
    expect(meanwhile.online).toBe(code !== 'device_offline');
    expect(meanwhile.as_of).toBe(isRead === 'yes' ? END : BEGIN);
    if (stateMeanwhile === 'stands still') expect(meanwhile.state).toEqual({ ...before.state, control });
    else expect(meanwhile.state.pv_energy_kwh).toBeGreaterThan(before.state.pv_energy_kwh as number);
    const range = ['2026-01-15T11:00:00Z', '2026-01-15T15:00:00Z'] as const;
    const during = await data(...range);
    expect(during).toHaveLength(13);
    expect(unread(during)).toEqual(dataMeanwhile === 'null' ? FIRST_TO_LAST_TOUCHED : []);
    expect(unread(await data(...range, '1HOUR'))).toEqual(
      dataMeanwhile === 'null' ? ['12:00', '13:00', '14:00'] : [],
    );

    await end(code);
    expect((await read()).as_of).toBe(END);
    expect((await read()).state.pv_energy_kwh).toBeGreaterThan(before.state.pv_energy_kwh as number);
    clock.set('2026-01-15T14:50:00.000Z');
    const after = await data(...range);
    expect(unread(after)).toEqual(afterwards === 'null' ? [...FIRST_TO_LAST_TOUCHED, '14:15'] : []);
    // What was read, also later, are the values of a device to which nothing ever happened.
    await openFleet();
    const untouched = await data(...range);
    expect(after.filter((entry) => entry.grid_power_w !== null)).toEqual(
      untouched.filter(({ time }) =>
        after.some((entry) => entry.time === time && entry.grid_power_w !== null),
      ),
    );
  });
});

describe('a device that is not read', () => {
  test('shows what devices of its household that are read show, once it is back', async () => {
    const { clock } = fleets.api;
    clock.set(BEGIN);
    await trigger('device_offline');
    clock.set(END);
    await trigger('reconnect');
    const range = ['2026-01-15T00:00:00Z', '2026-01-15T14:00:00Z'] as const;
    const told = await data(...range);
    expect(unread(told)).toEqual([]);
    const energy = told.reduce((sum, entry) => sum + Math.round((entry as never)['pv_energy_kwh'] * 1000), 0);
    const [day] = await data(...range, '1DAY');
    expect(energy).toBe(Math.round((day as never)['pv_energy_kwh'] * 1000));
  });

  test('stands still from where the first of several conditions began that follow on each other', async () => {
    const { clock } = fleets.api;
    clock.set(BEGIN);
    await trigger('reauthenticate');
    clock.set('2026-01-15T13:00:00.000Z');
    await trigger('device_offline');
    clock.set('2026-01-15T13:30:00.000Z');
    await end('reauthenticate');
    clock.set(END);
    expect((await read()).as_of).toBe(BEGIN);
    await trigger('reconnect');
    expect((await read()).as_of).toBe(END);
  });

  test('of a fleet that has ended stands still at the earlier instant', async () => {
    fleets.api.clock.set(BEGIN);
    await trigger('device_offline');
    fleets.api.clock.set(END);
    await fleets.act('stopFleet', jobId);
    fleets.api.clock.advance(86_400_000);
    expect((await read()).as_of).toBe(BEGIN);
    expect(unread(await data('2026-01-15T11:00:00Z', '2026-01-16T15:00:00Z'))).toEqual(FIRST_TO_LAST_TOUCHED);
  });
});

test('a condition begins as often as its times can be kept, and the fleet’s purge takes them along', async () => {
  const { api } = fleets;
  const count = async () =>
    (await api.db.selectFrom('device_interruptions').select('code').where('org_id', '=', orgId).execute())
      .length;
  const again = async () => {
    const { body } = await trigger('device_offline');
    api.clock.advance(1);
    await trigger('reconnect');
    return body.changed as boolean;
  };
  expect(await again()).toBe(true);
  await sql`
    insert into device_interruptions (org_id, device_id, code, started_at, read_until, ended_at, unsteered_from, unsteered_to)
    select org_id, device_id, code, started_at - n * interval '1 hour', read_until, started_at - n * interval '1 hour', 0, 0
    from device_interruptions, generate_series(1, ${MAX_INTERRUPTIONS - 2}::integer) n where org_id = ${orgId}
  `.execute(api.db);
  expect(await again()).toBe(true);
  expect(await count()).toBe(MAX_INTERRUPTIONS);
  const refused = await trigger('device_offline');
  expect([refused.status, refused.body.code]).toEqual([409, 'event_limit_reached']);
  expect((await read()).online).toBe(true);
  // Other conditions of the device, and other devices, have their own.
  expect((await trigger('steering_recovery_failed')).status).toBe(200);
  expect(await count()).toBe(MAX_INTERRUPTIONS + 1);
  await fleets.act('stopFleet', jobId);
  await fleets.act('cleanupFleet', jobId);
  expect(await count()).toBe(0);
});
