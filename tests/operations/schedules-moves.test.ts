// The schedules of a heat pump that no fleet simulates, whose user says to live somewhere else.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR_MS, QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';
import { nextQuarterHour } from '../../src/domain/api/quarter-hours.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';
import { addDevice } from '../support/fleet-records.ts';

interface Place {
  readonly latitude: number | null;
  readonly longitude: number | null;
}
interface Schedule {
  readonly metadata: { readonly prices: string[]; readonly error: string };
  readonly data: { readonly time: string; readonly state: string }[];
}

const START = '2026-01-15T12:02:00.000Z';
/** Before all that is said; plans of days before are in it. */
const FROM = '2026-01-14T00:00:00.000Z';
const LINZ = { latitude: 48.3, longitude: 14.29 };
const LISBON = { latitude: 38.7, longitude: -9.1 };
const NEW_YORK = { latitude: 40.7, longitude: -74 };
const NOWHERE = { latitude: null, longitude: null };

let api: Api;
beforeAll(async () => {
  api = await startApi({ now: new Date('2026-01-13T12:00:00Z') });
  const data = Array.from({ length: 10 * 24 }, (_, hour) => ({
    timestamp: new Date(Date.parse(FROM) + hour * HOUR_MS).toISOString(),
    price: Math.round(80 + 60 * Math.sin(hour / 3)),
  }));
  expect((await api.call('uploadDayAheadPrices', { body: { data } })).status).toBe(200);
});
afterAll(() => api.close());

async function pumpAt(place: Place) {
  api.clock.set(START);
  const [orgId, id, at] = [api.own.orgId, randomUUID(), api.clock.now()];
  await api.db
    .insertInto('users')
    .values({
      org_id: orgId,
      id,
      email: `${id}@example.com`,
      role: 'user',
      created_at: at,
      updated_at: at,
      ...place,
    })
    .execute();
  return { user_id: id, heat_pump_id: await addDevice(api.db, { orgId, userId: id }, at, 'heat_pump') };
}

type Pump = Awaited<ReturnType<typeof pumpAt>>;

/** Says where the user lives; resolves to when that begins. */
async function move({ user_id }: Pump, body: Place): Promise<string> {
  expect((await api.call('updateUser', { path: { user_id }, body })).status).toBe(200);
  return nextQuarterHour(api.clock.now()).toISOString();
}

async function scheduleOf(path: Pump, from: string, to: string): Promise<Schedule> {
  const { status, body } = await api.call('getHeatPumpSchedules', { path, query: { from, to } });
  expect(status).toBe(200);
  const { metadata, data } = body as Schedule;
  return { metadata: { prices: metadata.prices, error: metadata.error }, data };
}

const anyPlace = fc.oneof(
  fc.constantFrom<Place>(LINZ, LISBON, NEW_YORK, NOWHERE),
  fc.record({ latitude: fc.integer({ min: -50, max: 66 }), longitude: fc.integer({ min: -170, max: 170 }) }),
);

test('the past is the same, byte for byte, whatever is said later of where the user lives', async () => {
  const anyMoves = fc.array(fc.record({ place: anyPlace, quarters: fc.integer({ min: 1, max: 120 }) }), {
    minLength: 1,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(anyPlace, anyMoves, async (first, moves) => {
      const pump = await pumpAt(first);
      for (const { place, quarters } of moves) {
        api.clock.advance(quarters * QUARTER_HOUR_MS);
        const end = nextQuarterHour(api.clock.now()).toISOString();
        const before = await scheduleOf(pump, FROM, end);
        expect(await move(pump, place)).toBe(end);
        expect(await scheduleOf(pump, FROM, end)).toEqual(before);
      }
    }),
    { numRuns: 12 },
  );
});

test('a user who has moved keeps the time zone of the first place', async () => {
  // Eleven kilometres apart, in nearly the same weather, and an hour: what differs by the weather is less than what that hour changes.
  const [badajoz, elvas] = [
    { latitude: 38.88, longitude: -6.97 },
    { latitude: 38.88, longitude: -7.1 },
  ];
  const days = ['2026-01-16T00:00:00.000Z', '2026-01-18T00:00:00.000Z'] as const;
  const [inSpain, inPortugal] = [
    await scheduleOf(await pumpAt(badajoz), ...days),
    await scheduleOf(await pumpAt(elvas), ...days),
  ];
  const pump = await pumpAt(badajoz);
  await move(pump, elvas);
  const moved = await scheduleOf(pump, ...days);
  const differing = ({ data }: Schedule): number =>
    moved.data.filter(({ state }, i) => state !== data[i]?.state).length;
  expect(differing(inSpain)).toBeLessThan(0.75 * differing(inPortugal));
});

test('a user who has moved has the weather of the new place', async () => {
  const days = ['2026-01-16T00:00:00.000Z', '2026-01-18T00:00:00.000Z'] as const;
  const pump = await pumpAt(LINZ);
  const inLinz = await scheduleOf(pump, ...days);
  await move(pump, LISBON);
  expect((await scheduleOf(pump, ...days)).data).not.toEqual(inLinz.data);
});

test('of the time of which no coordinates are known there are no entries, and where there are none `error` says why', async () => {
  const pump = await pumpAt(LINZ);
  const taken = await move(pump, NOWHERE);
  api.clock.set('2026-01-16T08:10:00.000Z');
  const given = await move(pump, LISBON);
  const [from, to] = ['2026-01-15T12:00:00.000Z', '2026-01-16T09:00:00.000Z'];
  const whole = await scheduleOf(pump, from, to);
  expect([whole.data.map(({ time }) => time), whole.metadata.error]).toEqual([
    [from, '2026-01-16T08:15:00.000Z', '2026-01-16T08:30:00.000Z', '2026-01-16T08:45:00.000Z'],
    '',
  ]);
  expect([taken, given]).toEqual(['2026-01-15T12:15:00.000Z', '2026-01-16T08:15:00.000Z']);
  const between = await scheduleOf(pump, taken, given);
  expect(between).toEqual({
    metadata: { prices: [], error: expect.stringMatching(/no coordinates in this time/) },
    data: [],
  });
});

test('whoever gives coordinates for the first time has no past', async () => {
  const pump = await pumpAt(NOWHERE);
  const since = await move(pump, LINZ);
  const { data } = await scheduleOf(pump, FROM, '2026-01-16T00:00:00.000Z');
  expect(data.at(0)?.time).toBe(since);
  expect((await scheduleOf(pump, FROM, since)).data).toEqual([]);
});
