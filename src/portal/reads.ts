import type { DeviceCounts, DeviceType } from '../domain/fleets/devices.ts';
import type { FleetStatus } from '../domain/fleets/fleet-states.ts';
import type { ConditionCode } from '../domain/notifications/conditions.ts';

/** A fleet as the portal's lists show it. */
export interface FleetSummary {
  readonly id: string;
  readonly name: string;
  readonly status: FleetStatus;
  readonly simulationOrgId: string;
  readonly householdCount: number;
  readonly createdCount: number;
  /** Why it could not be built. */
  readonly error: string | null;
  readonly createdAt: Date;
  /** Whether its simulation organization can be shown: it is neither being purged nor freed from its users. */
  readonly isReachable: boolean;
}

/** A condition that a device is in. */
export interface OpenCondition {
  readonly deviceId: string;
  readonly deviceType: DeviceType;
  readonly deviceName: string;
  readonly userId: string;
  readonly code: ConditionCode;
  readonly since: Date;
}

/** Deliveries of one webhook that have state and period in common. */
export interface DeliveryCount {
  readonly webhookId: string;
  readonly url: string;
  readonly state: 'pending' | 'delivered' | 'exhausted' | 'cancelled';
  /** Periods since the beginning of the time that was asked for, from 0. */
  readonly period: number;
  readonly count: number;
  /** Whether only the newest ones of the webhook were counted. */
  readonly isCapped: boolean;
}

/** What has been done in a simulation organization so far. */
export interface FirstStepsTaken {
  readonly hasWebhook: boolean;
  readonly hasEvent: boolean;
  readonly hasDelivered: boolean;
  readonly hasResolved: boolean;
}

/** What the portal reads that no operation answers. Each costs what its answer does, however much is stored. */
export interface PortalReads {
  /** The fleets of an organization, newest first. */
  readonly listFleets: (orgId: string, limit: number) => Promise<readonly FleetSummary[]>;
  /** The fleet of the organization that has reserved a simulation organization. */
  readonly findFleet: (orgId: string, simulationOrgId: string) => Promise<FleetSummary | undefined>;
  /** The fleet of the organization by its own id. */
  readonly findFleetById: (orgId: string, id: string) => Promise<FleetSummary | undefined>;
  /** The time zone of the first household; undefined as long as there is none. */
  readonly findTimeZone: (simulationOrgId: string) => Promise<string | undefined>;
  /** The conditions that devices are in, the latest first, and how many there are of each. */
  readonly listOpenConditions: (
    simulationOrgId: string,
    limit: number,
  ) => Promise<{
    readonly items: readonly OpenCondition[];
    readonly counts: Readonly<Partial<Record<ConditionCode, number>>>;
  }>;
  /** The conditions that devices of one user are in, the latest first. */
  readonly listConditionsOfUser: (orgId: string, userId: string) => Promise<readonly OpenCondition[]>;
  readonly countDevices: (simulationOrgId: string) => Promise<DeviceCounts | undefined>;
  /** Open actions by organization; one that has none is left out. */
  readonly countOpenActions: (orgIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  readonly countDeliveriesSince: (
    orgId: string,
    since: Date,
    periodSeconds: number,
  ) => Promise<readonly DeliveryCount[]>;
  readonly findFirstSteps: (orgId: string) => Promise<FirstStepsTaken>;
}
