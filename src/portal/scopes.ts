import type { FleetSummary } from '../domain/fleets/fleet-summary.ts';
import type { PortalSession } from '../accounts/sessions.ts';

/** Whose data a page shows: the person's own organization, or the simulation organization of one of its fleets. */
export interface Scope {
  readonly kind: 'own' | 'simulation';
  readonly orgId: string;
  readonly name: string;
  /** What kind of organization it is, in words. */
  readonly label: string;
  /** That has reserved the simulation organization. */
  readonly fleet?: FleetSummary;
}

/** The parameter of a page's address that names a simulation organization, so that a link can be handed on. */
export const SCOPE_PARAMETER = 'org';

/** The person's own organization. */
export function toOwnScope({ orgId, orgName }: Pick<PortalSession, 'orgId' | 'orgName'>): Scope {
  return { kind: 'own', orgId, name: orgName, label: 'Own organization' };
}

/** The simulation organization of a fleet. */
export function toFleetScope(fleet: FleetSummary): Scope {
  return {
    kind: 'simulation',
    orgId: fleet.simulationOrgId,
    name: fleet.name,
    label: 'Simulation',
    fleet,
  };
}

/** A page of a scope: `path`, with the organization where it is not the own one. */
export function scopedPath(
  { kind, orgId }: Pick<Scope, 'kind' | 'orgId'>,
  path: string,
  query: Readonly<Record<string, string>> = {},
): string {
  const search = new URLSearchParams({ ...(kind === 'own' ? {} : { [SCOPE_PARAMETER]: orgId }), ...query });
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}
