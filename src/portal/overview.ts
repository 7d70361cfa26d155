import type { DeliveryCount } from '../domain/notifications/delivery-count.ts';
import type { FleetSummary } from '../domain/fleets/fleet-summary.ts';
import { randomUUID } from 'node:crypto';
import { listVisibleApplications } from '../accounts/applications.ts';
import type { Request } from '../contract/handlers.ts';
import type { DeviceCounts } from '../domain/fleets/devices.ts';
import { isFleetActive } from '../domain/fleets/fleet-states.ts';
import { mayCall, ROLE_TABLE } from '../domain/users/roles.ts';
import { getNotificationStatus } from '../operations/notifications.ts';
import { listWebhooks } from '../operations/webhooks.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import type { FirstStepsState } from './first-steps.ts';
import type { NeedsState, NotificationStatus, Webhook } from './needs.ts';
import { toOperationContext } from './operations.ts';
import { PERIOD_SECONDS } from './recent-deliveries.ts';
import { getScope } from './shell.ts';

/** Fleets that are looked through; as many as a partner may have unless its quota was raised. */
const MOST_FLEETS = 100;

const NOTHING_TAKEN = { hasWebhook: false, hasEvent: false, hasDelivered: false, hasResolved: false };

/** All that the first page shows of a scope. What is not the reader's to see is undefined. */
export interface Overview extends NeedsState {
  /** Open actions of each fleet's simulation organization. */
  readonly openActions: ReadonlyMap<string, number> | undefined;
  readonly devices: DeviceCounts | undefined;
  readonly deliveries: readonly DeliveryCount[] | undefined;
  readonly firstSteps: FirstStepsState;
}

/** Reads it; `since` is the beginning of the deliveries. */
export async function readOverview(
  context: PortalContext,
  response: PortalResponse,
  since: Date,
): Promise<Overview> {
  const { reads } = context;
  const { role, orgId } = getSession(response);
  const scope = getScope(response);
  const fleets = scope.fleet === undefined ? await reads.listFleets(orgId, MOST_FLEETS) : [scope.fleet];
  const isShownActions = ROLE_TABLE.getNotificationStatus[role] === 'all';
  const simulations = fleets.filter(({ isReachable }) => isReachable).map((fleet) => fleet.simulationOrgId);
  const webhooks = mayCall(role, 'listWebhooks') ? await readWebhooks(context, response) : undefined;
  return {
    fleets,
    status: isShownActions ? await readStatus(context, response) : undefined,
    webhooks,
    failing: webhooks === undefined ? undefined : await reads.listFailingWebhooks(scope.orgId),
    openActions: isShownActions ? await reads.countOpenActions(simulations) : undefined,
    troubles: {
      failing:
        webhooks === undefined || scope.fleet !== undefined
          ? undefined
          : await reads.listFailingWebhooksOf(simulations),
      conditions: mayCall(role, 'listFleetDevices')
        ? await reads.countOpenConditions(simulations)
        : undefined,
    },
    devices: scope.fleet === undefined ? undefined : await reads.countDevices(scope.orgId),
    deliveries:
      webhooks === undefined
        ? undefined
        : await reads.countDeliveriesSince(scope.orgId, since, PERIOD_SECONDS),
    firstSteps: await readFirstSteps(context, response, fleets),
  };
}

async function readStatus(context: PortalContext, response: PortalResponse) {
  const operation = toOperationContext(context, response, 'getNotificationStatus');
  const request = toRequest({ org_id: operation.orgId });
  return (await getNotificationStatus(operation, request)).body as NotificationStatus;
}

async function readWebhooks(context: PortalContext, response: PortalResponse) {
  const operation = toOperationContext(context, response, 'listWebhooks');
  const { body } = await listWebhooks(operation, toRequest({ org_id: operation.orgId }));
  return (body as { readonly items: readonly Webhook[] }).items;
}

/** The way goes on with the newest fleet that runs, otherwise with the newest one. */
async function readFirstSteps(
  context: PortalContext,
  response: PortalResponse,
  fleets: readonly FleetSummary[],
): Promise<FirstStepsState> {
  const session = getSession(response);
  const reachable = fleets.filter(({ isReachable }) => isReachable);
  const fleet = reachable.find(({ status }) => isFleetActive(status)) ?? reachable[0];
  const applications = await listVisibleApplications(context.db, session);
  const taken =
    fleet === undefined ? NOTHING_TAKEN : await context.reads.findFirstSteps(fleet.simulationOrgId);
  return {
    orgId: session.orgId,
    requestId: randomUUID(),
    hasApplication: applications.length > 0,
    fleet,
    ...taken,
  };
}

function toRequest(path: Request<'listWebhooks'>['path']) {
  return { path, query: {}, headers: {}, body: undefined } as const;
}
