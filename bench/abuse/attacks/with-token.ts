// Attacks of a partner with a token.
import { randomUUID } from 'node:crypto';
import { apiPath, bearer, bearerJson, lastDays, longestSeriesPath } from '../attack.ts';
import type { Aim, Attack, Fleet } from '../attack.ts';
import { flood, hold, pipeline, requestText } from '../wire.ts';
import {
  DAY_MS,
  faultyPrices,
  largestDefinition,
  manyKeys,
  nextDay,
  pageOfPrices,
  validPrices,
} from './bodies.ts';
import { fleetAttacks } from './fleets.ts';
import { listAttacks } from './lists.ts';
import { pageAttacks } from './pages.ts';

const path = ({ target }: Aim, rest: string): string => apiPath(target.orgId, rest);
const ofHousehold = ({ target: { fleetWithHistory: fleet } }: Aim, rest: string): string =>
  apiPath(fleet.simulationOrgId, `/users/${fleet.userId}${rest}`);
const shortSchedule = ({ simulationOrgId, userId, heatPumpId }: Fleet): string =>
  apiPath(simulationOrgId, `/users/${userId}/heat-pumps/${heatPumpId}/schedules?${days(2, 'from', 'to')}`);
const read = (aim: Aim, to: string): string =>
  requestText({ method: 'GET', path: to, headers: bearer(aim.target.token) });

/** So many days from tomorrow on, as a range of the query. */
function days(count: number, from: string, to: string): string {
  const start = nextDay();
  return `${from}=${new Date(start).toISOString()}&${to}=${new Date(start + count * DAY_MS).toISOString()}`;
}

const uploads = (aim: Aim, body: string): Promise<void> =>
  flood(aim, 40, () => ({
    method: 'PATCH',
    path: path(aim, '/trading/dayahead/prices'),
    headers: bearerJson(aim.target.token),
    body,
  }));

const reads = (aim: Aim, atOnce: number, ...paths: readonly string[]): Promise<void> =>
  flood(aim, atOnce, (n) => ({
    method: 'GET',
    path: paths[n % paths.length] ?? '',
    headers: bearer(aim.target.token),
  }));

function previews(aim: Aim): Promise<void> {
  const body = largestDefinition();
  const to = path(aim, '/device-simulator/fleets/preview');
  return flood(aim, 8, () => ({ method: 'POST', path: to, headers: bearerJson(aim.target.token), body }));
}

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
    name: 'price-quota',
    by: 'partner',
    what: '170,000 prices to come, then the state of a heat pump, 30 at once',
    run: async (aim) => {
      for (let page = 0; page < 17 && !aim.signal.aborted; page++)
        await uploads({ ...aim, requests: 1, atOnce: 1 }, pageOfPrices(page));
      await reads(aim, 30, ofHousehold(aim, `/heat-pumps/${aim.target.fleetWithHistory.heatPumpId}`));
    },
  },
  {
    name: 'previews',
    by: 'partner',
    what: 'previews on 4000 x 4000 cells, 8 at once',
    run: previews,
  },
  {
    name: 'previews-by-series',
    by: 'partner',
    what: 'the same previews, while the other partner reads quarter hours of 31 days of a device',
    victimReads: 'series',
    run: previews,
  },
  {
    name: 'series',
    by: 'partner',
    what: 'quarter hours of 31 days of a device, 40 at once',
    run: (aim) => reads(aim, 40, longestSeriesPath(aim.target.fleetWithHistory)),
  },
  {
    name: 'fleet-sums',
    by: 'partner',
    what: 'what 300 households did in quarter hours of 25 days, 60 at once',
    run: (aim) => {
      const { jobId } = aim.target.fleetWithHistory;
      return reads(aim, 60, path(aim, `/device-simulator/fleets/${jobId}/data?${lastDays(25)}`));
    },
  },
  {
    name: 'home-tables',
    by: 'partner',
    what: 'what a household did in quarter hours of 31 days, as Parquet and JSON, 60 at once',
    run: (aim) =>
      flood(aim, 60, (n) => ({
        method: 'GET',
        path: ofHousehold(aim, `/data?${lastDays(31)}`),
        headers: {
          ...bearer(aim.target.token),
          accept: n % 2 === 0 ? 'application/vnd.apache.parquet' : 'application/json',
        },
      })),
  },
  {
    name: 'schedules',
    by: 'partner',
    what: 'schedules of 31 days, 40 at once',
    run: async (aim) => {
      await uploads({ ...aim, requests: 1, atOnce: 1 }, validPrices());
      const range = days(31, 'from', 'to');
      await reads(
        aim,
        40,
        ofHousehold(aim, `/heat-pumps/${aim.target.fleetWithHistory.heatPumpId}/schedules?${range}`),
      );
    },
  },
  {
    name: 'short-schedules',
    by: 'partner',
    what: 'schedules of two days, 40 at once',
    run: async (aim) => {
      await uploads({ ...aim, requests: 1, atOnce: 1 }, validPrices());
      await reads(aim, 40, shortSchedule(aim.target.fleetWithHistory));
    },
  },
  {
    name: 'restless-pump',
    by: 'partner',
    what: 'schedules of two days and states of a heat pump with 1,000 revisions, 40 at once',
    run: async (aim) => {
      const { fleetAskedOften: fleet } = aim.target;
      await uploads({ ...aim, requests: 1, atOnce: 1 }, validPrices());
      const state = apiPath(fleet.simulationOrgId, `/users/${fleet.userId}/heat-pumps/${fleet.heatPumpId}`);
      await reads(aim, 40, shortSchedule(fleet), state);
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
    what: '1,000 event streams, opened at 500/s from 13 addresses',
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
        body: '{"topic":"device.information"}',
      }));
    },
  },
  {
    name: 'deep-offsets',
    by: 'partner',
    what: 'pages of notices far behind the newest, by offsets of 10,000 and 29,000, 32 at once',
    run: (aim) => {
      const list = path(aim, '/notifications/information?limit=1&offset=');
      return reads(aim, 32, `${list}10000`, `${list}29000`);
    },
  },
  {
    name: 'many-codes',
    by: 'partner',
    what: 'lists of notices by 95 and 600 codes, 32 at once',
    run: (aim) => {
      const list = (count: number): string => {
        const codes = Array.from({ length: count }, (_, i) => `code=c${i}`).join('&');
        return path(aim, `/notifications/actions?${codes}`);
      };
      return reads(aim, 32, list(95), list(600));
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
  ...listAttacks,
  ...fleetAttacks,
  ...pageAttacks,
];
