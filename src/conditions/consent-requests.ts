import { findPartnerState } from '../queries/accounts/organizations.ts';
import type { Db } from '../queries/connection/database.ts';
import { assignRequestToPartner } from '../queries/connection/request-scope.ts';
import { findConditionDevice, type ConditionDevice } from '../queries/notifications/condition-devices.ts';
import {
  findNotificationItem,
  findNotificationItemOfOlderLink,
} from '../queries/notifications/notifications.ts';
import { endCondition } from './end-condition.ts';

/** The request to an owner to sign in again at the device's manufacturer: an action of the code `reauthenticate`. */
export interface ConsentRequest {
  readonly itemId: string;
  readonly orgId: string;
  /** The root organization: `orgId` itself or its parent. */
  readonly partnerId: string;
  /** The operator has suspended the partner: nothing may be decided. */
  readonly isSuspended: boolean;
  readonly ownerId: string;
  readonly deviceId: string;
  /** Whether the device is connected again already. */
  readonly isResolved: boolean;
  /** Undefined when the device or its owner is deleted. */
  readonly device: ConditionDevice | undefined;
}

export interface ConsentRequests {
  /** Undefined when the organization has no such action. A link that does not name it, of the version before, finds the item by its id. */
  readonly find: (
    item: { readonly orgId: string | undefined; readonly itemId: string },
    now: Date,
  ) => Promise<ConsentRequest | undefined>;
  /** Reconnects the device, in one transaction in the partner's share of connections; false when it was connected already. */
  readonly approve: (request: ConsentRequest, now: Date) => Promise<boolean>;
}

/**
 * Consent requests of a database, for the page of the simulated manufacturer. Links that do not name their organization are taken until
 * `olderFormatUntil`.
 */
export function createConsentRequests(db: Db, olderFormatUntil?: Date): ConsentRequests {
  return {
    find: async ({ orgId, itemId }, now) => {
      if (orgId !== undefined) return toConsentRequest(db, await findNotificationItem(db, [orgId], itemId));
      if (olderFormatUntil === undefined || now >= olderFormatUntil) return undefined;
      return toConsentRequest(db, await findNotificationItemOfOlderLink(db, itemId));
    },
    approve: async ({ orgId, partnerId, deviceId }, now) => {
      assignRequestToPartner(partnerId);
      const event = { orgId, deviceId, code: 'reauthenticate', now } as const;
      return (await db.transaction().execute((tx) => endCondition(tx, event))).changed;
    },
  };
}

async function toConsentRequest(
  db: Db,
  item: Awaited<ReturnType<typeof findNotificationItem>>,
): Promise<ConsentRequest | undefined> {
  if (item?.kind !== 'action' || item.owner_id === null || item.device_id === null) return undefined;
  const partner = await findPartnerState(db, item.org_id);
  if (partner === undefined) return undefined;
  return {
    itemId: item.id,
    orgId: item.org_id,
    ...partner,
    ownerId: item.owner_id,
    deviceId: item.device_id,
    isResolved: item.cleared_at !== null,
    device: await findConditionDevice(db, item.org_id, item.device_id),
  };
}
