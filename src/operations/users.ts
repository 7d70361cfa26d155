import { randomUUID } from 'node:crypto';
import { insertUserWithinQuota } from '../accounts/new-users.ts';
import { checkControlRevisions } from '../accounts/quotas.ts';
import type { Handler } from '../contract/handlers.ts';
import { validationProblem, notFoundProblem, Problem } from '../domain/api/problem.ts';
import { requireMatch } from '../domain/api/entity-tags.ts';
import { ROLE_TABLE } from '../domain/users/roles.ts';
import {
  canSeeUser,
  pickChangedUserFields,
  toNewUserFields,
  validateOrgIdOfBody,
  validateUserFields,
  userVisibility,
} from '../domain/users/users.ts';
import { upsertUserPlace } from '../queries/fleets/user-places.ts';
import { effectiveFrom } from '../domain/api/quarter-hours.ts';
import type { UserRecord } from '../domain/users/users.ts';
import { violatedConstraint } from '../queries/connection/database.ts';
import type { Tx } from '../queries/connection/database.ts';
import { inTransaction } from '../queries/connection/in-transaction.ts';
import { deleteAccessTokensOfUser } from '../queries/accounts/access-tokens.ts';
import { deletePortalSessionsOfUser } from '../queries/accounts/portal-sessions.ts';
import { changeUserCount, userShardOf } from '../queries/accounts/user-counts.ts';
import * as users from '../queries/accounts/users.ts';
import { findUser, findUserByExternalId, findUserInBatch } from '../queries/accounts/visible-users.ts';
import type { UserScope } from '../queries/accounts/visible-users.ts';
import { presentUser } from '../presenters/users.ts';
import { quotaScope } from './context.ts';
import type { Context } from './context.ts';

type PlacedUser = Pick<UserRecord, 'id' | 'latitude' | 'longitude'>;
type PeopleOperation = 'listUsers' | 'getUser' | 'getUserByExternalId' | 'updateUser' | 'deleteUser';

/**
 * `POST /users`. Answers 403 role_forbidden, 409 email_taken or external_user_id_taken, 422 coordinates_incomplete,
 * country_unknown, org_id_mismatch or quota_reached.
 */
export const createUser: Handler<Context, 'createUser'> = async (context, { body }) => {
  const { orgId, actor } = context;
  if (ROLE_TABLE.createUser[actor.role] !== 'all' && body.role !== 'user') {
    throw new Problem('role_forbidden', `Only an admin may create a user with the role ${body.role}.`);
  }
  const fields = toNewUserFields(body);
  const errors = [...validateUserFields(fields), ...validateOrgIdOfBody(body.org_id, orgId)];
  if (errors.length > 0) throw validationProblem(errors);
  const user = await reportingTakenFields(() =>
    insertUserWithinQuota(
      context.db,
      orgId,
      { ...fields, id: randomUUID(), now: context.now },
      quotaScope(context),
    ),
  );
  return { status: 201, body: presentUser(user), headers: { Location: `${usersUrl(context)}/${user.id}` } };
};

/** `GET /users/{user_id}`. Answers 404 not_found. */
export const getUser: Handler<Context, 'getUser'> = async (context, { path, query }) => {
  const scope = userScope(context, 'getUser', query.include_deleted);
  const user = await findUserInBatch(context.db, scope, path.user_id);
  if (user === undefined) throw notFoundProblem('user');
  return { status: 200, body: presentUser(user) };
};

/** `GET /users/by-ext-id/{external_user_id}`. Answers 404 not_found. */
export const getUserByExternalId: Handler<Context, 'getUserByExternalId'> = async (
  context,
  { path, query },
) => {
  const scope = userScope(context, 'getUserByExternalId', query.include_deleted);
  const user = await findUserByExternalId(context.db, scope, path.external_user_id);
  if (user === undefined) throw notFoundProblem('user');
  return { status: 200, body: presentUser(user) };
};

/**
 * `PUT /users/{user_id}`: an absent field stays as it is. Answers 403 role_change_forbidden, 409 last_admin or a
 * taken field, 404 not_found, 422 quota_reached when it has moved too often.
 */
export const updateUser: Handler<Context, 'updateUser'> = async (context, { path, headers, body }) => {
  const { db, orgId, actor, now } = context;
  const key = { orgId, id: path.user_id };
  const scope = userScope(context, 'updateUser');
  const user = await reportingTakenFields(() =>
    inTransaction(db, async (tx) => {
      const demotes = body.role !== undefined && body.role !== 'admin';
      const before = await lockVisibleUser(tx, scope, key.id, demotes);
      await requireUnchanged(tx, scope, key.id, headers['If-Match']);
      const changes = pickChangedUserFields(before, body);
      if (changes.role !== undefined && actor.role !== 'admin') {
        throw new Problem('role_change_forbidden', 'Only an admin may change a role.');
      }
      const errors = validateUserFields({ ...before, ...changes });
      if (errors.length > 0) throw validationProblem(errors);
      if (before.role === 'admin' && demotes) await requireOtherAdmin(tx, key, 'demoted');
      if (Object.keys(changes).length > 0) await users.updateUser(tx, key, changes, now);
      if (changes.latitude !== undefined || changes.longitude !== undefined) {
        await keepPlace(tx, context, before, { ...before, ...changes });
      }
      return findUser(tx, { ...scope, visibleTo: { kind: 'all' } }, key.id);
    }),
  );
  if (user === undefined) throw new Error('A user that was locked is gone.');
  if (body.role !== undefined) context.invalidateCachedTokensOf(user.id);
  return { status: 200, body: presentUser(user) };
};

/** 412 when the locked user would be answered otherwise than the client has seen it. */
async function requireUnchanged(
  tx: Tx,
  scope: UserScope,
  id: string,
  ifMatch: string | undefined,
): Promise<void> {
  if (ifMatch === undefined) return;
  const shown = await findUser(tx, scope, id);
  requireMatch(ifMatch, () => shown && presentUser(shown));
}

/** Where the user lived counts for what has been, where it lives now from the next quarter hour on. */
async function keepPlace(tx: Tx, context: Context, before: PlacedUser, after: PlacedUser): Promise<void> {
  const { actor, orgId, requestId } = context;
  const receivedAt = context.clock();
  const places = await upsertUserPlace(tx, { orgId, id: before.id }, before, {
    effective_from: effectiveFrom(receivedAt),
    latitude: after.latitude,
    longitude: after.longitude,
    received_at: receivedAt,
    actor_org_id: actor.orgId,
    actor_user_id: actor.userId,
    actor_role: actor.role,
    request_id: requestId,
  });
  if (places > 0) await checkControlRevisions(tx, quotaScope(context), places - 1);
}

/**
 * `DELETE /users/{user_id}`: the user's tokens and sessions end. Answers 403 role_forbidden, 404 not_found, 409
 * last_admin.
 */
export const deleteUser: Handler<Context, 'deleteUser'> = async (context, { path, headers }) => {
  const key = { orgId: context.orgId, id: path.user_id };
  const { partnerId } = context.actor;
  const shard = userShardOf(key.id);
  await inTransaction(context.db, async (tx) => {
    // The count before the user, as at creation: two transactions must not wait for each other.
    await changeUserCount(tx, partnerId, shard, -1);
    const scope = userScope(context, 'deleteUser');
    const user = await lockVisibleUser(tx, scope, key.id, true);
    await requireUnchanged(tx, scope, key.id, headers['If-Match']);
    if (user.role !== 'user' && context.actor.role !== 'admin') {
      throw new Problem('role_forbidden', 'Only an admin may delete a user with the role staff, itself too.');
    }
    if (user.role === 'admin') await requireOtherAdmin(tx, key, 'deleted');
    const isHousehold = await users.softDeleteUser(tx, key, context.now);
    if (isHousehold) await changeUserCount(tx, partnerId, shard, 1);
    // Nobody acts as the user any more, nor through the user's applications.
    const account = { orgId: key.orgId, userId: key.id };
    await deleteAccessTokensOfUser(tx, account);
    await deletePortalSessionsOfUser(tx, account);
  });
  context.invalidateCachedTokensOf(key.id);
  return { status: 204 };
};

/** Throws 404 not_found unless the caller may see this user and it is not deleted. */
export async function checkUserExists(context: Context, path: { readonly user_id: string }): Promise<void> {
  const user = await findUser(context.db, userScope(context, 'getUser'), path.user_id);
  if (user === undefined) throw notFoundProblem('user');
}

/** Throws 404 not_found unless the caller may see a user with this external_user_id that is not deleted. */
export async function checkUserWithExternalIdExists(
  context: Context,
  path: { readonly external_user_id: string },
): Promise<void> {
  const scope = userScope(context, 'getUserByExternalId');
  const user = await findUserByExternalId(context.db, scope, path.external_user_id);
  if (user === undefined) throw notFoundProblem('user');
}

/** The organization before the user, in every transaction: two demotions must not wait for each other. */
async function lockVisibleUser(tx: Tx, scope: UserScope, id: string, takesAdmin: boolean) {
  if (takesAdmin) await users.lockOrganizationAdmins(tx, scope.orgId);
  const user = await users.lockUser(tx, scope.orgId, id);
  if (user === undefined || !canSeeUser(scope.visibleTo, user)) throw notFoundProblem('user');
  return user;
}

async function requireOtherAdmin(
  tx: Tx,
  { orgId, id }: { readonly orgId: string; readonly id: string },
  what: 'demoted' | 'deleted',
): Promise<void> {
  if (await users.hasOtherAdmin(tx, orgId, id)) return;
  throw new Problem('last_admin', `The organization's last admin cannot be ${what}.`);
}

/** The database decides who comes first; its named index says what was taken. */
async function reportingTakenFields<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const constraint = violatedConstraint(error);
    if (constraint === 'users_email_key') throw takenProblem('email', 'email_taken', error);
    if (constraint === 'users_external_user_id_key') {
      throw takenProblem('external_user_id', 'external_user_id_taken', error);
    }
    throw error;
  }
}

function takenProblem(
  field: string,
  code: 'email_taken' | 'external_user_id_taken',
  cause: unknown,
): Problem {
  const detail = `Another user of the organization has this ${field}.`;
  return new Problem(code, detail, { errors: [{ pointer: `/${field}`, code, detail }], cause });
}

/** Which users of the path's organization the caller of an operation sees. */
export function userScope({ orgId, actor }: Context, id: PeopleOperation, includeDeleted = false): UserScope {
  return { orgId, visibleTo: userVisibility(ROLE_TABLE[id][actor.role], actor), includeDeleted };
}

/** The address of the organization's users. */
export function usersUrl({ baseUrl, orgId }: Context): string {
  return `${baseUrl}/api/partners/v2.0/org/${orgId}/users`;
}
