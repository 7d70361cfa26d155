import { listUsersByEmail } from '../accounts/user-list.ts';
import type { PortalUser } from '../accounts/user-list.ts';
import { isUuid } from '../domain/api/formats.ts';
import { mayCall, ROLE_TABLE } from '../domain/users/roles.ts';
import { userVisibility } from '../domain/users/users.ts';
import { getUser } from '../operations/users.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { listDevices } from './device-marks.ts';
import { readQueryParameter } from './forms.ts';
import { homePath } from './home-paths.ts';
import { toOperationContext } from './operations.ts';
import type { User } from './operations.ts';
import { findNoticeText, sendNotFound } from './pages.ts';
import { PASSWORD_PATH, USERS_PATH } from './paths.ts';
import { scopedPath } from './scopes.ts';
import type { Scope } from './scopes.ts';
import { getScope } from './shell.ts';
import { formatAgo, formatMinute } from './times.ts';
import type { Request } from 'express';

/** The path of a user's page, or of one below it. */
export function userPath(scope: Scope, id: string, page = ''): string {
  return scopedPath(scope, `${USERS_PATH}${id}/${page}`);
}

/** The users whom the person sees, by email, page by page, with a search by the beginning of the email. */
export const showUsers: PageHandler = async (context, request, response) => {
  const session = getSession(response);
  const scope = getScope(response);
  const emailPrefix = readQueryParameter(request, 'q')?.trim() ?? '';
  const afterEmail = readQueryParameter(request, 'after') ?? '';
  const { users, nextAfterEmail } = await findUsersByEmail(context, response, { emailPrefix, afterEmail });
  const now = context.clock();
  sendView(response, 200, 'users', {
    sentence: describeList(scope, session.role === 'admin'),
    users: { columns: COLUMNS, rows: users.map((user) => toRow(scope, user, now)) },
    q: emailPrefix,
    action: scope.kind === 'own' ? undefined : scope.orgId,
    listPath: scopedPath(scope, USERS_PATH),
    createPath: scopedPath(scope, `${USERS_PATH}create/`),
    more:
      nextAfterEmail === undefined
        ? undefined
        : scopedPath(scope, USERS_PATH, { q: emailPrefix, after: nextAfterEmail }),
    notice: findNoticeText(readQueryParameter(request, 'notice')),
    call: formatApiCall(context.baseUrl, { method: 'GET', path: `/org/${scope.orgId}/users?limit=50` }),
  });
};

function describeList({ kind, name }: Scope, isAdmin: boolean): string {
  const whose = isAdmin ? 'Everybody' : 'You and the end users';
  return kind === 'own'
    ? `${whose} of ${name}, by email.`
    : `The simulated households of the fleet ${name}, by email.`;
}

const COLUMNS = [
  { label: 'Email', kind: 'wide' },
  { label: 'Name', speaksForItself: true },
  { label: 'Role', speaksForItself: true },
  { label: 'Sign-in', kind: 'quiet', speaksForItself: true },
  { label: 'Changed', kind: 'quiet' },
];

function toRow(scope: Scope, user: PortalUser, now: Date) {
  return [
    { text: user.email, href: userPath(scope, user.id) },
    { text: user.name },
    { text: user.role },
    { text: describeSignIn(user) },
    { text: formatAgo(user.updatedAt, now), at: user.updatedAt.toISOString() },
  ];
}

/** How the user signs in to the portal. */
function describeSignIn({ username, hasInitialPassword }: PortalUser): string {
  if (username === null) return 'No password yet';
  return hasInitialPassword ? 'Initial password issued' : 'Own password';
}

/** A user as the operation getUser answers it, of the page's scope unless another organization is named. Throws the problem not_found. */
export async function readUser(
  context: PortalContext,
  response: PortalResponse,
  id: string,
  orgId = getScope(response).orgId,
): Promise<User> {
  const operation = toOperationContext(context, response, 'getUser', orgId);
  const path = { org_id: operation.orgId, user_id: id };
  const { body } = await getUser(operation, { path, query: {}, headers: {}, body: undefined });
  return body as User;
}

/** A page of those users of the scope by email whom the person sees. */
export function findUsersByEmail(
  { db }: PortalContext,
  response: PortalResponse,
  filter: Parameters<typeof listUsersByEmail>[2],
): ReturnType<typeof listUsersByEmail> {
  const session = getSession(response);
  const visibleTo = userVisibility(ROLE_TABLE.listUsers[session.role], session);
  return listUsersByEmail(db, { orgId: getScope(response).orgId, visibleTo }, filter);
}

/** The user whom the path names by `:id`; undefined for an id that is no UUID. Throws the problem not_found. */
export async function requireUser(
  context: PortalContext,
  request: Request,
  response: PortalResponse,
): Promise<User | undefined> {
  const id = String(request.params['id']).toLowerCase();
  return isUuid(id) ? readUser(context, response, id) : undefined;
}

/** A page about the user whom the path names by `:id`; 404 for one whom the person does not see. */
export function withUser(
  handle: (
    context: PortalContext,
    request: Request,
    response: PortalResponse,
    user: User,
  ) => Promise<void> | void,
): PageHandler {
  return async (context, request, response) => {
    const user = await requireUser(context, request, response);
    if (user === undefined) sendNotFound(response);
    else await handle(context, request, response, user);
  };
}

/** One user, with what can be done. */
export const showUser = withUser((context, request, response, user) => {
  const session = getSession(response);
  const scope = getScope(response);
  const isSelf = user.id === session.userId;
  const mayIssue = session.role === 'admin' && scope.kind === 'own' && !isSelf;
  const mayDelete = mayCall(session.role, 'deleteUser') && (session.role === 'admin' || user.role === 'user');
  sendView(response, 200, 'user', {
    user,
    heading: nameOf(user),
    facts: describeUser(user),
    actions: [
      { label: 'Change', href: userPath(scope, user.id, 'update/'), kind: 'primary' },
      ...(scope.kind === 'own' ? [] : [{ label: 'What this home does', href: homePath(scope, user.id) }]),
      ...(isSelf ? [{ label: 'Change your password', href: PASSWORD_PATH }] : []),
      ...(mayIssue
        ? [{ label: 'Issue an initial password', href: userPath(scope, user.id, 'initial-password/') }]
        : []),
      ...(mayDelete ? [{ label: 'Delete', href: userPath(scope, user.id, 'delete/'), kind: 'danger' }] : []),
    ],
    listPath: scopedPath(scope, USERS_PATH),
    notice: findNoticeText(readQueryParameter(request, 'notice')),
    call: formatApiCall(context.baseUrl, { method: 'GET', path: `/org/${scope.orgId}/users/${user.id}` }),
  });
});

/** How a user is called: by name, otherwise by email. */
export function nameOf(user: Pick<User, 'first_name' | 'last_name' | 'email'>): string {
  const names = [user.first_name, user.last_name].filter((name) => name !== null);
  return names.length === 0 ? user.email : names.join(' ');
}

/** Names and values; what is not known is left out. */
function describeUser(user: User): readonly (readonly [string, string])[] {
  const lines = (...parts: readonly (string | null)[]): string =>
    parts.filter((part) => part !== null && part !== '').join(', ');
  const address = lines(
    user.street_and_number,
    user.street_add_info,
    [user.zip_code, user.town].filter((part) => part !== null).join(' '),
    user.country,
  );
  const place = user.latitude === null ? '' : `${user.latitude}, ${String(user.longitude)}`;
  const devices = listDevices({
    electric_vehicle: user.num_electric_vehicles,
    heat_pump: user.num_heat_pumps,
    inverter: user.num_inverters,
    wallbox: user.num_wallboxes,
  });
  const facts = [
    ['Email', user.email],
    ['Role', user.role],
    ['Id in your system', user.external_user_id ?? ''],
    ['Address', address],
    ['Latitude, longitude', place],
    ['Devices', devices || 'None'],
    ['Created', `${formatMinute(new Date(user.created_at))} UTC`],
    ['Changed', `${formatMinute(new Date(user.updated_at))} UTC`],
  ] as const;
  return facts.filter(([, value]) => value !== '');
}
