// What docs/scale.md assumes beside what was measured: change a value here, then `node bench/scale/main.ts`.
import { DEFAULT_QUOTAS } from '../../src/domain/api/quotas.ts';
import { DEVICE_TYPES } from '../../src/domain/fleets/devices.ts';
import { listFaultRates } from '../../src/simulation/household/faults.ts';
import { readSettings } from '../../src/config/settings.ts';

const settings = readSettings({});

/** Events of a device in a year, each of which is a message: the mean of all device types. */
const EVENTS_A_YEAR = listFaultRates().reduce(
  (sum, rate) => sum + (rate.events_per_device_year * rate.device_types.length) / DEVICE_TYPES.length,
  0,
);
/** Rows of `device_conditions` of a device: the codes that its type knows, the mean of all types. */
const CONDITION_CODES = listFaultRates()
  .filter(({ cause }) => cause === 'device')
  .reduce((sum, { device_types: types }) => sum + types.length / DEVICE_TYPES.length, 0);

interface Assumption {
  readonly what: string;
  readonly value: number;
  readonly why: string;
}

/** Each with its reason; rates are for one device. */
export const ASSUMPTIONS = {
  simulatedShare: {
    what: 'share of homes that are simulated',
    value: 1,
    why: 'devices are made by fleets alone',
  },
  devicesOfHome: { what: 'devices of a home', value: 3, why: 'a home has up to four' },
  homesOfPartner: {
    what: 'homes of a partner',
    value: DEFAULT_QUOTAS.households,
    why: 'the quota `households`',
  },
  deviceReads: {
    what: 'reads of its state a day',
    value: 24,
    why: 'one each hour; what is urgent comes as a message',
  },
  userReads: { what: 'reads of its user a day', value: 1, why: 'somebody opens an app' },
  listPages: {
    what: 'pages of lists a day',
    value: 0.1,
    why: 'each object is on a page of 50 five times a day',
  },
  changes: {
    what: 'changes a day',
    value: 0.05,
    why: 'a preference, a boost or an address every three weeks',
  },
  peak: { what: 'peak over mean', value: 3, why: 'the busiest hour of the evening' },
  events: {
    what: 'events, and messages, a year',
    value: EVENTS_A_YEAR,
    why: 'the rates of faults, mean of all device types',
  },
  webhooks: {
    what: 'webhooks of a partner that a message goes to',
    value: 1,
    why: 'a second one doubles deliveries',
  },
  outageShare: {
    what: 'devices of a partner that one outage strikes',
    value: 0.25,
    why: 'a region, or a country that a call names',
  },
  answerSeconds: {
    what: 'seconds until an endpoint has answered',
    value: 0.1,
    why: 'it answers before it does the work',
  },
  inFlight: {
    what: 'attempts in flight at one webhook',
    value: 16,
    why: 'the cap of [webhooks](webhooks.md#fairness)',
  },
  busy: {
    what: 'how busy a core may be at the peak',
    value: 0.5,
    why: 'waits grow beyond, and another process may be away',
  },
  databaseShareOfRead: {
    what: "PostgreSQL's share of a read",
    value: 0.3,
    why: '0.15 to 0.25 where it was measured ([bench](../bench/README.md#requests)); many partners share fewer batches',
  },
  databaseShareOfChange: {
    what: "PostgreSQL's share of a change",
    value: 0.5,
    why: 'not measured apart; rows, indexes and WAL',
  },
  changesOfEvent: {
    what: 'what an event costs, in `POST user`',
    value: 8,
    why: 'not measured; four tables at its begin, four at its end',
  },
  changesOfLoggedRequest: {
    what: 'what a logged request costs, in `POST user`',
    value: 0.25,
    why: 'not measured; one row of a batch, five indexes',
  },
  workerMsOfDelivery: {
    what: "ms of a worker's core for a delivery",
    value: 0.26,
    why: '[bench](../bench/README.md#where-a-delivery-spends-its-time), 2026-11-22; the row of the bench where a result has it',
  },
  databaseMsOfDelivery: {
    what: "ms of PostgreSQL's core for a delivery",
    value: 0.1,
    why: 'the same',
  },
  conditions: { what: 'rows of `device_conditions`', value: CONDITION_CODES, why: 'the codes of its type' },
  messageDays: {
    what: 'days for which messages, deliveries and attempts are kept',
    value: settings.retentionDays.messages,
    why: '`MESSAGE_RETENTION_DAYS`',
  },
  itemDays: {
    what: 'days for which ended notification items are kept',
    value: settings.retentionDays.items,
    why: '`ITEM_RETENTION_DAYS`',
  },
  requestDays: {
    what: 'days for which requests are kept',
    value: settings.retentionDays.requests,
    why: '`REQUEST_RETENTION_DAYS`',
  },
  loggedRequests: {
    what: 'requests of a partner that a process keeps in a second',
    value: settings.requestsLoggedPerSecond,
    why: '`REQUESTS_LOGGED_PER_SECOND`',
  },
  quartersOfYear: { what: 'prices of a partner in a year', value: 35_040, why: 'one market, quarter hours' },
  slack: {
    what: 'tables over their rows',
    value: 1.5,
    why: 'dead rows until vacuum comes; without WAL and backups',
  },
  poolSize: {
    what: 'connections for the requests of an API process',
    value: settings.databasePoolSize,
    why: '`DATABASE_POOL_SIZE`',
  },
  ownConnections: {
    what: 'connections of a process for itself, at most',
    value: 11,
    why: 'loops 6, token checks 1, listening 4',
  },
  atLeast: { what: 'API processes and workers, at least', value: 2, why: 'one may be away' },
} as const satisfies Readonly<Record<string, Assumption>>;
