// Every list of the API with each of its filters, as one who has many rows asks for its first page.
import type pg from 'pg';
import type { OperationId } from '../../generated/routes.ts';
import type { Call } from './api-client.ts';
import type { FilledOrganization } from './many-rows.ts';

/** An organization filled by fillOrganization. */
export interface ListedOrganization extends FilledOrganization {
  /** A device of which much was asked, whose it is, and a message. */
  readonly device: string;
  readonly owner: string;
  readonly message: string;
  /** Half of the items are newer. */
  readonly middle: string;
  /** Tokens of others than the admin, who asks by default. */
  readonly staffToken: string;
  readonly userToken: string;
}

export interface ListCall extends Call {
  readonly operation: OperationId;
}

/** A device, its owner, a message and the middle of the items of a filled organization. */
export async function findListed(
  pool: pg.Pool,
  { orgId, simulationOrgId }: FilledOrganization,
): Promise<Pick<ListedOrganization, 'device' | 'owner' | 'message' | 'middle'>> {
  const { rows } = await pool.query<{ device: string; owner: string; message: string; middle: Date }>(
    `select id as device, user_id as owner, (select id from messages where org_id = $2 limit 1) as message,
       (select min(occurred_at) + (max(occurred_at) - min(occurred_at)) / 2 from notification_items
        where org_id = $1 and device_id is not null) as middle
     from devices where org_id = $1 and household_index = 7 and device_type = 'inverter'`,
    [simulationOrgId, orgId],
  );
  const [found] = rows;
  if (found === undefined) throw new Error('The organization is not filled.');
  return { ...found, middle: found.middle.toISOString() };
}

type QueryOf = (own: ListedOrganization) => Call['query'];

/** Every filter of the lists of items, alone and with others. */
const ITEM_FILTERS: Readonly<Record<string, QueryOf>> = {
  'no filter': () => ({}),
  'an owner': ({ owner }) => ({ owner_id: owner }),
  'a device': ({ device }) => ({ device_id: device }),
  'a common type': () => ({ device_type: 'inverter' }),
  'a rare type': () => ({ device_type: 'heat_pump' }),
  'a common code': () => ({ code: ['device_offline'] }),
  'a rare code': () => ({ code: ['subscription_required'] }),
  'two codes': () => ({ code: ['device_offline', 'subscription_required'] }),
  'a code that the type does not have': () => ({ code: ['subscription_required'], device_type: 'wallbox' }),
  'an unknown code': () => ({ code: ['nothing'] }),
  'an owner and a code': ({ owner }) => ({ owner_id: owner, code: ['device_offline'] }),
  'an owner and a type': ({ owner }) => ({ owner_id: owner, device_type: 'wallbox' }),
  'a device and a code': ({ device }) => ({ device_id: device, code: ['device_offline'] }),
  'an end': ({ middle }) => ({ created_before: middle }),
  'a beginning': ({ middle }) => ({ created_after: middle }),
  'a beginning that nothing follows': () => ({ created_after: '2026-12-01T00:00:00Z' }),
  'an end that nothing precedes': () => ({ created_before: '2026-01-01T00:00:00Z' }),
  'a rare type and an end': ({ middle }) => ({ device_type: 'heat_pump', created_before: middle }),
  'a common type, a code and an end': ({ middle }) => ({
    device_type: 'inverter',
    code: ['device_offline'],
    created_before: middle,
  }),
};

const FLEET_FILTERS: Readonly<Record<string, Call['query']>> = {
  'devices of a fleet': {},
  'devices of a common type': { device_type: 'inverter' },
  'devices of a rare type': { device_type: 'heat_pump' },
  'devices of a common group': { group: 'g1' },
  'devices of a rare group': { group: 'rare' },
  'devices of a rare group and type': { group: 'rare', device_type: 'heat_pump' },
};

/** By their names: what is asked of an organization that is listed. */
export const LISTS: Readonly<Record<string, (own: ListedOrganization) => ListCall>> = {
  'the status': (own) => inFleet(own, 'getNotificationStatus'),
  'the status of an owner': (own) => inFleet(own, 'getNotificationStatus', { owner_id: own.owner }),
  ...Object.fromEntries(
    Object.entries(ITEM_FILTERS).flatMap(([name, query]) => [
      [`actions by ${name}`, (own: ListedOrganization) => inFleet(own, 'listActions', query(own))],
      [`information by ${name}`, (own: ListedOrganization) => inFleet(own, 'listInformation', query(own))],
    ]),
  ),
  deliveries: ({ webhookId }) => ({ operation: 'listDeliveries', path: { webhook_id: webhookId } }),
  'attempts of a delivery': ({ webhookId, message }) => ({
    operation: 'getDelivery',
    path: { webhook_id: webhookId, message_id: message },
  }),
  users: () => ofUsers(),
  'users with deleted ones': () => ofUsers({ include_deleted: true }),
  'users as staff': ({ staffToken }) => ({ ...ofUsers(), token: staffToken }),
  'users as user': ({ userToken }) => ({ ...ofUsers(), token: userToken }),
  'a user by external id': ({ rows }) => ({
    operation: 'getUserByExternalId',
    path: { external_user_id: `x${Math.floor(rows * 0.9)}` },
  }),
  'a deleted user by external id': () => ({
    operation: 'getUserByExternalId',
    path: { external_user_id: 'x9' },
    query: { include_deleted: true },
  }),
  webhooks: () => ({ operation: 'listWebhooks' }),
  ...Object.fromEntries(
    Object.entries(FLEET_FILTERS).map(([name, query]) => [
      name,
      ({ fleetId }: ListedOrganization) => ({
        operation: 'listFleetDevices' as const,
        path: { job_id: fleetId },
        query: query ?? {},
      }),
    ]),
  ),
  'revisions of what is asked of a device': (own) => ofInverter(own, 'listInverterPreferenceRevisions'),
  'what is asked of a device': (own) => ofInverter(own, 'getInverterPreferences'),
  'devices of a user': ({ simulationOrgId, owner }) => ({
    operation: 'listUserInverters',
    path: { org_id: simulationOrgId, user_id: owner },
  }),
};

function inFleet(
  { simulationOrgId }: ListedOrganization,
  operation: OperationId,
  query: Call['query'] = {},
): ListCall {
  return { operation, query, path: { org_id: simulationOrgId } };
}

function ofUsers(query: Call['query'] = {}): ListCall {
  return { operation: 'listUsers', query: { limit: 50, ...query } };
}

function ofInverter(
  { simulationOrgId, owner, device }: ListedOrganization,
  operation: OperationId,
): ListCall {
  return { operation, path: { org_id: simulationOrgId, user_id: owner, inverter_id: device } };
}
