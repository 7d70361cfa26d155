import type { PortalReads } from '../portal/reads.ts';
import type { Db } from '../queries/connection/database.ts';
import { findPayload, readAttemptPhases } from '../queries/deliveries/delivery-log.ts';
import { listFailingWebhooks, listFailingWebhooksOf } from '../queries/deliveries/failing-webhooks.ts';
import { findDeliveries } from '../queries/deliveries/filtered-deliveries.ts';
import { countDeliveriesSince, hasDelivered } from '../queries/deliveries/recent-deliveries.ts';
import { readWebhookStatistics } from '../queries/deliveries/webhook-statistics.ts';
import { countWebhooks } from '../queries/deliveries/webhooks.ts';
import {
  findFleetSummary,
  findFleetSummaryById,
  listFleetSummaries,
} from '../queries/fleets/fleet-summaries.ts';
import { findOrganizationOfUser, nameUsers } from '../queries/accounts/portal-users.ts';
import { findDeviceOwner } from '../queries/fleets/device-owners.ts';
import { listFleetDevices } from '../queries/fleets/devices.ts';
import { countFleetDevicesByType } from '../queries/fleets/fleets.ts';
import { findTimeZone } from '../queries/fleets/household-pages.ts';
import { findStreamCursor } from '../queries/notifications/events.ts';
import { listRecentEvents } from '../queries/notifications/recent-events.ts';
import {
  countOpenConditions,
  listConditionsOfUser,
  listOpenConditions,
} from '../queries/notifications/open-conditions.ts';
import { findToldItem, listItemsOfDevice } from '../queries/notifications/told-items.ts';
import { countOpenActions, findNotificationHistory } from '../queries/notifications/notifications.ts';
import {
  countRefusals,
  countUnlogged,
  findLoggedRequest,
  listRequests,
} from '../queries/requests/request-log.ts';

/** What the portal reads of this database. */
export function createPortalReads(db: Db): PortalReads {
  return {
    listFleets: (orgId, limit) => listFleetSummaries(db, orgId, limit),
    findFleet: (orgId, simulationOrgId) => findFleetSummary(db, orgId, simulationOrgId),
    findFleetById: (orgId, id) => findFleetSummaryById(db, orgId, id),
    findTimeZone: (orgId) => findTimeZone(db, orgId),
    listOpenConditions: (orgId, limit) => listOpenConditions(db, orgId, limit),
    countOpenConditions: (orgIds) => countOpenConditions(db, orgIds),
    listConditionsOfUser: (orgId, userId) => listConditionsOfUser(db, orgId, userId),
    listHeatPumps: async (orgId, limit) =>
      (await listFleetDevices(db, orgId, { deviceType: 'heat_pump' }, { limit, offset: 0 })).map(
        ({ user_id: userId, id: deviceId }) => ({ userId, deviceId }),
      ),
    findDeviceOwner: (orgIds, deviceId) => findDeviceOwner(db, orgIds, deviceId),
    findOrganizationOfUser: (orgIds, userId) => findOrganizationOfUser(db, orgIds, userId),
    nameUsers: (orgId, ids) => nameUsers(db, orgId, ids),
    countDevices: async (orgId) => (await countFleetDevicesByType(db, [orgId])).get(orgId),
    findDeliveries: (key, filter, after) => findDeliveries(db, key, filter, after),
    readWebhookStatistics: (keys) => readWebhookStatistics(db, keys),
    listFailingWebhooks: (orgId, webhookIds) => listFailingWebhooks(db, orgId, webhookIds),
    listFailingWebhooksOf: (orgIds) => listFailingWebhooksOf(db, orgIds),
    readAttemptPhases: (key) => readAttemptPhases(db, key),
    findPayload: (orgId, messageId) => findPayload(db, orgId, messageId),
    listEvents: async (orgId, { topic, after }, limit) => {
      const cursor = after === undefined ? undefined : await findStreamCursor(db, orgId, after);
      return listRecentEvents(db, orgId, { topic, after: cursor }, limit);
    },
    findItem: (orgId, id, readerId) => findToldItem(db, { orgId, id, readerId }),
    listItemsOfDevice: (orgId, deviceId, limit) => listItemsOfDevice(db, { orgId, deviceId, limit }),
    countOpenActions: (orgIds) => countOpenActions(db, orgIds),
    countDeliveriesSince: (orgId, since, periodSeconds, webhookIds) =>
      countDeliveriesSince(db, orgId, since, periodSeconds, webhookIds),
    listRequests: (orgId, filter, page) => listRequests(db, orgId, filter, page),
    findLoggedRequest: (orgId, position) => findLoggedRequest(db, orgId, position),
    countRefusals: (orgId, since, most) => countRefusals(db, orgId, since, most),
    countUnlogged: (orgId, since) => countUnlogged(db, orgId, since),
    findFirstSteps: async (orgId) => {
      const { hasMessage, hasResolved } = await findNotificationHistory(db, orgId);
      return {
        hasWebhook: (await countWebhooks(db, orgId)) > 0,
        hasEvent: hasMessage,
        hasDelivered: await hasDelivered(db, orgId),
        hasResolved,
      };
    },
  };
}
