// The portal's log of a webhook with 100,000 deliveries: the first byte of each filter's page beside the query alone, and 10,000
// given-up messages that are sent again batch by batch.
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'undici';
import { createSession } from '../../src/accounts/sessions.ts';
import { HOUR_MS } from '../../src/domain/api/durations.ts';
import type { DeliveryFilter } from '../../src/domain/notifications/delivery-filter.ts';
import { findDeliveries } from '../../src/queries/deliveries/filtered-deliveries.ts';
import { foundCompany } from '../../tests/support/api.ts';
import { startService } from '../../tests/support/service.ts';
import { startDatabase } from '../database.ts';
import type { BenchDatabase } from '../database.ts';
import type { Group } from '../group.ts';
import type { Samples } from '../row.ts';
import { median } from '../statistics.ts';

const DELIVERIES = 100_000;
/** One in ten was given up, one in ten is pending, one in ten was dropped; one in a thousand has the rare topic. */
const FILL = `
  with written as (
    insert into messages (org_id, id, message_type, occurred_at, payload, created_at, announced_at)
    select $1, gen_random_uuid(), case when i % 1000 = 0 then 'device.action_required' else 'device.information' end,
      at, '{}', at, at
    from (select i, now() - i * interval '20 seconds' as at from generate_series(1, ${DELIVERIES}) i) spread
    returning id, created_at
  ), numbered as (select id, created_at, row_number() over (order by created_at) as i from written)
  insert into deliveries (org_id, message_id, webhook_id, state, attempts, due_at, created_at, finished_at, cancel_reason)
  select $1, id, $2, (array['exhausted', 'pending', 'cancelled'] || array_fill('delivered'::text, array[7]))[1 + i % 10],
    1, created_at, created_at, case when i % 10 <> 1 then created_at end, case when i % 10 = 2 then 'disabled' end
  from numbered`;

const REDELIVERED = '10,000 sent again';
/** Asked of each filter in a round. */
const ASKED = 15;

interface World {
  readonly database: BenchDatabase;
  readonly key: { readonly orgId: string; readonly webhookId: string };
  readonly baseUrl: string;
  readonly cookie: string;
  readonly messageId: string;
  remove(): Promise<void>;
}

async function createWorld(): Promise<World> {
  const database = await startDatabase();
  const { db, pool } = database;
  const now = new Date();
  const { orgId, admin } = await foundCompany(db, now, 'Partner');
  const webhookId = randomUUID();
  // Who signs in has a username.
  await pool.query('update users set username = email where org_id = $1 and id = $2', [orgId, admin.id]);
  await pool.query(
    `insert into webhooks (org_id, id, url, topics, enabled, encrypted_secret, secret_key_id, created_at, updated_at)
     values ($1, $2, 'https://a.example/', array['device.information', 'device.action_required'], true, '', 'none', now(), now())`,
    [orgId, webhookId],
  );
  await pool.query(FILL, [orgId, webhookId]);
  await pool.query('vacuum analyze');
  const { rows } = await pool.query<{ id: string }>('select id from messages where org_id = $1 limit 1', [
    orgId,
  ]);
  const service = await startService({
    args: ['--role', 'api'],
    env: {
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'error',
    },
  });
  return {
    database,
    key: { orgId, webhookId },
    baseUrl: service.baseUrl,
    cookie: `partner_session=${await createSession(db, { orgId, userId: admin.id }, now)}`,
    messageId: rows[0]?.id ?? '',
    remove: async () => {
      await service.remove();
      await database.remove();
    },
  };
}

/** Each filter as the address says it, and as the query takes it. */
function filtersOf({ messageId }: World): Readonly<Record<string, readonly [string, DeliveryFilter]>> {
  const since = new Date(Date.now() - 100 * HOUR_MS);
  const until = new Date(Date.now() - 50 * HOUR_MS);
  const text = (instant: Date): string => encodeURIComponent(instant.toISOString());
  return {
    'no filter': ['', {}],
    pending: ['state=pending', { state: 'pending' }],
    delivered: ['state=delivered', { state: 'delivered' }],
    exhausted: ['state=exhausted', { state: 'exhausted' }],
    cancelled: ['state=cancelled', { state: 'cancelled' }],
    'a rare topic': ['topic=device.action_required', { topic: 'device.action_required' }],
    'since and until': [`since=${text(since)}&until=${text(until)}`, { since, until }],
    'a message': [`message=${messageId}`, { messageId }],
    'all together': [
      `state=delivered&topic=device.action_required&since=${text(since)}&until=${text(until)}`,
      { state: 'delivered', topic: 'device.action_required', since, until },
    ],
  };
}

const NAMES = [
  'no filter',
  'pending',
  'delivered',
  'exhausted',
  'cancelled',
  'a rare topic',
  'since and until',
  'a message',
  'all together',
];

async function measureFilters(world: World): Promise<Samples> {
  const samples: Record<string, Samples[string]> = {};
  for (const [name, [query, filter]] of Object.entries(filtersOf(world))) {
    const times = { page: [] as number[], bare: [] as number[] };
    for (let i = 0; i < ASKED; i++) {
      times.page.push(await firstByteMs(world, query));
      const startedAt = performance.now();
      await findDeliveries(world.database.db, world.key, filter, undefined);
      times.bare.push(performance.now() - startedAt);
    }
    samples[name] = { measured: median(times.page), limit: median(times.bare) };
  }
  return samples;
}

async function firstByteMs({ baseUrl, key, cookie }: World, query: string): Promise<number> {
  const startedAt = performance.now();
  const address = `${baseUrl}/portal/webhooks/${key.webhookId}/deliveries/?${query}`;
  const { statusCode, body } = await request(address, { headers: { cookie } });
  await once(body, 'readable');
  const firstByteAfter = performance.now() - startedAt;
  await body.dump();
  if (statusCode !== 200) throw new Error(`The log was answered ${statusCode}.`);
  return firstByteAfter;
}

/** Sends all that were given up again, as the page does batch by batch; each must become pending once. */
async function redeliverAll({ database, baseUrl, key, cookie }: World): Promise<number> {
  const page = `/portal/webhooks/${key.webhookId}/redeliver/`;
  let address = `${page}?since=2020-01-01T00:00`;
  let posts = 0;
  const startedAt = performance.now();
  for (;;) {
    const shown = await request(baseUrl + address, { headers: { cookie } });
    const html = await shown.body.text();
    if (posts > 0 && html.includes('All are sent again.')) break;
    const fields = [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
    const form = new URLSearchParams();
    for (const [, name = '', value = ''] of fields) form.set(name, value);
    const answer = await request(baseUrl + page, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    });
    await answer.body.dump();
    if (answer.statusCode !== 303) throw new Error(`The form was answered ${answer.statusCode}.`);
    address = String(answer.headers['location']);
    posts += 1;
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const { rows } = await database.pool.query<{ count: string }>(
    `select count(*) from deliveries where webhook_id = $1 and state = 'pending' and request_id is not null`,
    [key.webhookId],
  );
  const count = Number(rows[0]?.count);
  if (count !== DELIVERIES / 10) throw new Error(`${count} were sent again.`);
  await database.pool.query(
    `update deliveries set state = 'exhausted', request_id = null, finished_at = created_at where webhook_id = $1 and request_id is not null`,
    [key.webhookId],
  );
  return count / seconds;
}

export const DELIVERY_LOG_GROUPS: readonly Group[] = [
  {
    name: 'lists/delivery-log',
    file: 'lists/delivery-log.ts',
    rows: [
      ...NAMES.map((name) => ({ name, unit: 'ms', better: 'less', goals: { measured: 200 } }) as const),
      { name: REDELIVERED, unit: '/s', better: 'more', goals: {} },
    ],
    rounds: 3,
    about: 'first bytes of the portal beside the query alone, of 100,000 deliveries of a webhook',
    measure: async function* () {
      const world = await createWorld();
      try {
        await measureFilters(world);
        yield {};
        for (;;)
          yield {
            ...(await measureFilters(world)),
            [REDELIVERED]: { measured: await redeliverAll(world) },
          };
      } finally {
        await world.remove();
      }
    },
  },
];
