// What a fleet of a thousand households did over 30 days at quarter hours, asked of a service, while another partner asks for its
// own things.
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'undici';
import { DAY_MS } from '../../src/domain/api/durations.ts';
import { PartnerApi, until } from '../../tests/process/partner.ts';
import { foundCompany } from '../../tests/support/api.ts';
import { startService } from '../../tests/support/service.ts';
import { startDatabase } from '../database.ts';
import type { BenchDatabase } from '../database.ts';
import type { Samples } from '../row.ts';
import { askSteadily } from '../steady.ts';

const HOUSEHOLDS = 1_000;
const DAYS = 30;
const REQUESTS_PER_SECOND = 100;
const ALONE_MS = 10_000;

export const FIRST_BYTES_COLD = 'view of a fleet, first bytes, nothing planned';
export const WHOLE_COLD = 'view of a fleet, whole, nothing planned';
export const FIRST_BYTES = 'view of a fleet, first bytes, once planned';
export const WHOLE = 'view of a fleet, whole, once planned';
export const OTHERS_COLD = `another partner's p99 beside it, nothing planned`;
export const OTHERS = `another partner's p99 beside it, once planned`;

/** Each round has a fleet that nobody has looked at. */
export async function* measureViews(): AsyncGenerator<Samples, never> {
  const database = await startDatabase();
  const own = await addPartner(database);
  const other = await addPartner(database);
  await addPrices(database, own.orgId);
  const service = await startService({
    env: {
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'error',
    },
  });
  try {
    const [api, others] = [own, other].map((partner) => PartnerApi.withToken(service.baseUrl, partner));
    if (api === undefined || others === undefined) throw new Error('There are two partners.');
    const ask = (): Promise<unknown> => others.call('GET', '/users?limit=50');
    for (;;) {
      const path = `/device-simulator/fleets/${await runFleet(api)}/data`;
      const aloneUntil = performance.now() + ALONE_MS;
      const alone = await askSteadily(REQUESTS_PER_SECOND, ask, () => performance.now() > aloneUntil);
      const cold = await takeView(api, path, ask);
      const planned = await takeView(api, path, ask);
      yield {
        [FIRST_BYTES_COLD]: { measured: cold.firstMs },
        [WHOLE_COLD]: { measured: cold.wholeMs },
        [OTHERS_COLD]: { measured: cold.p99, limit: alone },
        [FIRST_BYTES]: { measured: planned.firstMs },
        [WHOLE]: { measured: planned.wholeMs },
        [OTHERS]: { measured: planned.p99, limit: alone },
      };
    }
  } finally {
    await service.remove();
    await database.remove();
  }
}

interface View {
  readonly firstMs: number;
  readonly wholeMs: number;
  readonly p99: number;
}

async function takeView(api: PartnerApi, path: string, ask: () => Promise<unknown>): Promise<View> {
  const to = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const [from, until_] = [new Date(to - DAYS * DAY_MS), new Date(to)];
  const query = `from=${from.toISOString()}&to=${until_.toISOString()}&resolution=15MIN`;
  let isOver = false;
  const others = askSteadily(REQUESTS_PER_SECOND, ask, () => isOver);
  const startedAt = performance.now();
  const url = `${api.baseUrl}/api/partners/v2.0/org/${api.orgId}${path}?${query}`;
  const { statusCode, body } = await request(url, { headers: { authorization: `Bearer ${api.token}` } });
  await once(body, 'readable');
  const firstMs = performance.now() - startedAt;
  const text = await body.text();
  const wholeMs = performance.now() - startedAt;
  isOver = true;
  if (statusCode !== 200) throw new Error(`The view was answered ${statusCode}: ${text}`);
  const { data } = JSON.parse(text) as { data: unknown[] };
  if (data.length !== DAYS * 96) throw new Error(`The view has ${data.length} quarter hours.`);
  return { firstMs, wholeMs, p99: await others };
}

interface Partner {
  readonly orgId: string;
  readonly token: string;
}

async function addPartner({ db }: BenchDatabase): Promise<Partner> {
  const { orgId, admin } = await foundCompany(db, new Date(), 'Partner');
  return { orgId, token: admin.token };
}

/** Prices of the hours of the last weeks, each known since noon of the day before. */
async function addPrices({ pool }: BenchDatabase, orgId: string): Promise<void> {
  await pool.query(
    `insert into day_ahead_prices (org_id, starts_at, received_at, price, best_bid, best_ask, superseded)
     select $1, quarter, date_trunc('day', quarter) - interval '12 hours',
       80 + 45 * sin(extract(epoch from date_trunc('hour', quarter)) / 3600 / 3.8), '{}', '{}', false
     from generate_series(date_trunc('day', now()) - $2 * interval '1 day', date_trunc('day', now()) + interval '1 day',
       interval '15 minutes') quarter`,
    [orgId, DAYS + 15],
  );
}

/** The id of a fleet that runs. */
async function runFleet(api: PartnerApi): Promise<string> {
  const fleets = '/device-simulator/fleets';
  const { status, body } = await api.call<{ job_id: string }>('POST', fleets, {
    request_id: randomUUID(),
    count: HOUSEHOLDS,
    latitude: 48.2,
    longitude: 16.4,
    ev_ownership_fraction: 0.5,
    history_days: DAYS + 5,
  });
  if (status !== 200) throw new Error(`The fleet was answered ${status}: ${JSON.stringify(body)}`);
  await until(
    () => api.call<{ status: string }>('GET', `${fleets}/${body.job_id}`),
    (answer) => answer.body.status === 'running',
  );
  return body.job_id;
}
