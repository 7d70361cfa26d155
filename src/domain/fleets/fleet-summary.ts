import type { FleetStatus } from './fleet-states.ts';

/** A fleet without its definition. */
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
  /** Whether its simulation organization can be reached: it is neither being purged nor freed from its users. */
  readonly isReachable: boolean;
}
