import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import { insertOrganization } from '../../src/queries/accounts/organizations.ts';
import { NO_RATINGS } from '../../src/simulation/household/device-description.ts';
import { createAssumedHousehold } from '../../src/households/assumed-household.ts';
import { addPerson, startApi } from '../support/api.ts';
import type { Api, Person } from '../support/api.ts';
import type { Answer, Call } from '../support/api-client.ts';
import { refusal } from './refusal.ts';
import { until } from '../process/partner.ts';
import { countStatements } from '../support/statement-count.ts';
import { QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';

interface Entry {
  readonly time: string;
  readonly state: string;
}

let api: Api;
/** An organization of the test's own, with a heat pump at a user in Linz. */
let admin: Person;
let pump: { readonly org_id: string; readonly user_id: string; readonly heat_pump_id: string };
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  api.clock.set('2026-01-15T12:00:00Z');
  const orgId = await addOrganization();
  admin = await addPerson(api.db, orgId, 'admin', api.clock.now());
  pump = await addHeatPump(orgId);
});

async function addOrganization(parentOrgId: string | null = null): Promise<string> {
  const id = randomUUID();
  const kind = parentOrgId === null ? 'partner' : 'simulation';
  await insertOrganization(api.db, { id, name: 'Heat', kind, parentOrgId, createdAt: api.clock.now() });
  return id;
}

async function addHeatPump(orgId: string, coordinates: object = { latitude: 48.3, longitude: 14.29 }) {
  const [user_id, heat_pump_id] = [randomUUID(), randomUUID()];
  const at = api.clock.now();
  const user = { org_id: orgId, id: user_id, email: `${user_id}@example.com`, role: 'user' } as const;
  await api.db
    .insertInto('users')
    .values({ ...user, ...coordinates, created_at: at, updated_at: at })
    .execute();
  const device = {
    org_id: orgId,
    id: heat_pump_id,
    user_id,
    device_type: 'heat_pump',
    created_at: at,
  } as const;
  const words = { name: 'Heat pump', manufacturer: 'x', model: 'x', ratings: JSON.stringify(NO_RATINGS) };
  await api.db
    .insertInto('devices')
    .values({ ...device, ...words })
    .execute();
  return { org_id: orgId, user_id, heat_pump_id };
}

function get(from: string, to: string, call: Call = {}): Promise<Answer> {
  return api.call('getHeatPumpSchedules', { path: pump, query: { from, to }, token: admin.token, ...call });
}

async function entries(from: string, to: string, call: Call = {}): Promise<Entry[]> {
  const answer = await get(from, to, call);
  expect([answer.status, (answer.body as { metadata: { error: string } }).metadata.error]).toEqual([200, '']);
  return (answer.body as { data: Entry[] }).data;
}

/** Hourly prices of a UTC day from midnight in Linz, dear from 6 to 9 and 17 to 20 h. */
async function upload(
  day: string,
  price: (hour: number) => number,
  orgId = pump.org_id,
  token = admin.token,
): Promise<void> {
  const midnight = Date.parse(`${day}T00:00:00+01:00`);
  const data = Array.from({ length: 24 }, (_, hour) => ({
    timestamp: new Date(midnight + hour * 4 * QUARTER_HOUR_MS).toISOString(),
    price: price(hour),
  }));
  const answer = await api.call('uploadDayAheadPrices', {
    path: { org_id: orgId },
    body: { data },
    token,
  });
  expect(answer.body).toMatchObject({ state: 'success' });
}

const dearAtNoon = (hour: number): number => (hour >= 10 && hour < 14 ? 300 : 50 + hour);
const cheapAtNoon = (hour: number): number => (hour >= 10 && hour < 14 ? -20 : 150 + hour);

const statesBetween = (list: readonly Entry[], from: string, to: string): Set<string> =>
  new Set(list.filter(({ time }) => time >= from && time < to).map(({ state }) => state));

describe('the answer', () => {
  test('echoes the query as it was sent and holds an entry a quarter hour', async () => {
    const [from, to] = ['2026-01-16T00:07:00+01:00', '2026-01-16T01:15'];
    const answer = await get(from, to);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      metadata: { requested_at: '2026-01-15T12:00:00.000Z', query: { ...pump, from, to }, error: '' },
    });
    expect((answer.body as { data: Entry[] }).data.map(({ time }) => time)).toEqual([
      '2026-01-15T23:15:00.000Z',
      '2026-01-15T23:30:00.000Z',
      '2026-01-15T23:45:00.000Z',
      '2026-01-16T00:00:00.000Z',
      '2026-01-16T00:15:00.000Z',
      '2026-01-16T00:30:00.000Z',
      '2026-01-16T00:45:00.000Z',
      '2026-01-16T01:00:00.000Z',
    ]);
  });

  test('writes ids in lower case, as every answer does, however they were sent', async () => {
    const path = Object.fromEntries(Object.entries(pump).map(([name, id]) => [name, id.toUpperCase()]));
    const answer = await get('2026-01-16', '2026-01-17', { path });
    expect([answer.status, answer.body]).toMatchObject([200, { metadata: { query: pump } }]);
  });

  test('is normal throughout without prices: the house keeps its own habits', async () => {
    const day = await entries('2026-01-15T23:00:00Z', '2026-01-16T23:00:00Z');
    expect(day).toHaveLength(96);
    expect(new Set(day.map(({ state }) => state))).toEqual(new Set(['mid']));
  });

  test('boosts when prices are low, blocks or sets back when they are high', async () => {
    await upload('2026-01-16', dearAtNoon);
    await upload('2026-01-17', cheapAtNoon);
    const days = await entries('2026-01-15T23:00:00Z', '2026-01-17T23:00:00Z');
    expect(days).toHaveLength(192);
    const dear = statesBetween(days, '2026-01-16T09:00', '2026-01-16T13:00');
    // Towards the end of its plan the house is let down to where it would be without one.
    const cheap = statesBetween(days, '2026-01-17T09:00', '2026-01-17T11:30');
    expect([dear.has('max'), dear.has('mid'), dear.has('min')]).toEqual([false, false, true]);
    expect([cheap.has('min'), cheap.has('low'), cheap.has('max')]).toEqual([false, false, true]);
  });

  test('holds 31 days, 92 quarter hours on the day on which summer time begins', async () => {
    expect(await entries('2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z')).toHaveLength(31 * 96);
    expect(await entries('2026-03-29T00:00:00+01:00', '2026-03-30T00:00:00+02:00')).toHaveLength(92);
  });

  test('says why there is nothing', async () => {
    const without = await addHeatPump(pump.org_id, {});
    const answers = [
      await get('2026-01-16', '2026-01-17', { path: without }),
      await get('2026-01-16T00:01', '2026-01-16T00:14'),
    ];
    expect(answers.map(({ status, body }) => [status, body as unknown])).toMatchObject([
      [200, { metadata: { error: expect.stringMatching(/coordinates/) }, data: [] }],
      [200, { metadata: { error: expect.stringMatching(/quarter hour/) }, data: [] }],
    ]);
  });
});

describe('prices', () => {
  test('that come in later change no quarter that has begun', async () => {
    await upload('2026-01-16', dearAtNoon);
    const day = ['2026-01-15T23:00:00Z', '2026-01-16T23:00:00Z'] as const;
    const before = await entries(...day);
    api.clock.set('2026-01-16T10:05:00Z');
    await upload('2026-01-16', cheapAtNoon);
    const after = await entries(...day);
    const begun = before.filter(({ time }) => time <= '2026-01-16T10:05');
    expect(begun).toHaveLength(45);
    expect(after.slice(0, 45)).toEqual(begun);
    expect(after.slice(45)).not.toEqual(before.slice(45));
    api.clock.set('2026-01-20T00:00:00Z');
    expect(await entries(...day)).toEqual(after);
  });

  test('of the parent serve a simulation organization until it has its own', async () => {
    await upload('2026-01-16', dearAtNoon);
    const simulated = await addOrganization(pump.org_id);
    const path = await addHeatPump(simulated);
    const day = ['2026-01-15T23:00:00Z', '2026-01-16T23:00:00Z'] as const;
    const parents = await entries(...day);
    expect(await entries(...day, { path })).toEqual(parents);
    await upload('2026-01-16', cheapAtNoon, simulated);
    expect(await entries(...day, { path })).not.toEqual(parents);
    expect(await entries(...day)).toEqual(parents);
  });

  test('of another partner change nothing', async () => {
    const day = ['2026-01-15T23:00:00Z', '2026-01-16T23:00:00Z'] as const;
    const before = await entries(...day);
    await upload('2026-01-16', dearAtNoon, api.own.orgId, api.own.admin.token);
    expect(await entries(...day)).toEqual(before);
    await upload('2026-01-16', dearAtNoon);
    expect(await entries(...day)).not.toEqual(before);
  });
});

test("a simulated heat pump's schedule follows its own house", async () => {
  const simulated = await addOrganization(pump.org_id);
  const path = await addHeatPump(simulated, {});
  const attributes = createAssumedHousehold({ latitude: -33.9, longitude: 151.2 }, null);
  const household = {
    org_id: simulated,
    fleet_id: randomUUID(),
    household_index: 0,
    household_id: randomUUID(),
  };
  await api.db
    .insertInto('households')
    .values({
      ...household,
      user_id: path.user_id,
      group_name: 'All',
      profile: 'mixed',
      attributes: JSON.stringify(attributes),
      created_at: api.clock.now(),
    })
    .execute();
  await api.db
    .updateTable('devices')
    .set({ household_index: 0 })
    .where('id', '=', path.heat_pump_id)
    .execute();
  await upload('2026-01-16', dearAtNoon);
  const day = ['2026-01-16T00:00:00Z', '2026-01-17T00:00:00Z'] as const;
  const inLinz = (await entries(...day)).filter(({ state }) => state !== 'mid');
  // It is summer in Sydney: there is no heat to be moved but that of hot water.
  const inSydney = (await entries(...day, { path })).filter(({ state }) => state !== 'mid');
  expect(inLinz.length).toBeGreaterThan(60);
  expect(inSydney.length).toBeLessThan(inLinz.length);
});

describe('refused', () => {
  test('a range in the wrong order, too long, malformed or missing', async () => {
    expect(refusal(await get('2026-01-16', '2026-01-16'))).toEqual([
      422,
      'validation_failed',
      'from range_order',
    ]);
    expect(refusal(await get('2026-01-16', '2026-02-16T00:00:00.001Z'))).toEqual([
      422,
      'validation_failed',
      'to range_too_long',
    ]);
    expect(refusal(await get('now', 'then'))).toEqual([422, 'validation_failed', 'from format', 'to format']);
    const bare = await get('', '', { query: {} });
    expect(refusal(bare)).toEqual([422, 'validation_failed', 'from required', 'to required']);
  });

  test('whatever is not there or not to be seen, before the range is validated', async () => {
    const other = await addHeatPump(pump.org_id);
    const wrong = [
      { ...pump, heat_pump_id: randomUUID() },
      { ...pump, heat_pump_id: other.heat_pump_id },
      { ...pump, user_id: randomUUID() },
    ];
    for (const path of wrong) {
      for (const to of ['2026-01-17', '2026-01-01', 'then']) {
        expect(refusal(await get('2026-01-16', to, { path }))).toEqual([404, 'not_found']);
      }
    }
  });

  test('a user sees the schedules of its own heat pump alone', async () => {
    const { id, token } = await addPerson(api.db, pump.org_id, 'user', api.clock.now());
    expect((await get('2026-01-16', '2026-01-17', { token })).status).toBe(404);
    await api.db.updateTable('devices').set({ user_id: id }).where('id', '=', pump.heat_pump_id).execute();
    const own = await get('2026-01-16', '2026-01-17', { token, path: { ...pump, user_id: id } });
    expect(own.status).toBe(200);
  });
});

test('the first and the last instants that can be written are answered', async () => {
  for (const [from, to] of [
    ['0000-01-01T00:00:00Z', '0000-01-02'],
    ['0099-12-31', '0100-01-02'],
    ['9999-12-30', '9999-12-31T23:59:59.999Z'],
  ] as const) {
    expect((await entries(from, to)).length).toBeGreaterThanOrEqual(96);
  }
});

test.each(['03', '15'])(
  'who waits to compute a schedule up to %s reads its prices afterwards',
  async (day) => {
    const { compute } = api.services;
    const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
    const before = [compute.inTurn(admin.orgId, () => ended), compute.inOrder(admin.orgId, () => ended)];
    const answer = get('2026-01-01T00:00:00Z', `2026-01-${day}T00:00:00Z`);
    await until(() => compute.usage.turns.waiting + compute.usage.short.waiting, Boolean);
    const { started } = countStatements(api.pool);
    end(undefined);
    await Promise.all(before);
    expect((await answer).status).toBe(200);
    // The organization has none: it is asked whose prices it knows, and no more.
    expect(started()).toBe(1);
  },
);
