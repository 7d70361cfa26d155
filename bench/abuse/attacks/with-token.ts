// Attacks of a partner with a token.
import { randomUUID } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { apiPath, bearer, bearerJson } from '../attack.ts';
import type { Aim, Attack } from '../attack.ts';
import { flood, hold, pipeline, requestText } from '../wire.ts';
import { fleetAttacks } from './fleets.ts';

const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;

const path = ({ target }: Aim, rest: string): string => apiPath(target.orgId, rest);
const ofHousehold = ({ target: { fleet } }: Aim, rest: string): string =>
  apiPath(fleet.simulationOrgId, `/users/${fleet.userId}${rest}`);
const read = (aim: Aim, to: string): string =>
  requestText({ method: 'GET', path: to, headers: bearer(aim.target.token) });

/** 31 days up to the last whole day. */
function month(): string {
  const to = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  return `from=${new Date(to - 31 * DAY_MS).toISOString()}&to=${new Date(to).toISOString()}`;
}

function nextDay(): number {
  return (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS;
}

/** So many days from tomorrow on, as a range of the query. */
function days(count: number, from: string, to: string): string {
  const start = nextDay();
  return `${from}=${new Date(start).toISOString()}&${to}=${new Date(start + count * DAY_MS).toISOString()}`;
}

/** Just below 8 MiB: 720,000 numbers as texts, where numbers belong. */
function faultyPrices(): string {
  const entry = `{"timestamp":"2026-11-22T00:00:00Z","price":1,"best_bid":[${'"1234567",'.repeat(71)}"1234567"]}`;
  return `{"data":[${Array.from({ length: 10_000 }, () => entry).join(',')}]}`.slice(0, 8_388_000);
}

/** Just below 8 MiB: 10,000 quarter hours to come with their bids. */
function validPrices(): string {
  const start = nextDay();
  const bids = Array.from({ length: 90 }, (_, i) => (50 + i / 10).toFixed(2)).join(',');
  const entries = Array.from({ length: 10_000 }, (_, i) => {
    const timestamp = new Date(start + i * QUARTER_MS).toISOString();
    return `{"timestamp":"${timestamp}","price":${i / 100},"best_bid":[${bids}],"best_ask":[${i}]}`;
  });
  return `{"data":[${entries.join(',')}]}`;
}

/** 16 million cells over Germany. */
function largestDefinition(): string {
  const [rows, cols] = [4_000, 4_000];
  const cells = Buffer.alloc(rows * cols);
  for (let i = 0; i < cells.length; i++) cells[i] = 1 + (((i / cols) >> 8) ^ ((i % cols) >> 8));
  return JSON.stringify({
    request_id: randomUUID(),
    count: 1_000,
    density: {
      country: 'DE',
      dataset_version: 'bench',
      boundary_version: 'natural-earth-4.1-50m',
      grid: { origin_lat: 55.1, origin_lon: 5.8, cell_deg: 0.0025, rows, cols },
      weights: deflateRawSync(cells).toString('base64'),
    },
  });
}

const manyKeys = (): string => `{${Array.from({ length: 70_000 }, (_, i) => `"key${i}":${i}`).join(',')}}`;

const uploads = (aim: Aim, body: string): Promise<void> =>
  flood(aim, 40, () => ({
    method: 'PATCH',
    path: path(aim, '/trading/dayahead/prices'),
    headers: bearerJson(aim.target.token),
    body,
  }));

const reads = (aim: Aim, atOnce: number, to: string): Promise<void> =>
  flood(aim, atOnce, () => ({ method: 'GET', path: to, headers: bearer(aim.target.token) }));

export const attacksWithToken: readonly Attack[] = [
  {
    name: 'faulty-prices',
    by: 'partner',
    what: '8 MB of faulty prices, 40 at once',
    run: (aim) => uploads(aim, faultyPrices()),
  },
  {
    name: 'valid-prices',
    by: 'partner',
    what: '8 MB of prices, 40 at once',
    run: (aim) => uploads(aim, validPrices()),
  },
  {
    name: 'stored-prices',
    by: 'partner',
    what: 'the stored prices of 366 days, 40 at once',
    run: async (aim) => {
      await uploads({ ...aim, requests: 1, atOnce: 1 }, validPrices());
      await reads(aim, 40, path(aim, `/trading/dayahead/prices?${days(366, 'from_dt', 'to_dt')}`));
    },
  },
  {
    name: 'previews',
    by: 'partner',
    what: 'previews on 4000 x 4000 cells, 8 at once',
    run: (aim) => {
      const body = largestDefinition();
      const to = path(aim, '/device-simulator/fleets/preview');
      return flood(aim, 8, () => ({ method: 'POST', path: to, headers: bearerJson(aim.target.token), body }));
    },
  },
  {
    name: 'series',
    by: 'partner',
    what: 'quarter hours of 31 days of a device, 40 at once',
    run: (aim) =>
      reads(aim, 40, ofHousehold(aim, `/inverters/${aim.target.fleet.inverterId}/data?${month()}`)),
  },
  {
    name: 'schedules',
    by: 'partner',
    what: 'schedules of 31 days, 40 at once',
    run: async (aim) => {
      await uploads({ ...aim, requests: 1, atOnce: 1 }, validPrices());
      const range = days(31, 'from', 'to');
      await reads(aim, 40, ofHousehold(aim, `/heat-pumps/${aim.target.fleet.heatPumpId}/schedules?${range}`));
    },
  },
  {
    name: 'users-slowly',
    by: 'partner',
    what: 'a list of 30,000 users, 60 readers that take 1 kB/s',
    run: (aim) => pipeline(aim, 60, 1, read(aim, path(aim, '/users')), 1_000),
  },
  {
    name: 'event-streams',
    by: 'partner',
    what: '1,000 event streams, opened at 500/s',
    run: (aim) => hold(aim, 1_000, 500, read(aim, path(aim, '/notifications/events'))),
  },
  {
    name: 'webhook-tests',
    by: 'partner',
    what: 'tests of a webhook that never answers, 40 at once',
    run: (aim) => {
      const to = path(aim, `/notifications/webhooks/${aim.target.webhookId}/test`);
      return flood(aim, 40, () => ({
        method: 'POST',
        path: to,
        headers: bearerJson(aim.target.token),
        body: '{}',
      }));
    },
  },
  {
    name: 'deep-offsets',
    by: 'partner',
    what: 'pages of notices far behind the end, 32 at once',
    run: (aim) => reads(aim, 32, path(aim, '/notifications/information?limit=1&offset=29000')),
  },
  {
    name: 'many-codes',
    by: 'partner',
    what: 'lists of notices by 95 codes, 32 at once',
    run: (aim) => {
      const codes = Array.from({ length: 95 }, (_, i) => `code=c${i}`).join('&');
      return reads(aim, 32, path(aim, `/notifications/actions?${codes}`));
    },
  },
  {
    name: 'user-flood',
    by: 'partner',
    what: 'users created, 32 at once',
    run: (aim) =>
      flood(aim, 32, (n) => ({
        method: 'POST',
        path: path(aim, '/users'),
        headers: bearerJson(aim.target.token),
        body: JSON.stringify({ email: `flood${n}-${randomUUID()}@example.com`, role: 'user', country: 'AT' }),
      })),
  },
  {
    name: 'ten-applications',
    by: 'partner',
    what: 'pages of 1,000 users by ten applications of the partner, 60 at once',
    run: (aim) => {
      const tokens = aim.target.applicationTokens;
      const to = path(aim, '/users?limit=1000');
      return flood(aim, 60, (n) => ({
        method: 'GET',
        path: to,
        headers: bearer(tokens[n % tokens.length] ?? ''),
      }));
    },
  },
  {
    name: 'nesting',
    by: 'partner',
    what: '1 MB of nested arrays and of keys, 16 at once',
    run: (aim) => {
      const bodies = [`{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`, manyKeys()] as const;
      const to = path(aim, '/trading/dayahead/prices');
      return flood(aim, 16, (n) => ({
        method: 'PATCH',
        path: to,
        headers: bearerJson(aim.target.token),
        body: bodies[n % 2] ?? '',
      }));
    },
  },
  {
    name: 'password-grant',
    by: 'partner',
    what: 'wrong passwords by the password grant, each of another account, 32 at once',
    run: (aim) =>
      flood(aim, 32, (n) => ({
        method: 'POST',
        path: '/oauth2/token/',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          grant_type: 'password',
          client_id: aim.target.passwordClientId,
          client_secret: aim.target.passwordClientSecret,
          username: `person${n}@example.com`,
          password: randomUUID(),
        }),
      })),
  },
  ...fleetAttacks,
];
