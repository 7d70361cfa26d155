import { beforeAll, expect, test } from 'vitest';
import { fleetApi } from '../fleets/fleet-api.ts';
import { HOUR_MS } from '../../src/domain/api/durations.ts';

// A simulation organization has, for each quarter hour, its own price or else its parent's; what was done before stays.
const NOON = '2026-01-15T12:00:00.000Z';
const fleets = fleetApi({ now: new Date(NOON) });
let path: { readonly org_id: string; readonly user_id: string; readonly heat_pump_id: string };

beforeAll(async () => {
  const fleet = await fleets.running({ count: 12, seed: 21 });
  const [pump] = (await fleets.devices(fleet.job_id as string)).filter(
    (device) => device.device_type === 'heat_pump',
  );
  path = { org_id: pump.org_id, user_id: pump.user_id, heat_pump_id: pump.device_id };
});

/** Hours from an instant on; the first half of every eight hours costs `first`, the second `second`. */
async function upload(orgId: string, from: string, hours: number, [first, second]: [number, number]) {
  const data = Array.from({ length: hours }, (_, hour) => ({
    timestamp: new Date(Date.parse(from) + hour * HOUR_MS).toISOString(),
    price: hour % 8 < 4 ? first : second,
  }));
  const answer = await fleets.api.call('uploadDayAheadPrices', { path: { org_id: orgId }, body: { data } });
  expect(answer.body).toMatchObject({ state: 'success' });
}

const powers = async (from: string, to: string): Promise<number[]> => {
  const { body } = await fleets.api.call('getHeatPumpData', { path, query: { from, to } });
  return (body.data as { power_w: number }[]).map((entry) => entry.power_w);
};
const states = async (from: string, to: string): Promise<string[]> => {
  const { body } = await fleets.api.call('getHeatPumpSchedules', { path, query: { from, to } });
  return (body.data as { state: string }[]).map((entry) => entry.state);
};
const counter = async (): Promise<number> =>
  (await fleets.api.call('getUserHeatPump', { path })).body.state.energy_kwh as number;

test('the first own prices of a simulation organization change no past quarter and hold from then on', async () => {
  const past = ['2026-01-15T23:00:00Z', '2026-01-17T23:00:00Z'] as const;
  const next = ['2026-01-18T23:00:00Z', '2026-01-19T23:00:00Z'] as const;
  await upload(fleets.api.own.orgId, past[0], 96, [20, 400]);
  fleets.api.clock.set('2026-01-18T02:07:00Z');
  const before = [await powers(...past), await states(...past), await counter()];
  expect(new Set(before[1] as string[])).toContain('min');
  const parents = await states(...next);

  await upload(path.org_id, next[0], 24, [400, 20]);
  expect([await powers(...past), await states(...past), await counter()]).toEqual(before);
  expect(await states(...next)).not.toEqual(parents);
  // Where it has its own, the parent's no longer count.
  const own = await states(...next);
  await upload(fleets.api.own.orgId, next[0], 24, [90, 80]);
  expect(await states(...next)).toEqual(own);
});

test('the day after its own prices has those of its parent', async () => {
  const after = ['2026-01-19T23:00:00Z', '2026-01-20T23:00:00Z'] as const;
  expect(new Set(await states(...after))).toEqual(new Set(['mid']));
  await upload(fleets.api.own.orgId, after[0], 24, [20, 400]);
  expect(new Set(await states(...after))).toContain('min');
});

test("a schedule says whose prices it goes by: own, the parent's, or none for a part", async () => {
  const pricesOf = async (from: string, to: string): Promise<unknown> => {
    const { body } = await fleets.api.call('getHeatPumpSchedules', { path, query: { from, to } });
    return (body.metadata as { prices: unknown }).prices;
  };
  expect(await pricesOf('2026-01-18T23:00:00Z', '2026-01-19T23:00:00Z')).toEqual(['own']);
  expect(await pricesOf('2026-01-16T00:00:00Z', '2026-01-17T23:00:00Z')).toEqual(['parent']);
  // Prices begin at 23:00, and plans with the two hours of a run.
  expect(await pricesOf('2026-01-15T23:00:00Z', '2026-01-16T01:00:00Z')).toEqual(['default', 'parent']);
  expect(await pricesOf('2026-01-19T22:00:00Z', '2026-01-21T00:00:00Z')).toEqual([
    'default',
    'own',
    'parent',
  ]);
  expect(await pricesOf('2026-01-23', '2026-01-24')).toEqual(['default']);
  expect(await pricesOf('2026-01-16T00:01', '2026-01-16T00:14')).toEqual([]);
});
