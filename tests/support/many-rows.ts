// Fills an organization with so many rows of everything that a list may show that the planner decides as it does in production.
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { storedDefinition } from './fleet-records.ts';

export interface FilledOrganization {
  readonly orgId: string;
  readonly adminId: string;
  /** Its fleet, with the organization that it has reserved; both must be there. */
  readonly fleetId: string;
  readonly simulationOrgId: string;
  readonly webhookId: string;
  readonly rows: number;
}

/**
 * Writes `rows` fleets that are over, users, devices (nearly), pending items, ended items, messages, deliveries, attempts, tokens, sessions, prices and
 * windows of rate limits,
 * without the checks of keys and without triggers, whose numbers it writes itself. What few rows have (the type heat_pump, the code
 * subscription_required, the group rare; more than a page of them) comes last in the lists: a plan that reads a list until it has found enough reads all.
 */
export async function fillOrganization(pool: pg.Pool, filled: FilledOrganization): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`set session_replication_role = replica`);
    // What is known of tables that grow so fast is old: a plan for few rows took minutes of a busy machine, now and then.
    await client.query(`set enable_nestloop = off`);
    const statements = [
      ...fleets(filled),
      ...peopleAndDevices(filled),
      ...items(filled),
      ...deliveries(filled),
      ...credentials(filled),
      ...prices(filled),
    ];
    for (const [text, values] of statements) await client.query(text, [...values]);
    await client.query(`set session_replication_role = default`);
    await client.query(`reset enable_nestloop`);
  } finally {
    client.release();
  }
}

type Statement = readonly [text: string, values: readonly unknown[]];

function fleets({ orgId, rows }: FilledOrganization): Statement[] {
  return [
    [
      `insert into fleets (org_id, id, request_id, name, status, simulation_org_id, seed, model_version, household_count, created_count,
         definition, history_from, history_to, created_at)
       select $1, gen_random_uuid(), gen_random_uuid(), 'Fleet ' || i, 'cleaned', gen_random_uuid(), i, 2, 1, 1, $3, at, at, at
       from (select i, timestamptz '2021-01-01' + i * interval '1 second' as at from generate_series(1, $2::integer) i) past`,
      [orgId, rows, storedDefinition(randomUUID(), new Date())],
    ],
  ];
}

function peopleAndDevices({ orgId, simulationOrgId, fleetId, rows }: FilledOrganization): Statement[] {
  const households = Math.ceil(rows / 3);
  return [
    [
      // The first in the list are deleted.
      `insert into users (org_id, id, email, role, external_user_id, created_at, updated_at, deleted_at)
       select $1, gen_random_uuid(), 'u' || i || '@a.example', case when i % 100 = 0 then 'staff' else 'user' end, 'x' || i,
         timestamptz '2021-01-01' + i * interval '1 second', now(), case when i < $2 / 5 then timestamptz '2026-05-02' end
       from generate_series(1, $2::integer) i`,
      [orgId, rows],
    ],
    [
      `insert into users (org_id, id, email, role, fleet_id, household_index, created_at, updated_at)
       select $1, gen_random_uuid(), 'h' || i || '@a.example', 'user', $2, i, timestamptz '2021-01-01' + i * interval '1 second',
         now()
       from generate_series(0, $3::integer - 1) i`,
      [simulationOrgId, fleetId, households],
    ],
    [
      `insert into households (org_id, fleet_id, household_index, household_id, user_id, group_name, profile, attributes, created_at)
       select org_id, fleet_id, household_index, gen_random_uuid(), id,
         case when household_index >= $2 - greatest(60, $2 * 0.01) then 'rare' else 'g' || household_index % 4 end, 'family', 'null', now()
       from users where org_id = $1`,
      [simulationOrgId, households],
    ],
    [
      `insert into devices (org_id, id, user_id, device_type, fleet_id, household_index, name, manufacturer, model, ratings,
         created_at)
       select org_id, gen_random_uuid(), id, type, fleet_id, household_index, 'n', 'm', 'o',
         '{"rated_power_w": 5000, "pv_rating_kw": 5, "battery_capacity_kwh": 5, "max_charge_power_w": 5000, "max_discharge_power_w": 5000}',
         now()
       from users, unnest(array['electric_vehicle', 'inverter', 'wallbox', 'heat_pump']) type
       where org_id = $1 and (type <> 'heat_pump' or household_index >= $2 - greatest(60, $2 * 0.05))`,
      [simulationOrgId, households],
    ],
    [
      // Of each device something was asked once, of those of the households 7 to 9 more often than a page holds.
      `insert into control_revisions (org_id, device_id, received_at, revision, user_id, effective_from, change, preferences,
         actor_org_id, actor_user_id, actor_role, request_id)
       select org_id, id, timestamptz '2026-01-01' + i * interval '1 hour', i, user_id, timestamptz '2026-01-01' + i * interval '1 hour',
         'preferences', '{}', org_id, user_id, 'user', 'r'
       from devices, generate_series(1, case when household_index between 7 and 9 then 500 else 1 end) i
       where org_id = $1 and device_type <> 'wallbox'`,
      [simulationOrgId],
    ],
    [
      `insert into device_counts (org_id, group_name, device_type, devices)
       select org_id, group_name, device_type, count(*) from devices join households using (org_id, household_index)
       where org_id = $1 group by org_id, group_name, device_type`,
      [simulationOrgId],
    ],
  ];
}

function items({ simulationOrgId, adminId }: FilledOrganization): Statement[] {
  return [
    [
      `insert into notification_items (org_id, id, kind, code, device_id, device_type, owner_id, message, occurred_at)
       select org_id, gen_random_uuid(), case when device_type = 'electric_vehicle' then 'action' else 'information' end,
         case device_type when 'electric_vehicle' then 'reauthenticate' when 'inverter' then 'device_offline'
           when 'wallbox' then 'steering_recovery_failed' else 'subscription_required' end,
         id, device_type, user_id, 'A message of the length that messages have in general.',
         timestamptz '2026-05-01' - household_index * interval '1 second'
       from devices where org_id = $1`,
      [simulationOrgId],
    ],
    [
      `insert into notification_items (org_id, id, kind, code, device_id, device_type, owner_id, message, occurred_at,
         dismissed_at, cleared_at)
       select org_id, gen_random_uuid(), 'information', 'device_offline', id, device_type, user_id,
         'A message of the length that messages have in general.',
         timestamptz '2026-05-01' - (household_index + 0.5) * interval '1 second',
         case when household_index % 2 = 0 then timestamptz '2026-05-02' end,
         case when household_index % 2 = 1 then timestamptz '2026-05-02' end
       from devices where org_id = $1`,
      [simulationOrgId],
    ],
    [
      `insert into notification_items (org_id, id, kind, message, occurred_at)
       select $1, gen_random_uuid(), 'information', 'To everybody.', timestamptz '2026-05-01' - i * interval '1 day'
       from generate_series(1, 20) i`,
      [simulationOrgId],
    ],
    [
      `insert into broadcast_dismissals (org_id, item_id, user_id, dismissed_at)
       select org_id, id, $2, now() from notification_items where org_id = $1 and owner_id is null limit 10`,
      [simulationOrgId, adminId],
    ],
    [
      `insert into pending_item_counts (org_id, shard, device_type, kind, items)
       select org_id, 0, device_type, kind, count(*) from notification_items
       where org_id = $1 and dismissed_at is null and cleared_at is null and device_type is not null
       group by org_id, device_type, kind`,
      [simulationOrgId],
    ],
  ];
}

function deliveries({ orgId, webhookId, rows }: FilledOrganization): Statement[] {
  return [
    [
      // One that is deleted, which one in a hundred messages went to.
      `insert into webhooks (org_id, id, url, topics, encrypted_secret, secret_key_id, created_at, updated_at, deleted_at)
       values ($1, gen_random_uuid(), 'https://b.example/', '{}', '', 'none', now(), now(), timestamptz '2026-05-02')`,
      [orgId],
    ],
    [
      `insert into webhooks (org_id, id, url, topics, encrypted_secret, secret_key_id, created_at, updated_at)
       values ($1, $2, 'https://a.example/', '{}', '', 'none', now(), now())`,
      [orgId, webhookId],
    ],
    [
      `insert into messages (org_id, id, message_type, occurred_at, payload, created_at, announced_at)
       select $1, gen_random_uuid(), 'device.information', at, '', at, at
       from (select timestamptz '2026-05-01' + i * interval '1 second' as at from generate_series(1, $2::integer) i) announced`,
      [orgId, rows],
    ],
    [
      `insert into deliveries (org_id, message_id, webhook_id, state, attempts, due_at, created_at, finished_at)
       select org_id, id, $2, 'delivered', 1, created_at, created_at, created_at from messages where org_id = $1`,
      [orgId, webhookId],
    ],
    [
      `insert into deliveries (org_id, message_id, webhook_id, state, attempts, due_at, created_at, finished_at)
       select m.org_id, m.id, w.id, 'delivered', 1, m.created_at, m.created_at, m.created_at
       from messages m join webhooks w on w.org_id = m.org_id and w.deleted_at is not null
       where m.org_id = $1 and extract(second from m.created_at) = 0 and extract(minute from m.created_at) < 30`,
      [orgId],
    ],
    [
      `insert into delivery_attempts (org_id, message_id, webhook_id, attempt, started_at, duration_ms, outcome, status_code,
         secret_version)
       select org_id, id, $2, 1, created_at, 3, 'delivered', 200, 1 from messages where org_id = $1`,
      [orgId, webhookId],
    ],
  ];
}

/** One in a hundred has expired, or is over. */
function credentials({ orgId, adminId, rows }: FilledOrganization): Statement[] {
  const expiry = `case when i % 100 = 0 then timestamptz '2026-01-01' else timestamptz '2027-01-01' end`;
  return [
    [
      `insert into access_tokens (token_hash, org_id, user_id, application_id, grant_type, scope, created_at, expires_at)
       select sha256(('token' || $1::text || i)::bytea), $1::uuid, $2, gen_random_uuid(), 'client-credentials', 'read', now(), ${expiry}
       from generate_series(1, $3::integer) i`,
      [orgId, adminId, rows],
    ],
    [
      `insert into portal_sessions (session_hash, org_id, user_id, csrf_secret, created_at, expires_at)
       select sha256(('session' || $1::text || i)::bytea), $1::uuid, $2, '', now(), ${expiry}
       from generate_series(1, $3::integer) i`,
      [orgId, adminId, rows],
    ],
    [
      `insert into rate_limits (policy, subject, window_started_at, used)
       select 'default', $1::text || i, ${expiry}, 1 from generate_series(1, $2::integer) i`,
      [orgId, rows],
    ],
  ];
}

/** One in a hundred was replaced by the next. */
function prices({ orgId, rows }: FilledOrganization): Statement[] {
  return [
    [
      `insert into day_ahead_prices (org_id, starts_at, received_at, price, best_bid, best_ask, superseded)
       select $1, timestamptz '2025-01-01' + (i - case when i % 100 = 0 then 1 else 0 end) * interval '15 minutes',
         timestamptz '2025-01-01' + i * interval '1 second', 50, '{}', '{}', i % 100 = 99
       from generate_series(1, $2::integer) i`,
      [orgId, rows],
    ],
  ];
}
