import { sql } from 'kysely';
import type { Expression, SqlBool } from 'kysely';
import { USER_FIELD_NAMES } from '../../domain/users/users.ts';
import type { UserRecord, Visibility } from '../../domain/users/users.ts';
import type { CursorPosition } from '../../domain/api/cursor.ts';
import { inBatches } from '../connection/batches.ts';
import type { Db } from '../connection/database.ts';
import { prepareShapes } from '../connection/prepared.ts';

/** Which users of an organization somebody sees. */
export interface UserScope {
  readonly orgId: string;
  readonly visibleTo: Visibility;
  readonly includeDeleted: boolean;
}

/** All that is stored of a user for the API. */
export const STORED_COLUMNS = [
  'users.org_id',
  'users.id',
  ...USER_FIELD_NAMES.map((name) => `users.${name}` as const),
  'users.location_last_updated',
  'users.created_at',
  'users.updated_at',
  'users.deleted_at',
] as const;

/** The most rows that are read at once; one more is asked for to know whether others follow. */
const MOST_ROWS = 101;
/** The same of a page, of which these alone are read at once. */
const MOST_POSITIONS = 1_001;

interface UsersPage {
  readonly after: CursorPosition | undefined;
  readonly limit: number;
}

/** Users in order of creation, at most `limit` of them (101 at most), from after `after`. */
export async function listUsersPage(db: Db, scope: UserScope, page: UsersPage): Promise<UserRecord[]> {
  return selectPage(pageShapeOf(scope, page))(db, pageKeysOf(scope, page));
}

/** Where the same users are in that order; 1,001 of them at most. */
export async function listUserPositions(
  db: Db,
  scope: UserScope,
  page: UsersPage,
): Promise<Pick<UserRecord, 'id' | 'created_at'>[]> {
  return selectPositions(pageShapeOf(scope, page))(db, pageKeysOf(scope, page));
}

/** Those of these users that are visible in this scope, in order of creation. */
export async function listUsersByIds(
  db: Db,
  scope: UserScope,
  ids: readonly string[],
): Promise<UserRecord[]> {
  return selectByIds(shapeOf(scope))(db, { ...keysOf(scope), ids });
}

/** The user, if it is visible in this scope. */
export async function findUser(db: Db, scope: UserScope, id: string): Promise<UserRecord | undefined> {
  const [user] = await selectById(shapeOf(scope))(db, { ...keysOf(scope), id });
  return user;
}

/** The same, with others of the scope that are asked for at the same time; not within a transaction. */
export async function findUserInBatch(db: Db, scope: UserScope, id: string): Promise<UserRecord | undefined> {
  const { orgId, self } = keysOf(scope);
  const key = [orgId, scope.visibleTo.kind, self, scope.includeDeleted].join(' ');
  const { user } = await findInBatches(db, key, { scope, id });
  return user;
}

const findInBatches = inBatches<
  { readonly scope: UserScope; readonly id: string },
  { readonly user: UserRecord | undefined }
>({
  doTogether: async (db, items) => {
    const [first] = items;
    if (first === undefined) return [];
    const ids = items.map(({ id }) => id.toLowerCase());
    const found = await listUsersByIds(db, first.scope, ids);
    const byId = new Map(found.map((user) => [user.id, user]));
    return ids.map((id) => ({ user: byId.get(id) }));
  },
  doAlone: async (db, { scope, id }) => ({ user: await findUser(db, scope, id) }),
});

/** The user, if it is visible in this scope: one that is not deleted first, then the one that was deleted last. */
export async function findUserByExternalId(
  db: Db,
  scope: UserScope,
  externalUserId: string,
): Promise<UserRecord | undefined> {
  const [user] = await selectByExternalId(shapeOf(scope))(db, { ...keysOf(scope), externalUserId });
  return user;
}

/** What the text of a statement depends on. */
interface ScopeShape {
  readonly visibleTo: Visibility['kind'];
  readonly includeDeleted: boolean;
}

interface ScopeKeys {
  readonly orgId: string;
  /** Looked at unless all users are visible. */
  readonly self: string;
}

const shapeOf = ({ visibleTo, includeDeleted }: UserScope): ScopeShape => ({
  visibleTo: visibleTo.kind,
  includeDeleted,
});

const keysOf = ({ orgId, visibleTo }: UserScope): ScopeKeys => ({
  orgId,
  self: visibleTo.kind === 'all' ? '' : visibleTo.self,
});

interface PageKeys extends ScopeKeys {
  readonly limit: number;
  readonly createdAt: Date | undefined;
  readonly afterId: string | undefined;
}

interface PageShape extends ScopeShape {
  readonly isFirst: boolean;
}

const pageShapeOf = (scope: UserScope, { after }: UsersPage): PageShape => ({
  ...shapeOf(scope),
  isFirst: after === undefined,
});

const pageKeysOf = (scope: UserScope, { after, limit }: UsersPage): PageKeys => ({
  ...keysOf(scope),
  limit,
  createdAt: after?.createdAt,
  afterId: after?.id,
});

const selectPage = prepareShapes(
  (db, shape: PageShape, keys: PageKeys) =>
    withDeviceCounts(db, keys, usersOfPage(db, shape, keys).limit(MOST_ROWS))
      .orderBy('users.created_at')
      .orderBy('users.id')
      .limit(keys.limit),
  'text',
);

const selectPositions = prepareShapes(
  (db, shape: PageShape, keys: PageKeys) =>
    db
      .selectFrom(usersOfPage(db, shape, keys).limit(MOST_POSITIONS).as('users'))
      .select(['users.created_at', 'users.id'])
      .orderBy('users.created_at')
      .orderBy('users.id')
      .limit(keys.limit),
  'text',
);

const selectByIds = prepareShapes(
  (db, shape: ScopeShape, keys: ScopeKeys & { readonly ids: readonly string[] }) =>
    withDeviceCounts(
      db,
      keys,
      visibleUsers(db, shape, keys).where(sql<SqlBool>`users.id = any(${keys.ids}::uuid[])`),
    )
      .orderBy('users.created_at')
      .orderBy('users.id'),
  'text',
);

const selectById = prepareShapes(
  (db, shape: ScopeShape, keys: ScopeKeys & { readonly id: string }) =>
    withDeviceCounts(db, keys, visibleUsers(db, shape, keys).where('users.id', '=', keys.id)),
  'text',
);

const selectByExternalId = prepareShapes(
  (db, shape: ScopeShape, keys: ScopeKeys & { readonly externalUserId: string }) =>
    withDeviceCounts(
      db,
      keys,
      visibleUsers(db, shape, keys)
        .where('users.external_user_id', '=', keys.externalUserId)
        .orderBy('users.deleted_at', (order) => order.desc().nullsFirst())
        .limit(1),
    ),
  'text',
);

function usersOfPage(db: Db, shape: PageShape, keys: PageKeys) {
  let page = visibleUsers(db, shape, keys);
  if (!shape.isFirst) {
    page = page.where(
      sql<SqlBool>`(users.created_at, users.id) > (${keys.createdAt}::timestamptz, ${keys.afterId}::uuid)`,
    );
  }
  return page.orderBy('users.created_at').orderBy('users.id');
}

function visibleUsers(db: Db, { visibleTo, includeDeleted }: ScopeShape, { orgId, self }: ScopeKeys) {
  let query = db.selectFrom('users').select(STORED_COLUMNS).where('users.org_id', '=', orgId);
  if (visibleTo !== 'all') {
    query = query.where((eb): Expression<SqlBool> =>
      visibleTo === 'users'
        ? eb.or([eb('role', '=', 'user'), eb('users.id', '=', self)])
        : eb('users.id', '=', self),
    );
  }
  return includeDeleted ? query : query.where('users.deleted_at', 'is', null);
}

/** The users with the numbers of their devices: one scan of devices_user_idx for the four of each. */
function withDeviceCounts(db: Db, { orgId }: ScopeKeys, users: ReturnType<typeof visibleUsers>) {
  return db
    .selectFrom(users.as('users'))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('devices')
          .select((count) => [
            count.fn
              .countAll<number>()
              .filterWhere('device_type', '=', 'electric_vehicle')
              .as('num_electric_vehicles'),
            count.fn.countAll<number>().filterWhere('device_type', '=', 'heat_pump').as('num_heat_pumps'),
            count.fn.countAll<number>().filterWhere('device_type', '=', 'inverter').as('num_inverters'),
            count.fn.countAll<number>().filterWhere('device_type', '=', 'wallbox').as('num_wallboxes'),
          ])
          .where('devices.org_id', '=', orgId)
          .whereRef('devices.user_id', '=', 'users.id')
          .as('owned'),
      (join) => join.onTrue(),
    )
    .select(STORED_COLUMNS)
    .select(['num_electric_vehicles', 'num_heat_pumps', 'num_inverters', 'num_wallboxes']);
}
