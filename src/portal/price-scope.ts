import type { Request } from 'express';
import type { PortalContext, PortalResponse } from './context.ts';
import { readPriceView } from './price-view.ts';
import type { PriceView } from './price-view.ts';
import type { Scope } from './scopes.ts';
import { getScope } from './shell.ts';

/** What the address of a page of prices asks for, by the clocks of the organization's homes. */
export async function readAskedView(
  context: PortalContext,
  request: Request,
  response: PortalResponse,
  now: Date,
): Promise<PriceView> {
  return readPriceView(request, await findPriceZone(context, response), now);
}

/** The time zone of the scope's homes, or of those of the newest fleet that has some; undefined where there are none. */
export async function findPriceZone(
  { reads }: PortalContext,
  response: PortalResponse,
): Promise<string | undefined> {
  const scope = getScope(response);
  const fleets = scope.kind === 'own' ? listFleetScopes(response) : [];
  for (const { orgId } of [scope, ...fleets]) {
    const zone = await reads.findTimeZone(orgId);
    if (zone !== undefined) return zone;
  }
  return undefined;
}

/** The simulations that go by the prices of the own organization, the newest. */
export function listFleetScopes({ locals: { shell } }: PortalResponse): readonly Scope[] {
  return (shell?.scopes ?? []).filter(({ kind }) => kind === 'simulation');
}
