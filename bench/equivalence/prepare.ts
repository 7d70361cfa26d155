// What both versions find in their database: made through the API of one of them, with its loops running.
import { randomUUID } from 'node:crypto';
import { CONDITION_CODES } from '../../src/domain/notifications/conditions.ts';
import { PartnerApi, until } from '../../tests/process/partner.ts';
import type { Credentials } from '../../tests/process/partner.ts';
import type { ServiceProcess } from '../../tests/support/service.ts';

const RECEIVER_PATHS = ['/taken', '/refused', '/gone'] as const;

export interface Prepared {
  readonly staffId: string;
  readonly userId: string;
}

const FLEETS = '/device-simulator/fleets';
const TOWNS = [
  ['Linz', '4020', 'AT', 48.3064, 14.2858],
  ['Zürich', '8001', 'CH', 47.3769, 8.5417],
  ['Łódź', '90-001', 'PL', 51.7592, 19.456],
] as const;
const END_USERS = 12;
const HOUSEHOLDS = 6;
const QUARTERS = 192;
const QUARTER_MS = 900_000;
const MESSAGES = ['Maintenance on Sunday.', 'Grüße aus Łódź 😀'];

/** Users of each role, fleets in several states, webhooks with deliveries, items and broadcasts, prices. */
export async function prepareDatabase(
  service: ServiceProcess,
  credentials: Credentials,
  receiverUrl: (path: string) => string,
): Promise<Prepared> {
  const api = await PartnerApi.open(service, credentials);
  const prepared = await addUsers(api);
  await addPrices(api);
  const fleet = await addFleet(api, HOUSEHOLDS);
  const simulation = api.at({ orgId: fleet.simulationOrgId });
  for (const org of [api, simulation]) await addWebhooks(org, receiverUrl);
  await raiseConditions(api, fleet.jobId);
  for (const message of MESSAGES) await must(api, 'POST', '/notifications/information', { message });
  await endFleets(api);
  for (const org of [api, simulation]) await awaitDeliveries(org);
  return prepared;
}

async function addUsers(api: PartnerApi): Promise<Prepared> {
  const ids: string[] = [];
  for (let each = 0; each < END_USERS + 2; each += 1) {
    const [town, zip, country, latitude, longitude] = TOWNS[each % TOWNS.length] ?? TOWNS[0];
    const address = {
      zip_code: zip,
      town,
      country,
      latitude,
      longitude,
      street_and_number: `Ringstraße ${each}`,
    };
    const { id } = await must<{ id: string }>(api, 'POST', '/users', {
      email: `prepared${each}@example.com`,
      role: each < END_USERS ? 'user' : each === END_USERS ? 'staff' : 'admin',
      ...(each % 4 === 3 ? {} : { external_user_id: `customer ${each}/ß`, first_name: 'Anna', ...address }),
    });
    ids.push(id);
  }
  for (const id of ids.slice(4, 7)) await must(api, 'DELETE', `/users/${id}`);
  return { userId: ids[0] ?? '', staffId: ids[END_USERS] ?? '' };
}

async function addPrices(api: PartnerApi): Promise<void> {
  const first = Date.now() - (Date.now() % QUARTER_MS) - (QUARTERS / 2) * QUARTER_MS;
  for (const more of [0, 5])
    await must(api, 'PATCH', '/trading/dayahead/prices', {
      data: Array.from({ length: more === 0 ? QUARTERS : QUARTERS / 4 }, (_, quarter) => ({
        timestamp: new Date(first + quarter * QUARTER_MS).toISOString(),
        price: 40 + more + (quarter % 50),
      })),
    });
}

interface Fleet {
  readonly jobId: string;
  readonly simulationOrgId: string;
}

async function addFleet(api: PartnerApi, count: number): Promise<Fleet> {
  const made = await must<{ job_id: string; simulation_org_id: string }>(api, 'POST', FLEETS, {
    request_id: randomUUID(),
    name: `${count} households`,
    count,
    seed: 20261121,
    history_days: 3,
    latitude: 48.2,
    longitude: 16.4,
    ev_ownership_fraction: 1,
    battery_capacity_kwh: 10,
    ...(count > 1
      ? { groups: [{ name: 'Families', count: 4, profile: 'family_one_child' }, { name: 'Others' }] }
      : {}),
  });
  await awaitStatus(api, made.job_id, 'running');
  return { jobId: made.job_id, simulationOrgId: made.simulation_org_id };
}

/** Leaves one fleet stopped, one cleaned up, and one purged. */
async function endFleets(api: PartnerApi): Promise<void> {
  for (const [last, status] of [
    ['stop', 'stopped'],
    ['cleanup', 'cleaned'],
    ['purge', 'gone'],
  ] as const) {
    const { jobId } = await addFleet(api, 1);
    await must(api, 'POST', `${FLEETS}/${jobId}/stop`);
    await awaitStatus(api, jobId, 'stopped');
    if (last === 'stop') continue;
    await must(api, 'POST', `${FLEETS}/${jobId}/${last}`);
    await awaitStatus(api, jobId, status);
  }
}

/** `gone`: it is not found any more. */
async function awaitStatus(api: PartnerApi, jobId: string, status: string): Promise<void> {
  await until(
    () => api.call<{ status: string }>('GET', `${FLEETS}/${jobId}`),
    (answer) => (answer.status === 404 ? 'gone' : answer.body.status) === status,
  );
}

async function addWebhooks(org: PartnerApi, receiverUrl: (path: string) => string): Promise<void> {
  for (const path of RECEIVER_PATHS)
    await must(org, 'POST', '/notifications/webhooks', {
      url: receiverUrl(path),
      topics: ['device.action_required', 'device.information'],
    });
}

async function raiseConditions(api: PartnerApi, jobId: string): Promise<void> {
  const devices = `${FLEETS}/${jobId}/devices`;
  const { items } = await must<{ items: { device_id: string }[] }>(api, 'GET', devices);
  for (const [at, { device_id: deviceId }] of items.entries())
    for (const code of CONDITION_CODES.slice(0, 1 + (at % CONDITION_CODES.length)))
      await api.call('POST', `${devices}/${deviceId}/events`, { code });
}

/** Until each delivery has ended or waits for its next attempt. */
async function awaitDeliveries(org: PartnerApi): Promise<void> {
  const { items } = await must<{ items: { id: string }[] }>(org, 'GET', '/notifications/webhooks');
  for (const { id } of items)
    await until(
      () =>
        must<{ items: { state: string; attempts: number }[] }>(
          org,
          'GET',
          `/notifications/webhooks/${id}/deliveries?limit=100`,
        ),
      (page) => page.items.every(({ state, attempts }) => state !== 'pending' || attempts > 0),
    );
}

async function must<Body>(api: PartnerApi, method: string, path: string, body?: unknown): Promise<Body> {
  const answer = await api.call<Body>(method, path, body);
  if (answer.status >= 300)
    throw new Error(`${method} ${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
