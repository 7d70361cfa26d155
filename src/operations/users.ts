import { randomUUID } from 'node:crypto';
import type { components } from '../../generated/openapi.ts';
import type { Handler } from '../contract/handlers.ts';
import { linkHeader } from '../domain/api/page-links.ts';
import { parseCursor, writeCursor } from '../domain/api/cursor.ts';
import { invalid, notFound, Problem } from '../domain/api/problem.ts';
import { roleTable } from '../domain/users/roles.ts';
import { canSee, changedFields, newFields, userFaults, visibility } from '../domain/users/users.ts';
import { violatedConstraint } from '../queries/connection/database.ts';
import type { Db, Tx } from '../queries/connection/database.ts';
import * as users from '../queries/accounts/users.ts';
import type { UserRecord, UserScope } from '../queries/accounts/users.ts';
import type { Context } from './context.ts';

type User = components['schemas']['User'];
type PeopleOperation = 'listUsers' | 'getUser' | 'getUserByExternalId' | 'updateUser' | 'deleteUser';

/** Rows read at a time for a list that is streamed, and on a page whose size was not asked for. */
const PAGE_ROWS = 1000;

export const createUser: Handler<Context, 'createUser'> = async (context, { body }) => {
  const { orgId, actor } = context;
  if (roleTable.createUser[actor.role] !== 'all' && body.role !== 'user') {
    throw new Problem('role_forbidden', `Only an admin may create a user with the role ${body.role}.`);
  }
  const fields = newFields(body);
  const faults = userFaults(fields);
  if (body.org_id !== undefined && body.org_id.toLowerCase() !== orgId) {
    faults.push({
      pointer: '/org_id',
      code: 'org_id_mismatch',
      detail: 'must be the organization of the path',
    });
  }
  if (faults.length > 0) throw invalid(faults);
  const user = await namingDuplicates(() =>
    users.insertUser(context.db, { ...fields, org_id: orgId, id: randomUUID() }, context.now),
  );
  return { status: 201, body: toUser(user), headers: { Location: `${listAddress(context)}/${user.id}` } };
};

export const listUsers: Handler<Context, 'listUsers'> = async (context, { query }) => {
  const scope = scopeOf(context, 'listUsers', query.include_deleted);
  if (query.limit === undefined && query.after === undefined) {
    return { status: 200, body: everyUser(context.db, scope) };
  }
  const after = query.after === undefined ? undefined : parseCursor(query.after);
  if (query.after !== undefined && after === undefined) {
    const detail = 'must come from the next address of a Link header';
    throw invalid([{ parameter: 'after', in: 'query', code: 'cursor_invalid', detail }]);
  }
  const limit = query.limit ?? PAGE_ROWS;
  const rows = await users.listUsersPage(context.db, scope, { after, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const body = page.map(toUser);
  if (rows.length <= limit || last === undefined) return { status: 200, body };
  const next = { ...query, limit, after: writeCursor({ createdAt: last.created_at, id: last.id }) };
  return { status: 200, body, headers: { Link: linkHeader(listAddress(context), next, { next: {} }) } };
};

export const getUser: Handler<Context, 'getUser'> = async (context, { path, query }) => {
  const user = await users.findUser(
    context.db,
    scopeOf(context, 'getUser', query.include_deleted),
    path.user_id,
  );
  if (user === undefined) throw notFound('user');
  return { status: 200, body: toUser(user) };
};

export const getUserByExternalId: Handler<Context, 'getUserByExternalId'> = async (
  context,
  { path, query },
) => {
  const scope = scopeOf(context, 'getUserByExternalId', query.include_deleted);
  const user = await users.findUserByExternalId(context.db, scope, path.external_user_id);
  if (user === undefined) throw notFound('user');
  return { status: 200, body: toUser(user) };
};

export const updateUser: Handler<Context, 'updateUser'> = async (context, { path, body }) => {
  const { db, orgId, actor, now } = context;
  const key = { orgId, id: path.user_id };
  const scope = scopeOf(context, 'updateUser');
  const user = await namingDuplicates(() =>
    db.transaction().execute(async (tx) => {
      const demotes = body.role !== undefined && body.role !== 'admin';
      const before = await lockVisibleUser(tx, scope, key.id, demotes);
      const changes = changedFields(before, body);
      if (changes.role !== undefined && actor.role !== 'admin') {
        throw new Problem('role_change_forbidden', 'Only an admin may change a role.');
      }
      const faults = userFaults({ ...before, ...changes });
      if (faults.length > 0) throw invalid(faults);
      if (before.role === 'admin' && demotes) await keepAnAdmin(tx, key, 'demoted');
      if (Object.keys(changes).length > 0) await users.updateUser(tx, key, changes, now);
      return users.findUser(tx, { ...scope, visibleTo: { kind: 'all' } }, key.id);
    }),
  );
  if (user === undefined) throw new Error('A user that was locked is gone.');
  if (body.role !== undefined) context.forgetTokensOf(user.id);
  return { status: 200, body: toUser(user) };
};

export const deleteUser: Handler<Context, 'deleteUser'> = async (context, { path }) => {
  const key = { orgId: context.orgId, id: path.user_id };
  await context.db.transaction().execute(async (tx) => {
    const user = await lockVisibleUser(tx, scopeOf(context, 'deleteUser'), key.id, true);
    if (user.role !== 'user' && context.actor.role !== 'admin') {
      throw new Problem('role_forbidden', 'Only an admin may delete a user with the role staff, itself too.');
    }
    if (user.role === 'admin') await keepAnAdmin(tx, key, 'deleted');
    await users.softDeleteUser(tx, key, context.now);
  });
  context.forgetTokensOf(key.id);
  return { status: 204 };
};

/** 404 unless the caller may see this live user. */
export async function locateUser(context: Context, path: { readonly user_id: string }): Promise<void> {
  const user = await users.findUser(context.db, scopeOf(context, 'getUser'), path.user_id);
  if (user === undefined) throw notFound('user');
}

/** 404 unless the caller may see the live user with this external_user_id. */
export async function locateUserByExternalId(
  context: Context,
  path: { readonly external_user_id: string },
): Promise<void> {
  const scope = scopeOf(context, 'getUserByExternalId');
  const user = await users.findUserByExternalId(context.db, scope, path.external_user_id);
  if (user === undefined) throw notFound('user');
}

/** The organization before the user, in every transaction: two demotions must not wait for each other. */
async function lockVisibleUser(tx: Tx, scope: UserScope, id: string, takesAdmin: boolean) {
  if (takesAdmin) await users.lockAdmins(tx, scope.orgId);
  const user = await users.lockUser(tx, scope.orgId, id);
  if (user === undefined || !canSee(scope.visibleTo, user)) throw notFound('user');
  return user;
}

async function keepAnAdmin(
  tx: Tx,
  { orgId, id }: { readonly orgId: string; readonly id: string },
  what: 'demoted' | 'deleted',
): Promise<void> {
  if (await users.hasOtherAdmin(tx, orgId, id)) return;
  throw new Problem('last_admin', `The organization's last admin cannot be ${what}.`);
}

/** Rows page by page, so that neither memory nor a connection is held while a slow client reads. */
async function* everyUser(db: Db, scope: UserScope): AsyncIterable<User> {
  let after: Parameters<typeof users.listUsersPage>[2]['after'];
  for (;;) {
    const rows = await users.listUsersPage(db, scope, { after, limit: PAGE_ROWS });
    for (const row of rows) yield toUser(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    after = { createdAt: last.created_at, id: last.id };
  }
}

/** The database decides who comes first; its named index says what was taken. */
async function namingDuplicates<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const constraint = violatedConstraint(error);
    if (constraint === 'users_email_key') throw taken('email', 'email_taken', error);
    if (constraint === 'users_external_user_id_key') {
      throw taken('external_user_id', 'external_user_id_taken', error);
    }
    throw error;
  }
}

function taken(field: string, code: 'email_taken' | 'external_user_id_taken', cause: unknown): Problem {
  const detail = `Another user of the organization has this ${field}.`;
  return new Problem(code, detail, { errors: [{ pointer: `/${field}`, code, detail }], cause });
}

function scopeOf({ orgId, actor }: Context, id: PeopleOperation, includeDeleted = false): UserScope {
  return { orgId, visibleTo: visibility(roleTable[id][actor.role], actor), includeDeleted };
}

function listAddress({ baseUrl, orgId }: Context): string {
  return `${baseUrl}/api/partners/v2.0/org/${orgId}/users`;
}

function toUser(user: UserRecord): User {
  return {
    id: user.id,
    org_id: user.org_id,
    organization_id: user.org_id,
    email: user.email,
    role: user.role,
    external_user_id: user.external_user_id,
    first_name: user.first_name,
    last_name: user.last_name,
    street_and_number: user.street_and_number,
    street_add_info: user.street_add_info,
    zip_code: user.zip_code,
    town: user.town,
    country: user.country,
    latitude: user.latitude,
    longitude: user.longitude,
    location_last_updated: user.location_last_updated?.toISOString() ?? null,
    num_electric_vehicles: user.num_electric_vehicles,
    num_heat_pumps: user.num_heat_pumps,
    num_inverters: user.num_inverters,
    num_wallboxes: user.num_wallboxes,
    created_at: user.created_at.toISOString(),
    updated_at: user.updated_at.toISOString(),
    deleted_at: user.deleted_at?.toISOString() ?? null,
  };
}
