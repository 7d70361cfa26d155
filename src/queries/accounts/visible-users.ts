import { sql } from 'kysely';
import type { Expression, SqlBool } from 'kysely';
import { USER_FIELD_NAMES } from '../../domain/users/users.ts';
import type { UserRecord, Visibility } from '../../domain/users/users.ts';
import type { CursorPosition } from '../../domain/api/cursor.ts';
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

/** The most rows of a page; one more is asked for to know whether there is another page. */
const MOST_ROWS = 1_001;

/** Users in order of creation, at most `limit` of them (1,001 at most), from after `after`. */
export async function listUsersPage(
  db: Db,
  scope: UserScope,
  page: { readonly after: CursorPosition | undefined; readonly limit: number },
): Promise<UserRecord[]> {
  const { after, limit } = page;
  const select = selectPage({ ...shapeOf(scope), isFirst: after === undefined });
  return select(db, { ...keysOf(scope), limit, createdAt: after?.createdAt, afterId: after?.id });
}

/** The user, if it is visible in this scope. */
export async function findUser(db: Db, scope: UserScope, id: string): Promise<UserRecord | undefined> {
  const [user] = await selectById(shapeOf(scope))(db, { ...keysOf(scope), id });
  return user;
}

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

const selectPage = prepareShapes((db, shape: ScopeShape & { readonly isFirst: boolean }, keys: PageKeys) => {
  let page = visibleUsers(db, shape, keys);
  if (!shape.isFirst) {
    page = page.where(
      sql<SqlBool>`(users.created_at, users.id) > (${keys.createdAt}::timestamptz, ${keys.afterId}::uuid)`,
    );
  }
  return withDeviceCounts(db, page.orderBy('users.created_at').orderBy('users.id').limit(MOST_ROWS))
    .orderBy('users.created_at')
    .orderBy('users.id')
    .limit(keys.limit);
}, 'text');

const selectById = prepareShapes(
  (db, shape: ScopeShape, keys: ScopeKeys & { readonly id: string }) =>
    withDeviceCounts(db, visibleUsers(db, shape, keys).where('users.id', '=', keys.id)),
  'text',
);

const selectByExternalId = prepareShapes(
  (db, shape: ScopeShape, keys: ScopeKeys & { readonly externalUserId: string }) =>
    withDeviceCounts(
      db,
      visibleUsers(db, shape, keys)
        .where('users.external_user_id', '=', keys.externalUserId)
        .orderBy('users.deleted_at', (order) => order.desc().nullsFirst())
        .limit(1),
    ),
  'text',
);

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
function withDeviceCounts(db: Db, users: ReturnType<typeof visibleUsers>) {
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
          .whereRef('devices.org_id', '=', 'users.org_id')
          .whereRef('devices.user_id', '=', 'users.id')
          .as('owned'),
      (join) => join.onTrue(),
    )
    .select(STORED_COLUMNS)
    .select(['num_electric_vehicles', 'num_heat_pumps', 'num_inverters', 'num_wallboxes']);
}
