import type { DeviceOwner } from '../domain/fleets/device-owner.ts';
import type { DeviceCounts } from '../domain/fleets/devices.ts';
import type { FleetSummary } from '../domain/fleets/fleet-summary.ts';
import type { CursorPosition } from '../domain/api/cursor.ts';
import type { AttemptPhases } from '../domain/notifications/attempt-phases.ts';
import type { DeliveryFilter, FoundDeliveries } from '../domain/notifications/delivery-filter.ts';
import type { DeliveryCount } from '../domain/notifications/delivery-count.ts';
import type { FailingWebhook } from '../domain/notifications/failing-webhook.ts';
import type { RecentEvent } from '../domain/notifications/recent-event.ts';
import type { ToldItem } from '../domain/notifications/told-item.ts';
import type {
  ListedRequest,
  RefusalCount,
  RequestFilter,
  RequestPosition,
} from '../domain/requests/logged-request.ts';
import type {
  ConditionCount,
  OpenCondition,
  OpenConditions,
} from '../domain/notifications/open-condition.ts';
import type { WebhookStatistics } from '../domain/notifications/webhook-statistics.ts';

/** What has been done in a simulation organization so far. */
export interface FirstStepsTaken {
  readonly hasWebhook: boolean;
  readonly hasEvent: boolean;
  readonly hasDelivered: boolean;
  readonly hasResolved: boolean;
}

/** A heat pump by what names it in paths. */
export interface NamedHeatPump {
  readonly userId: string;
  readonly deviceId: string;
}

/** What the log of a webhook's deliveries reads that no operation answers. */
export interface DeliveryReads {
  /** A page of what the filter lets through. */
  readonly findDeliveries: (
    key: { readonly orgId: string; readonly webhookId: string },
    filter: DeliveryFilter,
    after: CursorPosition | undefined,
  ) => Promise<FoundDeliveries>;
  /** The attempts of a webhook's newest messages since an instant. */
  readonly readWebhookStatistics: (keys: {
    readonly orgId: string;
    readonly webhookId: string;
    readonly since: Date;
    readonly periodSeconds: number;
  }) => Promise<WebhookStatistics>;
  /** Enabled webhooks of which the latest attempts have all failed: among those with these ids, a page at most, or among the 50 oldest. */
  readonly listFailingWebhooks: (
    orgId: string,
    webhookIds?: readonly string[],
  ) => Promise<readonly FailingWebhook[]>;
  /** The same of several organizations, by organization; those without any are left out. */
  readonly listFailingWebhooksOf: (
    orgIds: readonly string[],
  ) => Promise<ReadonlyMap<string, readonly FailingWebhook[]>>;
  /** Where the time of a delivery's attempts went, by their numbers. */
  readonly readAttemptPhases: (key: {
    readonly orgId: string;
    readonly webhookId: string;
    readonly messageId: string;
  }) => Promise<ReadonlyMap<number, AttemptPhases>>;
  /** The bytes that are sent. */
  readonly findPayload: (orgId: string, messageId: string) => Promise<Buffer | undefined>;
}

/** What the pages about notifications read that no operation answers. */
export interface NotificationReads {
  /** What was told last, newest first; of a topic, and behind the event with an id where they are given. */
  readonly listEvents: (
    orgId: string,
    filter: { readonly topic: string | undefined; readonly after: string | undefined },
    limit: number,
  ) => Promise<readonly RecentEvent[]>;
  /** An item of the organization as one reader sees it; those of deleted users are not found. */
  readonly findItem: (orgId: string, id: string, readerId: string) => Promise<ToldItem | undefined>;
  /** What was told of a device, the latest first: open, dismissed and ended. */
  readonly listItemsOfDevice: (
    orgId: string,
    deviceId: string,
    limit: number,
  ) => Promise<readonly ToldItem[]>;
}

/** What the portal reads that no operation answers. Each costs what its answer does, however much is stored. */
export interface PortalReads extends DeliveryReads, NotificationReads {
  /** The fleets of an organization, newest first. */
  readonly listFleets: (orgId: string, limit: number) => Promise<readonly FleetSummary[]>;
  /** The fleet of the organization that has reserved a simulation organization. */
  readonly findFleet: (orgId: string, simulationOrgId: string) => Promise<FleetSummary | undefined>;
  /** The fleet of the organization by its own id. */
  readonly findFleetById: (orgId: string, id: string) => Promise<FleetSummary | undefined>;
  /** The time zone of the first household; undefined as long as there is none. */
  readonly findTimeZone: (simulationOrgId: string) => Promise<string | undefined>;
  /** The conditions that devices are in, the latest first, and how many there are of each. */
  readonly listOpenConditions: (simulationOrgId: string, limit: number) => Promise<OpenConditions>;
  /** How many devices of each of these organizations are in a condition whose notice nobody has put away. */
  readonly countOpenConditions: (orgIds: readonly string[]) => Promise<readonly ConditionCount[]>;
  /** The conditions that devices of one user are in, the latest first. */
  readonly listConditionsOfUser: (orgId: string, userId: string) => Promise<readonly OpenCondition[]>;
  /** The heat pumps of the first households that have one. */
  readonly listHeatPumps: (simulationOrgId: string, limit: number) => Promise<readonly NamedHeatPump[]>;
  /** Whose a device of one of these organizations is. */
  readonly findDeviceOwner: (orgIds: readonly string[], deviceId: string) => Promise<DeviceOwner | undefined>;
  /** How users are called, by id; those who are deleted are left out. */
  readonly nameUsers: (orgId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** The one of these organizations that a user belongs to. */
  readonly findOrganizationOfUser: (orgIds: readonly string[], userId: string) => Promise<string | undefined>;
  readonly countDevices: (simulationOrgId: string) => Promise<DeviceCounts | undefined>;
  /** Open actions by organization; one that has none is left out. */
  readonly countOpenActions: (orgIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** Of the webhooks with these ids, a page at most, or of the 50 oldest. */
  readonly countDeliveriesSince: (
    orgId: string,
    since: Date,
    periodSeconds: number,
    webhookIds?: readonly string[],
  ) => Promise<readonly DeliveryCount[]>;
  /** What the organization has sent, the latest first. */
  readonly listRequests: (
    orgId: string,
    filter: RequestFilter,
    page: { readonly limit: number; readonly before?: RequestPosition | undefined },
  ) => Promise<readonly ListedRequest[]>;
  readonly findLoggedRequest: (
    orgId: string,
    position: RequestPosition,
  ) => Promise<ListedRequest | undefined>;
  /** Of the last `most` refusals since an instant, by code and operation. */
  readonly countRefusals: (orgId: string, since: Date, most: number) => Promise<readonly RefusalCount[]>;
  /** Requests since an instant that were not logged. */
  readonly countUnlogged: (orgId: string, since: Date) => Promise<number>;
  readonly findFirstSteps: (orgId: string) => Promise<FirstStepsTaken>;
}
