// At how many devices each limit is reached.
import { DEFAULT_RATE_LIMITS } from '../../src/config/rate-limits.ts';
import { DEFAULT_QUOTAS } from '../../src/domain/api/quotas.ts';
import { ASSUMPTIONS } from './assumptions.ts';
import { computeDemand } from './demand.ts';
import type { Demand } from './demand.ts';
import type { ScaleFigures } from './figures.ts';

export interface Limit {
  readonly name: string;
  /** What sets it. */
  readonly by: string;
  readonly of: (demand: Demand) => number;
  readonly limit: number;
  readonly cure: string;
}

const connections = (demand: Demand): number => demand.connections;
const databaseCores = ({ cores }: Demand): number => cores.database;

/** All that a partner or an installation meets on one PostgreSQL, in no order. */
export const LIMITS: readonly Limit[] = [
  {
    name: '97 connections',
    by: '`max_connections` 100, by default, without those of superusers',
    of: connections,
    limit: 97,
    cure: 'raise `max_connections`',
  },
  {
    name: '197 connections',
    by: '`max_connections` 200, of `deploy/patroni`',
    of: connections,
    limit: 197,
    cure: 'raise it further, or lower `DATABASE_POOL_SIZE`',
  },
  {
    name: 'one API process',
    by: 'one event loop',
    of: ({ cores }) => cores.api,
    limit: 1,
    cure: 'more processes with `--role api` behind a proxy',
  },
  {
    name: 'one worker',
    by: 'one event loop',
    of: ({ cores }) => cores.workers,
    limit: 1,
    cure: 'more processes with `--role worker`',
  },
  {
    name: '1 core of PostgreSQL',
    by: 'the machine',
    of: databaseCores,
    limit: 1,
    cure: 'a machine of its own',
  },
  {
    name: '16 cores of PostgreSQL',
    by: 'the machine',
    of: databaseCores,
    limit: 16,
    cure: 'more cores, as long as there are any: one primary takes all statements',
  },
  {
    name: 'a minute for an outage',
    by: `${ASSUMPTIONS.inFlight.value} attempts in flight at one webhook`,
    of: ({ outageSeconds }) => outageSeconds,
    limit: 60,
    cure: 'nothing breaks; an endpoint that answers sooner',
  },
  {
    name: '`pending_deliveries`',
    by: `quota of ${DEFAULT_QUOTAS.pending_deliveries.toLocaleString('en')} a partner`,
    of: ({ outageMessages }) => outageMessages * ASSUMPTIONS.webhooks.value,
    limit: DEFAULT_QUOTAS.pending_deliveries,
    cure: '`QUOTAS`; with a second webhook an outage of the largest partner is beyond it',
  },
  {
    name: '`partner`',
    by: `rate limit of ${DEFAULT_RATE_LIMITS.partner.quota.toLocaleString('en')} requests in ${DEFAULT_RATE_LIMITS.partner.windowSeconds} s`,
    of: ({ requestsPerSecondOfPartner }) => requestsPerSecondOfPartner,
    limit: DEFAULT_RATE_LIMITS.partner.quota / DEFAULT_RATE_LIMITS.partner.windowSeconds,
    cure: '`RATE_LIMITS`',
  },
  {
    name: '1 TB after a year',
    by: 'what is copied to a new standby, and restored, within hours',
    of: ({ disk }) => disk.total,
    limit: 1e12,
    cure: '`REQUESTS_LOGGED_PER_SECOND` first, then shorter retention',
  },
];

/** Beyond it no number of devices is sought. */
const MOST_DEVICES = 1e9;

/** The most devices, to two digits, at which the value is still within the limit; undefined when all are. */
export function findDevicesWithin(
  figures: ScaleFigures,
  of: (demand: Demand) => number,
  limit: number,
): number | undefined {
  const isWithin = (devices: number): boolean => of(computeDemand(figures, devices)) <= limit;
  if (isWithin(MOST_DEVICES)) return undefined;
  let [within, beyond] = [1, MOST_DEVICES];
  while (beyond / within > 1.001) {
    const middle = Math.sqrt(within * beyond);
    if (isWithin(middle)) within = middle;
    else beyond = middle;
  }
  return Number(within.toPrecision(2));
}
