import type { components } from '../../generated/openapi.ts';
import type { Handler } from '../contract/handlers.ts';
import { tryParseInstant } from '../domain/api/instants.ts';
import { formatLinkHeader, offsetPageRelations } from '../domain/api/page-links.ts';
import { notFoundProblem, Problem } from '../domain/api/problem.ts';
import { ROLE_TABLE } from '../domain/users/roles.ts';
import {
  listInformationItems,
  listPendingItems,
  type ItemFilter,
  type ItemPage,
} from '../queries/notifications/item-lists.ts';
import {
  countPendingItems,
  hasUser,
  type ItemScope,
  type PendingCount,
} from '../queries/notifications/notifications.ts';
import type { Context } from './context.ts';
import { presentActionItem, presentInformation } from '../presenters/notifications.ts';

type Counts = components['schemas']['NotificationCounts'];
type ContentOperation = 'getNotificationStatus' | 'listActions' | 'listInformation';

/** Counts the pending actions and notices of devices by device type. */
export const getNotificationStatus: Handler<Context, 'getNotificationStatus'> = async (
  context,
  { query },
) => {
  const scope = await resolveItemScope(context, 'getNotificationStatus', query.owner_id);
  const pending = await countPendingItems(context.db, scope);
  const counts = (deviceType: PendingCount['device_type']): Counts => {
    const count = (kind: PendingCount['kind']): number =>
      pending.find((each) => each.device_type === deviceType && each.kind === kind)?.count ?? 0;
    return { action_required: count('action'), information_available: count('information') };
  };
  return {
    status: 200,
    body: {
      electric_vehicle: counts('electric_vehicle'),
      heat_pump: counts('heat_pump'),
      inverter: counts('inverter'),
      wallbox: counts('wallbox'),
    },
  };
};

/** One page of the items that are neither dismissed nor cleared, newest first. */
export const listActions: Handler<Context, 'listActions'> = async (context, { query }) => {
  const scope = await resolveItemScope(context, 'listActions', query.owner_id);
  const pageRequest = pageRequestOf(query);
  const page = await listPendingItems(context.db, scope, toItemFilter(query), pageRequest);
  return {
    status: 200,
    headers: pageLinkHeader(context, 'actions', query, page),
    body: {
      items: page.items.map((item) => presentActionItem(context, item, scope.readerId)),
      total: page.total,
      total_capped: page.isTotalCapped,
      ...pageRequest,
    },
  };
};

/** One page of all notices, newest first, dismissed and cleared ones too. */
export const listInformation: Handler<Context, 'listInformation'> = async (context, { query }) => {
  const scope = await resolveItemScope(context, 'listInformation', query.owner_id);
  const pageRequest = pageRequestOf(query);
  const page = await listInformationItems(context.db, scope, toItemFilter(query), pageRequest);
  return {
    status: 200,
    headers: pageLinkHeader(context, 'information', query, page),
    body: {
      items: page.items.map((item) => presentInformation(context, item, scope.readerId)),
      total: page.total,
      total_capped: page.isTotalCapped,
      ...pageRequest,
    },
  };
};

/**
 * Whose items the caller sees: an admin those of everybody in the organization, all others only their own. Throws 403
 * `owner_forbidden` for another owner, 404 for an unknown one.
 */
async function resolveItemScope(
  { actor, orgId, db }: Context,
  operation: ContentOperation,
  owner: string | undefined,
): Promise<ItemScope> {
  const ownerId = owner?.toLowerCase();
  if (ROLE_TABLE[operation][actor.role] !== 'all') {
    if (ownerId !== undefined && ownerId !== actor.userId) {
      const detail = `The role ${actor.role} sees only its own notifications; leave owner_id out.`;
      throw new Problem('owner_forbidden', detail);
    }
    return { orgId, ownerId: actor.userId, readerId: actor.userId, broadcasts: orgId === actor.orgId };
  }
  if (ownerId !== undefined && !(await hasUser(db, orgId, ownerId))) throw notFoundProblem('user');
  return { orgId, ownerId, readerId: ownerId ?? actor.userId, broadcasts: true };
}

interface Query {
  readonly device_id?: string;
  readonly device_type?: components['schemas']['DeviceType'];
  readonly code?: readonly string[];
  readonly created_after?: string;
  readonly created_before?: string;
  readonly limit?: number;
  readonly offset?: number;
}

function toItemFilter(query: Query): ItemFilter {
  return {
    deviceId: query.device_id,
    deviceType: query.device_type,
    codes: query.code,
    from: query.created_after === undefined ? undefined : tryParseInstant(query.created_after),
    to: query.created_before === undefined ? undefined : tryParseInstant(query.created_before),
  };
}

function pageRequestOf({ limit = 50, offset = 0 }: Query): { limit: number; offset: number } {
  return { limit, offset };
}

function pageLinkHeader(context: Context, list: string, query: Query, page: ItemPage): { Link: string } {
  const address = `${context.baseUrl}/api/partners/v2.0/org/${context.orgId}/notifications/${list}`;
  const { limit, offset } = pageRequestOf(query);
  return { Link: formatLinkHeader(address, { ...query }, offsetPageRelations(limit, offset, page)) };
}
