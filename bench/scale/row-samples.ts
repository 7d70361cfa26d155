// Rows as the service writes them, in the lengths that they have there.
import { randomUUID } from 'node:crypto';
import { encodeEnvelope } from '../../src/domain/notifications/envelope.ts';
import { notificationText } from '../../src/domain/notifications/notification-texts.ts';
import { DEFAULT_VEHICLE_PREFERENCES } from '../../src/simulation/control/preferences.ts';
import { resolveDefinition } from '../../src/simulation/definition/resolve-definition.ts';
import { toStoredDefinition } from '../../src/simulation/definition/stored-definition.ts';
import { describeDevices } from '../../src/simulation/household/device-description.ts';
import { buildMissingHouseholds } from '../../src/simulation/household/missing-households.ts';

/** Enough that the few pages that every table and index has count for nothing. */
export const MEASURED_ROWS = 10_000;

export interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

const SERIES = `(select i, timestamptz '2026-01-01' + i * interval '1 minute' as at from generate_series(1, ${MEASURED_ROWS}) i) filled`;

const SAMPLE_DEVICE = { deviceType: 'inverter', name: 'Inverter', manufacturer: 'Solaria Nova' } as const;

/** For each table what fills it for an organization. */
export function sampleStatements(orgId: string): Readonly<Record<string, Statement>> {
  const rows = { ...homeRows(orgId), ...eventRows(orgId), ...requestRows(orgId) };
  return Object.fromEntries(Object.entries(rows).map(([table, fill]) => [table, fill(table)]));
}

type Fill = (table: string) => Statement;

function filled(orgId: string, columns: string, cells: string, ...values: unknown[]): Fill {
  return (table) => ({
    text: `insert into ${table} (org_id, ${columns}) select $1, ${cells} from ${SERIES}`,
    values: [orgId, ...values],
  });
}

function homeRows(orgId: string): Readonly<Record<string, Fill>> {
  const { attributes, ratings, latitude, longitude } = sampleHome();
  return {
    users: filled(
      orgId,
      'id, email, role, first_name, last_name, country, latitude, longitude, location_last_updated, fleet_id, household_index, created_at, updated_at',
      `gen_random_uuid(), 'household-' || i || '@' || gen_random_uuid() || '.simulated.invalid', 'user', 'Alexandra', 'Mustermann', 'DE', $2::float8 + i / 1e4, $3::float8, at, gen_random_uuid(), i, at, at`,
      latitude,
      longitude,
    ),
    households: filled(
      orgId,
      'fleet_id, household_index, household_id, user_id, group_name, profile, latitude, longitude, location_source, attributes, created_at',
      `gen_random_uuid(), i, gen_random_uuid(), gen_random_uuid(), 'default', 'family', $2::float8 + i / 1e4, $3::float8, 'density', $4::jsonb, at`,
      latitude,
      longitude,
      attributes,
    ),
    household_checkpoints: filled(
      orgId,
      'household_index, day, pv, ev, hp, grid_import, grid_export, stored, vehicle_stored',
      'i, 20500, 1e9::bigint + i, i, i, i, i, i, i',
    ),
    devices: filled(
      orgId,
      'id, user_id, device_type, fleet_id, household_index, name, manufacturer, model, ratings, created_at',
      `gen_random_uuid(), gen_random_uuid(), 'inverter', gen_random_uuid(), i, 'Inverter', 'Solaria Nova', 'Solaria Nova 10', $2::jsonb, at`,
      ratings,
    ),
  };
}

function eventRows(orgId: string): Readonly<Record<string, Fill>> {
  return {
    device_conditions: filled(
      orgId,
      'device_id, code, active, begins_at, changed_at',
      `gen_random_uuid(), 'steering_recovery_failed', false, at, at`,
    ),
    device_interruptions: filled(
      orgId,
      'device_id, code, started_at, ended_at, unsteered_from, unsteered_to, read_until',
      `gen_random_uuid(), 'device_offline', at, at, i, i, at`,
    ),
    notification_items: filled(
      orgId,
      'id, kind, code, device_id, device_type, owner_id, message, occurred_at, cleared_at',
      `gen_random_uuid(), 'information', 'device_offline', gen_random_uuid(), 'inverter', gen_random_uuid(), $2, at, at`,
      notificationText('device_offline', SAMPLE_DEVICE),
    ),
    messages: filled(
      orgId,
      'id, message_type, occurred_at, payload, created_at, announced_at',
      `gen_random_uuid(), 'device.information', at, $2, at, at`,
      sampleEnvelope(),
    ),
    deliveries: filled(
      orgId,
      'message_id, webhook_id, state, attempts, due_at, request_id, created_at, finished_at',
      `gen_random_uuid(), '${randomUUID()}', 'delivered', 1, at, gen_random_uuid()::text, at, at`,
    ),
    delivery_attempts: filled(
      orgId,
      'message_id, webhook_id, attempt, started_at, duration_ms, outcome, status_code, address, secret_version, request_id, lookup_ms, connect_ms, tls_ms, answer_ms',
      `gen_random_uuid(), '${randomUUID()}', 1, at, 90, 'delivered', 204, '203.0.113.10', 1, gen_random_uuid()::text, 2, 20, 40, 28`,
    ),
  };
}

function requestRows(orgId: string): Readonly<Record<string, Fill>> {
  return {
    control_revisions: filled(
      orgId,
      'device_id, received_at, revision, user_id, effective_from, change, preferences, actor_org_id, actor_user_id, actor_role, request_id',
      `gen_random_uuid(), at, 1, gen_random_uuid(), at, 'preferences', $2::jsonb, gen_random_uuid(), gen_random_uuid(), 'user', gen_random_uuid()::text`,
      JSON.stringify(DEFAULT_VEHICLE_PREFERENCES),
    ),
    day_ahead_prices: filled(
      orgId,
      'starts_at, received_at, price, best_bid, best_ask',
      `at, at, 92.75, '{91.5,91.25,91}', '{93.5,93.75,94}'`,
    ),
    logged_requests: filled(
      orgId,
      'sent_at, id, request_id, operation, method, path, status, duration_ms, user_id, application_id',
      `at, gen_random_uuid(), gen_random_uuid()::text, 'getHeatPump', 'GET', '/api/partners/v2.0/heat-pumps/' || gen_random_uuid() || '/', 200, 4, gen_random_uuid(), gen_random_uuid()`,
    ),
  };
}

/** Always the same home is drawn from it. */
const FLEET_ID = '5f0c2c1e-9b7e-4a57-8f6a-3d1f4be7a001';

/** What is stored of a home and a device that the simulator draws. */
function sampleHome(): { attributes: string; ratings: string; latitude: number; longitude: number } {
  const now = new Date(0);
  const resolution = resolveDefinition({ request_id: FLEET_ID, count: 1 }, now);
  if (!resolution.ok) throw new Error(JSON.stringify(resolution.errors));
  const stored = toStoredDefinition(resolution.definition);
  const [household] = buildMissingHouseholds({ stored, sentWeights: null, anchor: now, from: 0 });
  if (household === undefined) throw new Error('A fleet of one home has none.');
  const [device] = describeDevices(FLEET_ID, household);
  const { latitude, longitude } = household;
  return {
    attributes: JSON.stringify(household),
    ratings: JSON.stringify(device?.ratings ?? {}),
    latitude,
    longitude,
  };
}

function sampleEnvelope(): Buffer {
  const device = { device_id: randomUUID(), device_type: 'inverter', owner_id: randomUUID() } as const;
  const content = { type: 'device.information', data: { ...device, notice: 'device_offline' } } as const;
  return encodeEnvelope(randomUUID(), content, new Date(0));
}
