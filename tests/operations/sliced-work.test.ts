// States and short series are computed in slices of the event loop: how many of a partner at once, and for whom no longer.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ComputePool } from '../../src/compute/pool.ts';
import { yieldToEventLoop } from '../../src/households/time-slicer.ts';
import type { YieldToEventLoop } from '../../src/households/time-slicer.ts';
import { fleetApi } from '../fleets/fleet-api.ts';
import { NOON, oldFleet } from '../fleets/old-fleets.ts';
import { until } from '../process/partner.ts';
import { ManualTimers } from '../shares/manual-timers.ts';
import type { Call } from '../support/api-client.ts';
import { addDevice } from '../support/fleet-records.ts';

/** What a partner may have under way at once. */
const AT_ONCE = 128;
const LAST_DAY = { from: '2026-06-14T00:00:00Z', to: '2026-06-15T00:00:00Z' };

const timers = new ManualTimers();
const compute = new ComputePool({ threads: 1, startTimer: timers.start });
/** The turns that requests wait for; a test may let something happen in them. */
let turns: YieldToEventLoop = yieldToEventLoop;
const fleets = fleetApi({
  now: NOON,
  // Of each partner one page of a list is made at once.
  recentPartners: { note: () => undefined, hasOthers: () => true },
  services: { compute, yieldToEventLoop: (days, partnerId) => turns(days, partnerId) },
});
afterEach(() => void (turns = yieldToEventLoop));
afterAll(() => compute.stop());

interface Inverter {
  readonly path: { readonly org_id: string; readonly user_id: string; readonly inverter_id: string };
  /** The fleet that simulates it. */
  readonly jobId: string;
}

/** One of a fleet of which ten years have to be summed. */
async function addColdInverter(seed: number): Promise<Inverter> {
  const fleet = await oldFleet(fleets, 1, { seed });
  const orgId = fleet.simulation_org_id as string;
  const { id, user_id: userId } = await fleets.api.db
    .selectFrom('devices')
    .select(['id', 'user_id'])
    .where('org_id', '=', orgId)
    .where('device_type', '=', 'inverter')
    .executeTakeFirstOrThrow();
  return { path: { org_id: orgId, user_id: userId, inverter_id: id }, jobId: fleet.job_id as string };
}

/** An inverter that no fleet simulates, and its owner's call for it. */
async function addForeignCall(): Promise<Call> {
  const { orgId, user } = fleets.api.foreign;
  const owner = { orgId, userId: user.id };
  const inverterId = await addDevice(fleets.api.db, owner, NOON, 'inverter');
  return { path: { org_id: orgId, user_id: user.id, inverter_id: inverterId }, token: user.token };
}

let inverter: Inverter;
let foreign: Call;
beforeAll(async () => {
  inverter = await addColdInverter(1);
  foreign = await addForeignCall();
});

test.each([
  ['a state', 'getUserInverter', {}],
  ['a series of a day', 'getInverterData', LAST_DAY],
] as const)(
  '%s beyond what its partner has under way waits for 2 s and is refused; another partner is served',
  async (_what, id, query) => {
    const end = Promise.withResolvers<undefined>();
    const partnerId = fleets.api.own.orgId;
    const others = Array.from({ length: AT_ONCE }, () => compute.inSlices(partnerId, () => end.promise));
    try {
      const asked = fleets.api.call(id, { path: inverter.path, query });
      await until(
        () => compute.usage.sliced.waiting,
        (waiting) => waiting === 1,
      );
      expect((await fleets.api.call(id, { ...foreign, query })).status).toBe(200);
      timers.advance(1_999);
      expect(compute.usage.sliced.waiting).toBe(1);
      timers.advance(1);
      const { status, headers, body } = await asked;
      expect([status, headers['retry-after'], body.code]).toEqual([503, '2', 'overloaded']);
    } finally {
      end.resolve(undefined);
      await Promise.all(others);
    }
    expect((await fleets.api.call(id, { path: inverter.path, query })).status).toBe(200);
  },
);

test('who leaves while the computation waits for its share leaves that line', async () => {
  const end = Promise.withResolvers<undefined>();
  const partnerId = fleets.api.own.orgId;
  const others = Array.from({ length: AT_ONCE }, () => compute.inSlices(partnerId, () => end.promise));
  const isWaiting = (count: number): Promise<number> =>
    until(
      () => compute.usage.sliced.waiting,
      (waiting) => waiting === count,
    );
  const reader = new AbortController();
  const asked = ask(`${ofUser(inverter.path)}/${inverter.path.inverter_id}`, reader.signal);
  await isWaiting(1);
  reader.abort();
  await expect(asked).rejects.toThrow('aborted');
  await isWaiting(0);
  end.resolve(undefined);
  await Promise.all(others);
});

/** Asks as the own admin, and breaks the connection off when the signal is aborted. */
function ask(path: string, signal: AbortSignal): Promise<Response> {
  const { server, own } = fleets.api;
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {
    headers: { authorization: `Bearer ${own.admin.token}` },
    signal,
  });
}

const ofUser = ({ org_id, user_id }: Inverter['path']): string =>
  `/api/partners/v2.0/org/${org_id}/users/${user_id}/inverters`;

test.each<[what: string, seed: number, toPath: (inverter: Inverter) => string]>([
  ['a state', 2, ({ path }) => `${ofUser(path)}/${path.inverter_id}`],
  [
    'a series of a day',
    3,
    ({ path }) => `${ofUser(path)}/${path.inverter_id}/data?from=${LAST_DAY.from}&to=${LAST_DAY.to}`,
  ],
  ['a list of states', 4, ({ path }) => ofUser(path)],
])(
  '%s that nobody waits for any more is computed no further than its next slice',
  async (_what, seed, toPath) => {
    const path = toPath(await addColdInverter(seed));
    const { server } = fleets.api;
    const left = Promise.withResolvers<undefined>();
    server.once('request', (_request, response: ServerResponse) => {
      void once(response, 'close').then(() => left.resolve(undefined));
    });
    const reader = new AbortController();
    let slices = 0;
    turns = async () => {
      slices += 1;
      if (slices !== 3) return;
      reader.abort();
      await left.promise;
    };
    const asked = ask(path, reader.signal);
    await expect(asked).rejects.toThrow('aborted');
    await left.promise;
    await until(
      () => compute.usage.sliced.held,
      (held) => held === 0,
    );
    // A list comes when the one before it has ended.
    expect((await fleets.api.call('listUsers')).status).toBe(200);
    expect(slices).toBe(3);
    expect(fleets.api.log.text).not.toContain('"level":"error"');
  },
);
