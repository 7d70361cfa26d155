import type { DeliveryCount } from '../domain/notifications/delivery-count.ts';
import type { FailingWebhook } from '../domain/notifications/failing-webhook.ts';
import type { FleetSummary } from '../domain/fleets/fleet-summary.ts';
import type { components } from '../../generated/openapi.ts';
import { DEVICE_TYPES } from '../domain/fleets/devices.ts';
import type { DeviceType } from '../domain/fleets/devices.ts';
import { listDevices } from './device-marks.ts';
import { needsOfFleetDevices, needsOfFleetWebhooks } from './fleet-needs.ts';
import type { FleetTroubles } from './fleet-needs.ts';
import { hostOf, needOfFailing } from './need.ts';
import type { Need } from './need.ts';
import { fleetPath, NOTIFICATIONS_PATH } from './paths.ts';
import { scopedPath } from './scopes.ts';
import type { Scope } from './scopes.ts';
import { countOf } from './times.ts';
import { webhookPath } from './webhook-operations.ts';

/** Open actions and notices by type of device. */
export type NotificationStatus = components['schemas']['NotificationStatus'];
/** A webhook as the operations answer it. */
export type Webhook = components['schemas']['Webhook'];

/** What is known of a scope. Undefined: not the reader's to see. */
export interface NeedsState {
  readonly fleets: readonly FleetSummary[];
  readonly status: NotificationStatus | undefined;
  readonly webhooks: readonly Webhook[] | undefined;
  readonly failing: readonly FailingWebhook[] | undefined;
  readonly deliveries: readonly DeliveryCount[] | undefined;
  /** Of the fleets; in the scope of one, of that one. */
  readonly troubles: FleetTroubles;
}

/** What needs action in a scope, errors first. */
export function listNeeds(
  scope: Scope,
  { fleets, status, webhooks = [], failing = [], deliveries = [], troubles }: NeedsState,
): Need[] {
  // In the scope of a fleet its webhooks are those of the scope, and its actions are counted by the status where that may be seen.
  const isCounted = scope.fleet !== undefined && status !== undefined;
  const conditions = troubles.conditions?.filter(({ code }) => !isCounted || code !== 'reauthenticate');
  return [
    ...fleets.filter(({ status }) => status === 'failed').map(needOfFleet),
    ...failing.map((webhook) => needOfFailing(scope, webhook)),
    ...needsOfFleetWebhooks(fleets, troubles.failing),
    ...needsOfDeliveries(scope, deliveries),
    ...webhooks.filter(({ enabled }) => !enabled).map((webhook) => needOfWebhook(scope, webhook)),
    ...(status === undefined ? [] : needsOfDevices(scope, status)),
    ...needsOfFleetDevices(fleets, conditions),
  ];
}

function needOfFleet({ id, name, error, createdAt, isReachable }: FleetSummary): Need {
  return {
    kind: 'error',
    title: `Fleet ${name} could not be built`,
    detail: `${error ?? 'The reason is not known.'} Clean it up and create it again.`,
    href: isReachable ? fleetPath(id) : undefined,
    since: createdAt,
  };
}

function needOfWebhook(scope: Scope, { id, url, updated_at: updatedAt }: Webhook): Need {
  return {
    kind: 'warning',
    title: `Webhook ${hostOf(url)} is disabled`,
    detail: 'What happens meanwhile is not sent to it, also not once it is enabled again.',
    href: webhookPath(scope, id),
    since: new Date(updatedAt),
  };
}

function needsOfDeliveries(scope: Scope, counts: readonly DeliveryCount[]): Need[] {
  const givenUp = counts.filter(({ state }) => state === 'exhausted');
  return [...Map.groupBy(givenUp, ({ webhookId }) => webhookId)].map(([id, own]) => {
    const messages = countOf(
      own.reduce((sum, { count }) => sum + count, 0),
      'message',
    );
    return {
      kind: 'error',
      title: `${messages} to ${hostOf(own[0]?.url ?? '')} given up`,
      detail:
        'All attempts failed. The log of the webhook has each answer; redeliver once the endpoint works.',
      href: webhookPath(scope, id, 'deliveries/', { state: 'exhausted' }),
    };
  });
}

function needsOfDevices(scope: Scope, status: NotificationStatus): Need[] {
  const open = Object.fromEntries(DEVICE_TYPES.map((type) => [type, status[type].action_required])) as Record<
    DeviceType,
    number
  >;
  const total = DEVICE_TYPES.reduce((sum, type) => sum + open[type], 0);
  if (total === 0) return [];
  return [
    {
      kind: 'warning',
      title: `${countOf(total, 'device')} to be connected again`,
      detail: `${listDevices(open)}: until their owners sign in again they are neither read nor steered.`,
      href: scopedPath(scope, NOTIFICATIONS_PATH, { code: 'reauthenticate' }),
    },
  ];
}
