import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/api/durations.ts';
import { FLEET_LIMITS } from '../../src/domain/fleets/fleet-limits.ts';
import { fleetApi } from '../fleets/fleet-api.ts';
import type { Answer, Call } from '../support/api-client.ts';

const fleets = fleetApi();
let jobId: string;
let orgId: string;
let devices: Answer['body'][];

beforeEach(async () => {
  const fleet = await fleets.running({ count: 12, seed: 3, ev_ownership_fraction: 0.5 });
  [jobId, orgId] = [fleet.job_id as string, fleet.simulation_org_id as string];
  devices = await fleets.devices(jobId);
});

function raise(body: object, call: Call = {}): Promise<Answer> {
  const trigger = { request_id: randomUUID(), duration_minutes: 60, ...body };
  return fleets.api.call('triggerFleetEvent', { path: { job_id: jobId }, body: trigger, ...call });
}

async function offline(): Promise<string[]> {
  const all = await fleets.devices(jobId);
  return all.flatMap(({ device_id, online }) => (online === true ? [] : [device_id as string])).toSorted();
}

/** Where a simulated user lives from now on. */
async function move(userId: unknown, body: object): Promise<void> {
  const path = { org_id: orgId, user_id: userId as string };
  expect((await fleets.api.call('updateUser', { path, body })).status).toBe(200);
}

async function messages(): Promise<{ occurred_at: Date; device: string }[]> {
  const rows = await fleets.api.db
    .selectFrom('messages')
    .select(['occurred_at', 'payload'])
    .where('org_id', '=', orgId)
    .orderBy('id')
    .execute();
  return rows.map(({ occurred_at, payload }) => {
    const { data } = JSON.parse(String(payload)) as { data: { device_id: string } };
    return { occurred_at, device: data.device_id };
  });
}

const idsOf = (list: readonly Answer['body'][]): string[] =>
  list.map(({ device_id }) => device_id as string).toSorted();

describe('a shared outage', () => {
  test('of a region strikes those who lived there at the time of the call', async () => {
    const [here, there] = [
      { latitude: 48.2, longitude: 16.4, country: 'AT' },
      { latitude: 60.2, longitude: 24.9, country: 'FI' },
    ];
    const users = [...new Set(devices.map(({ user_id }) => user_id as string))];
    const [leaves = '', comes = ''] = users;
    for (const id of users) await move(id, id === leaves ? here : there);
    const struck = idsOf(devices.filter(({ user_id }) => user_id === leaves));
    const circle = { latitude: here.latitude, longitude: here.longitude, radius_km: 50 };
    const answers = [
      await raise({ cause: 'region', circle }),
      await raise({ cause: 'region', country: 'AT' }),
    ];
    expect(answers.map(({ body }) => body.devices as number)).toEqual([struck.length, struck.length]);
    await move(leaves, there);
    await move(comes, here);
    await fleets.runner.processAll();
    expect(await offline()).toEqual(struck);
  });

  test.each([1e-200, 5e-324])('strikes homes %d degrees from the middle of its circle', async (offset) => {
    const [user = ''] = devices.map(({ user_id }) => user_id as string);
    await move(user, { latitude: offset, longitude: 0, country: 'GH' });
    for (const latitude of [0, offset]) {
      const circle = { latitude, longitude: offset, radius_km: 1 };
      const { status, body } = await raise({ cause: 'region', circle });
      expect([status, body.devices]).toEqual([200, devices.filter(({ user_id }) => user_id === user).length]);
    }
  });

  test('takes the devices of its cause offline, tells each once, and ends by itself', async () => {
    const startsAt = fleets.api.clock.now();
    const { manufacturer } = devices[0] as { manufacturer: string };
    const struck = devices.filter((device) => device.manufacturer === manufacturer);
    const answer = await raise({ cause: 'manufacturer_cloud', manufacturer });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        job_id: jobId,
        cause: 'manufacturer_cloud',
        starts_at: startsAt.toISOString(),
        ends_at: new Date(startsAt.getTime() + HOUR_MS).toISOString(),
        devices: struck.length,
      },
    ]);
    fleets.api.clock.advance(1000);
    await fleets.runner.processAll();
    await fleets.runner.processAll();
    expect(await offline()).toEqual(idsOf(struck));
    const told = await messages();
    expect(told.map(({ device }) => device).toSorted()).toEqual(idsOf(struck));
    expect(told.every(({ occurred_at }) => occurred_at.getTime() === startsAt.getTime())).toBe(true);
    fleets.api.clock.set(new Date(startsAt.getTime() + HOUR_MS - 1));
    await fleets.runner.processAll();
    expect(await offline()).toHaveLength(struck.length);
    fleets.api.clock.set(new Date(startsAt.getTime() + HOUR_MS));
    await fleets.runner.processAll();
    expect(await offline()).toEqual([]);
    expect(await messages()).toHaveLength(struck.length);
  });

  test('strikes a country, or a circle around a place, by where users live now', async () => {
    const [moved] = devices;
    const path = { org_id: orgId, user_id: moved.user_id as string };
    const vienna = { latitude: 48.2082, longitude: 16.3738 };
    expect((await fleets.api.call('updateUser', { path, body: { ...vienna, country: 'AT' } })).status).toBe(
      200,
    );
    const theirs = devices.filter(({ user_id }) => user_id === moved.user_id).length;
    // Gänserndorf lies some 29 km to the north-east.
    const near = { latitude: 48.3393, longitude: 16.7202 };
    const counts = [
      { country: 'AT' },
      { country: 'FR' },
      { circle: { ...near, radius_km: 28 } },
      { circle: { ...near, radius_km: 31 } },
      { circle: { latitude: 0, longitude: 0, radius_km: 20_000 } },
    ].map(async (place) => (await raise({ cause: 'region', ...place })).body.devices as number);
    expect(await Promise.all(counts)).toEqual([theirs, 0, 0, theirs, devices.length]);
  });

  test('of routers strikes the households of the users, of which each must be one of the fleet', async () => {
    const users = [...new Set(devices.map(({ user_id }) => user_id as string))].slice(2, 4);
    const struck = devices.filter(({ user_id }) => users.includes(user_id as string));
    const answer = await raise({ cause: 'household_router', user_ids: [...users, users[0]?.toUpperCase()] });
    expect([answer.status, answer.body.devices]).toEqual([200, struck.length]);
    await fleets.runner.processAll();
    expect(await offline()).toEqual(idsOf(struck));
    const refused = await raise({ cause: 'household_router', user_ids: [users[0], randomUUID()] });
    expect([refused.status, refused.body.errors]).toMatchObject([
      422,
      [{ pointer: '/user_ids/1', code: 'event_user_unknown' }],
    ]);
  });

  test('that strikes no device keeps none behind it waiting', async () => {
    for (let raised = 0; raised < 5; raised += 1) await raise({ cause: 'region', country: 'FR' });
    fleets.api.clock.advance(1);
    await raise({ cause: 'region', country: 'DE' });
    await fleets.runner.processAll();
    expect(await offline()).toEqual(idsOf(devices));
  });

  test('that comes to another one is told no more, and who has several causes is back after the last', async () => {
    const [device] = devices;
    const path = { job_id: jobId, device_id: device.device_id as string };
    const user_ids = [device.user_id as string];
    await raise({ cause: 'household_router', user_ids, duration_minutes: 30 });
    await fleets.runner.processAll();
    fleets.api.clock.advance(20 * MINUTE_MS);
    await raise({ cause: 'region', country: 'DE', duration_minutes: 60 });
    await fleets.runner.processAll();
    expect(await messages()).toHaveLength(devices.length);
    fleets.api.clock.advance(20 * MINUTE_MS);
    await fleets.runner.processAll();
    expect(await offline()).toHaveLength(devices.length);
    // What is raised by hand lasts until somebody ends it.
    const again = await fleets.api.call('triggerDeviceEvent', { path, body: { code: 'device_offline' } });
    expect(again.body.changed).toBe(false);
    fleets.api.clock.advance(60 * MINUTE_MS);
    await fleets.runner.processAll();
    expect(await offline()).toEqual([device.device_id]);
    await fleets.api.call('triggerDeviceEvent', { path, body: { code: 'reconnect' } });
    expect(await offline()).toEqual([]);
    expect(await messages()).toHaveLength(devices.length);
  });

  test('leaves out devices that are added later, users who were deleted, and a fleet that has ended', async () => {
    const [gone] = devices;
    const path = { org_id: orgId, user_id: gone.user_id as string };
    expect((await fleets.api.call('deleteUser', { path })).status).toBe(204);
    const left = devices.filter(({ user_id }) => user_id !== gone.user_id);
    expect((await raise({ cause: 'region', country: 'DE' })).body.devices).toBe(left.length);
    fleets.api.clock.advance(1);
    await fleets.expand(jobId, 5);
    await fleets.runner.processAll();
    expect(await offline()).toEqual(idsOf(left));
    await raise({ cause: 'region', country: 'DE' });
    await fleets.act('stopFleet', jobId);
    const before = await messages();
    await fleets.runner.processAll();
    expect(await messages()).toEqual(before);
    expect((await raise({ cause: 'region', country: 'DE' })).body.code).toBe('fleet_state_conflict');
  });
});

describe('the call', () => {
  test('can be repeated: the same event is answered, and raised once', async () => {
    const body = { request_id: randomUUID(), cause: 'region', country: 'DE' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => raise(body)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    fleets.api.clock.advance(5000);
    const upperCase = { ...body, request_id: body.request_id.toUpperCase(), manufacturer: null };
    expect((await raise(upperCase)).body).toEqual(answers[0]?.body);
    const { length } = await fleets.api.db
      .selectFrom('shared_outages')
      .where('org_id', '=', orgId)
      .selectAll()
      .execute();
    expect(length).toBe(1);
    const other = await raise({ ...body, country: 'FR' });
    expect(other.body.errors).toMatchObject([{ pointer: '/request_id', code: 'request_id_reused' }]);
    await fleets.act('stopFleet', jobId);
    expect((await raise(body)).body).toEqual(answers[0]?.body);
    await fleets.act('purgeFleet', jobId);
    await fleets.runner.processAll();
    expect((await raise(body)).body.code).toBe('request_purged');
    expect((await raise({ ...body, request_id: randomUUID() })).status).toBe(404);
  });

  test.each([
    [{ cause: 'manufacturer_cloud' }, ['/manufacturer event_subject']],
    [{ cause: 'region' }, ['/country event_subject']],
    [{ cause: 'household_router', user_ids: null }, ['/user_ids event_subject']],
    [{ cause: 'region', country: 'DE', manufacturer: 'Volterra' }, ['/manufacturer event_subject']],
    [
      { cause: 'region', country: 'ZZ', circle: { latitude: 1, longitude: 2, radius_km: 3 } },
      ['/circle event_subject', '/country country_unknown'],
    ],
    [{ cause: 'weather', country: 'DE' }, ['/cause enum']],
    [{ cause: 'region', country: 'DE', duration_minutes: 10_081 }, ['/duration_minutes maximum']],
    [
      { cause: 'region', circle: { latitude: 1, longitude: 2, radius_km: 0 } },
      ['/circle/radius_km exclusive_minimum'],
    ],
    [{ cause: 'household_router', duration_minutes: 0 }, ['/duration_minutes minimum']],
  ])('%j is refused with all that is wrong', async (body, expected) => {
    const answer = await raise(body);
    const errors = answer.body.errors as { pointer: string; code: string }[];
    expect([answer.status, errors.map(({ pointer, code }) => `${pointer} ${code}`)]).toEqual([422, expected]);
  });

  test('raises at most as many outages as may be open', async () => {
    const open = () => raise({ cause: 'region', country: 'FR' });
    for (let count = 0; count < FLEET_LIMITS.open_events_max; count += 1)
      expect((await open()).status).toBe(200);
    const refused = await open();
    expect([refused.status, refused.body.code]).toEqual([409, 'event_limit_reached']);
    fleets.api.clock.advance(HOUR_MS);
    // What is over is open until it has struck its devices, so that no backlog grows.
    expect((await open()).body.code).toBe('event_limit_reached');
    await fleets.runner.processAll();
    expect((await open()).status).toBe(200);
  });

  test('finds the fleets of its organization alone, for admins and staff', async () => {
    const { api } = fleets;
    const body = { cause: 'region', country: 'DE' };
    const call = async (more: Call) => {
      const answer = await raise(body, more);
      return [answer.status, answer.body.code];
    };
    expect(await call({ path: { job_id: randomUUID() } })).toEqual([404, 'not_found']);
    expect(await call({ path: { job_id: jobId, org_id: orgId } })).toEqual([404, 'not_found']);
    const theirs = { org_id: api.foreign.orgId, job_id: jobId };
    expect(await call({ path: theirs, token: api.foreign.admin.token })).toEqual([404, 'not_found']);
    expect(await call({ path: theirs })).toEqual([403, 'organization_forbidden']);
    expect(await call({ token: api.own.user.token })).toEqual([403, 'role_forbidden']);
    expect(await call({ token: api.own.staff.token })).toEqual([200, undefined]);
  });
});
