import { isUuid } from '../domain/api/formats.ts';
import { Problem } from '../domain/api/problem.ts';
import type { FleetSummary } from '../domain/fleets/fleet-summary.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { nameType } from './device-marks.ts';
import { describeProgress, markFleet } from './fleet-status.ts';
import { devicePath } from './home-paths.ts';
import { APPLICATIONS_PATH, fleetPath, FLEETS_PATH, PRICE_UPLOAD_PATH, USERS_PATH } from './paths.ts';
import { scopedPath, toFleetScope, toOwnScope } from './scopes.ts';
import type { Scope } from './scopes.ts';
import { getScope } from './shell.ts';
import { findUsersByEmail, nameOf, readUser, userPath } from './users.ts';

/** Somewhere to go. */
export interface Place {
  readonly label: string;
  /** What it is, and what tells it apart from others of its name. */
  readonly detail: string;
  readonly href: string;
}

/** Fleets that are looked through; as many as a partner may have unless its quota was raised. */
const MOST_FLEETS = 100;
/** Places of a kind that are shown. */
const MOST_OF_KIND = 6;

/**
 * Pages, fleets, users and devices that are called so, as far as the person may see them: pages and fleets by a part of the name, users
 * of the scope by the beginning of the email, and fleets, users and devices by their whole id.
 */
export async function findPlaces(
  context: PortalContext,
  response: PortalResponse,
  sought: string,
): Promise<readonly Place[]> {
  const session = getSession(response);
  const scope = getScope(response);
  const fleets = (await context.reads.listFleets(session.orgId, MOST_FLEETS)).filter(
    ({ isReachable }) => isReachable,
  );
  const text = sought.toLowerCase();
  const hasText = (name: string): boolean => name.toLowerCase().includes(text);
  const pages = [...listPages(scope), ...listNavigated(response)].filter(({ label }) => hasText(label));
  const named = fleets.filter(({ id, name }) => hasText(name) || id === text).slice(0, MOST_OF_KIND);
  return [
    ...(isUuid(text) ? await findById(context, response, text, fleets) : []),
    ...named.map(toFleetPlace),
    ...(text === '' ? [] : await findUsers(context, response, text)),
    ...pages,
  ];
}

/** What the navigation leads to. */
function listNavigated({ locals: { shell } }: PortalResponse): readonly Place[] {
  const items =
    shell === undefined ? [] : [...shell.navigation.flatMap((group) => group.items), ...shell.account];
  return items.map(({ label, href }) => ({ label, detail: 'Page', href }));
}

/** Pages that lists lead to. */
function listPages(scope: Scope): readonly Place[] {
  return [
    { label: 'Create a fleet', href: `${FLEETS_PATH}create/` },
    { label: 'Create a user', href: scopedPath(scope, `${USERS_PATH}create/`) },
    { label: 'Upload prices', href: scopedPath(scope, PRICE_UPLOAD_PATH) },
    { label: 'Register an application', href: `${APPLICATIONS_PATH}register/` },
  ].map((page) => ({ ...page, detail: 'Page' }));
}

function toFleetPlace(fleet: FleetSummary): Place {
  const { text } = describeProgress(fleet);
  return {
    label: fleet.name,
    detail: `Fleet, ${markFleet(fleet).word.toLowerCase()}, ${text} homes`,
    href: fleetPath(fleet.id),
  };
}

async function findUsers(
  context: PortalContext,
  response: PortalResponse,
  emailPrefix: string,
): Promise<readonly Place[]> {
  const scope = getScope(response);
  const { users } = await findUsersByEmail(context, response, { emailPrefix, afterEmail: '' });
  return users.slice(0, MOST_OF_KIND).map(({ id, email, name, role }) => ({
    label: email,
    detail: [role === 'user' ? 'User' : `User, ${role}`, name].filter((part) => part !== '').join(', '),
    href: userPath(scope, id),
  }));
}

/** The user, or the device, of the own organization or of a fleet. */
async function findById(
  context: PortalContext,
  response: PortalResponse,
  id: string,
  fleets: readonly FleetSummary[],
): Promise<readonly Place[]> {
  const scopes = [toOwnScope(getSession(response)), ...fleets.map(toFleetScope)];
  const orgIds = scopes.map(({ orgId }) => orgId);
  const owner = await context.reads.findDeviceOwner(orgIds, id);
  const orgId = owner?.orgId ?? (await context.reads.findOrganizationOfUser(orgIds, id));
  const scope = scopes.find((each) => each.orgId === orgId);
  if (scope === undefined) return [];
  const user = await findVisibleUser(context, response, owner?.userId ?? id, scope);
  if (user === undefined) return [];
  if (owner === undefined)
    return [{ label: nameOf(user), detail: `User of ${scope.name}`, href: userPath(scope, id) }];
  const path = devicePath(scope, { ...owner, deviceId: id });
  return [{ label: nameType(owner.deviceType), detail: `Device of ${nameOf(user)}`, href: path }];
}

/** Undefined for one whom the person's role does not reach. */
async function findVisibleUser(
  context: PortalContext,
  response: PortalResponse,
  id: string,
  { orgId }: Scope,
): Promise<Awaited<ReturnType<typeof readUser>> | undefined> {
  try {
    return await readUser(context, response, id, orgId);
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined;
    throw error;
  }
}
