import type { NextFunction, Request } from 'express';
import type { PortalSession } from '../accounts/sessions.ts';
import { isUuid } from '../domain/api/formats.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { readQueryParameter } from './forms.ts';
import { listChoices, listNavigation } from './navigation.ts';
import type { Shell } from './navigation.ts';
import { sendNotFound } from './pages.ts';
import { SCOPE_PARAMETER, toFleetScope, toOwnScope } from './scopes.ts';
import type { Scope } from './scopes.ts';

/** The newest fleets among which to choose. */
const MOST_CHOICES = 12;

/** Puts scope and shell of a page into `response.locals`; 404 for an organization that the person does not reach. */
export function loadShell(context: PortalContext) {
  return async (request: Request, response: PortalResponse, next: NextFunction): Promise<void> => {
    const session = getSession(response);
    const scope = await findScope(context, session, request);
    response.locals.scope = scope ?? toOwnScope(session);
    response.locals.shell = await buildShell(context, session, response.locals.scope, request.path);
    if (scope === undefined) sendNotFound(response);
    else next();
  };
}

/** The scope that an address names; undefined when the person's organization has no such one. */
async function findScope(
  { reads }: PortalContext,
  session: PortalSession,
  request: Request,
): Promise<Scope | undefined> {
  const fleetId = FLEET_PAGE.exec(request.path)?.[1];
  if (fleetId !== undefined) {
    const fleet = session.role === 'user' ? undefined : await reads.findFleetById(session.orgId, fleetId);
    return fleet?.isReachable === true ? toFleetScope(fleet) : toOwnScope(session);
  }
  const asked = isScoped(request) ? readQueryParameter(request, SCOPE_PARAMETER)?.toLowerCase() : undefined;
  if (asked === undefined || asked === session.orgId) return toOwnScope(session);
  if (session.role === 'user' || !isUuid(asked)) return undefined;
  const fleet = await reads.findFleet(session.orgId, asked);
  return fleet?.isReachable === true ? toFleetScope(fleet) : undefined;
}

/** A page of a fleet belongs to its simulation organization, as long as that is there. */
const FLEET_PAGE = /^\/portal\/fleets\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/|$)/i;

/** Whether the page belongs to a scope; all others belong to the own organization. */
function isScoped({ path }: Request): boolean {
  return path === '/portal' || path.startsWith('/portal/');
}

async function buildShell(
  { reads }: PortalContext,
  session: PortalSession,
  scope: Scope,
  path: string,
): Promise<Shell> {
  const isManaging = session.role !== 'user' && !session.passwordChangeRequired;
  const links = listNavigation(path, scope, isManaging ? session.role : undefined);
  if (!isManaging) return { ...links, scope, scopes: [] };
  const fleets = await reads.listFleets(session.orgId, MOST_CHOICES);
  const newest = fleets.filter(({ isReachable }) => isReachable).map(toFleetScope);
  return { ...links, scope, scopes: listChoices(path, scope, [toOwnScope(session), ...newest]) };
}

/**
 * The scope of a page behind loadShell.
 * @throws Error when the page is not behind it.
 */
export function getScope(response: PortalResponse): Scope {
  const { scope } = response.locals;
  if (scope === undefined) throw new Error('The page is not behind loadShell.');
  return scope;
}
