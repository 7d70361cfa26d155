import type { DeliveryCount } from '../domain/notifications/delivery-count.ts';
import type { FailingWebhook } from '../domain/notifications/failing-webhook.ts';
import type { FleetSummary } from '../domain/fleets/fleet-summary.ts';
import type { components } from '../../generated/openapi.ts';
import { DEVICE_TYPES } from '../domain/fleets/devices.ts';
import type { DeviceType } from '../domain/fleets/devices.ts';
import { describeCause } from './failure-causes.ts';
import { listDevices } from './device-marks.ts';
import { countOf } from './times.ts';

/** Something that does not get better by itself. */
export interface Need {
  readonly kind: 'error' | 'warning';
  readonly title: string;
  /** What it does, and its cure. */
  readonly detail: string;
  readonly since?: Date;
}

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
}

/** What needs action, errors first. */
export function listNeeds({
  fleets,
  status,
  webhooks = [],
  failing = [],
  deliveries = [],
}: NeedsState): Need[] {
  return [
    ...fleets.filter(({ status }) => status === 'failed').map(needOfFleet),
    ...failing.map(needOfFailing),
    ...needsOfDeliveries(deliveries),
    ...webhooks.filter(({ enabled }) => !enabled).map(needOfWebhook),
    ...(status === undefined ? [] : needsOfDevices(status)),
  ];
}

function needOfFleet({ name, error, createdAt }: FleetSummary): Need {
  return {
    kind: 'error',
    title: `Fleet ${name} could not be built`,
    detail: `${error ?? 'The reason is not known.'} Clean it up and create it again.`,
    since: createdAt,
  };
}

function needOfWebhook({ url, updated_at: updatedAt }: Webhook): Need {
  return {
    kind: 'warning',
    title: `Webhook ${hostOf(url)} is disabled`,
    detail: 'What happens meanwhile is not sent to it, also not once it is enabled again.',
    since: new Date(updatedAt),
  };
}

function needOfFailing({ url, attempts, since, ...last }: FailingWebhook): Need {
  const { title, cure } = describeCause(last.errorClass, last.statusCode);
  return {
    kind: 'error',
    title: `Webhook ${hostOf(url)} is failing`,
    detail: `Its latest ${countOf(attempts, 'attempt')} failed, the last one with: ${title}. ${cure}`,
    since,
  };
}

function needsOfDeliveries(counts: readonly DeliveryCount[]): Need[] {
  const byUrl = new Map<string, number>();
  for (const { url, state, count } of counts)
    if (state === 'exhausted') byUrl.set(url, (byUrl.get(url) ?? 0) + count);
  return [...byUrl].map(([url, count]) => ({
    kind: 'error',
    title: `${countOf(count, 'message')} to ${hostOf(url)} given up`,
    detail: 'All attempts failed. The log of the webhook has each answer; redeliver once the endpoint works.',
  }));
}

function needsOfDevices(status: NotificationStatus): Need[] {
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
    },
  ];
}

/** The part of an endpoint's address by which people know it. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
