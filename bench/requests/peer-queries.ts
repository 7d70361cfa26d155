// The peer's statements, built by Kysely for each request, as its manual does it.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Database } from '../../generated/database.ts';
import type { UserFields } from '../../src/domain/users/users.ts';
import { HttpError } from './peer-tokens.ts';

const SHARDS = 64;
const COLUMNS = [
  'users.id',
  'users.org_id',
  'users.org_id as organization_id',
  'users.email',
  'users.role',
  'users.external_user_id',
  'users.first_name',
  'users.last_name',
  'users.street_and_number',
  'users.street_add_info',
  'users.zip_code',
  'users.town',
  'users.country',
  'users.latitude',
  'users.longitude',
  'users.location_last_updated',
  'users.created_at',
  'users.updated_at',
  'users.deleted_at',
] as const;
const NO_DEVICES = { num_electric_vehicles: 0, num_heat_pumps: 0, num_inverters: 0, num_wallboxes: 0 };
const UNIQUE_VIOLATION = '23505';

export type PeerQueries = ReturnType<typeof createPeerQueries>;
export type PeerToken = NonNullable<Awaited<ReturnType<PeerQueries['findToken']>>>;

interface PeerClient {
  readonly org_id: string;
  readonly id: string;
  readonly owner_user_id: string;
}

export function createPeerQueries(db: Kysely<Database>, userQuota: number) {
  return {
    findUser: (orgId: string, id: string, includeDeleted: boolean) =>
      selectUsers(db, orgId, includeDeleted).where('users.id', '=', id).executeTakeFirst(),

    listUsers: (orgId: string, limit: number, includeDeleted: boolean) =>
      selectUsers(db, orgId, includeDeleted)
        .orderBy('users.created_at')
        .orderBy('users.id')
        .limit(limit)
        .execute(),

    insertUser: (orgId: string, fields: UserFields) => insertUser(db, orgId, fields, userQuota),

    findToken: (digest: Buffer) => selectTokens(db).where('token.token_hash', '=', digest).executeTakeFirst(),

    findClient: (clientId: string) =>
      db
        .selectFrom('applications as application')
        .innerJoin('users as owner', (join) =>
          join
            .onRef('owner.org_id', '=', 'application.org_id')
            .onRef('owner.id', '=', 'application.owner_user_id'),
        )
        .innerJoin('organizations as organization', 'organization.id', 'application.org_id')
        .select([
          'application.org_id',
          'application.id',
          'application.owner_user_id',
          'application.secret_hash',
        ])
        .where('application.client_id', '=', clientId)
        .where('application.authorization_grant_type', '=', 'client-credentials')
        .where('owner.deleted_at', 'is', null)
        .where('organization.suspended_at', 'is', null)
        .executeTakeFirst(),

    insertToken: async (client: PeerClient, digest: Buffer, lifetimeSeconds: number): Promise<void> => {
      const now = new Date();
      await db
        .insertInto('access_tokens')
        .values({
          token_hash: digest,
          org_id: client.org_id,
          user_id: client.owner_user_id,
          application_id: client.id,
          grant_type: 'client-credentials',
          scope: 'read write',
          created_at: now,
          expires_at: new Date(now.getTime() + lifetimeSeconds * 1000),
        })
        .execute();
    },
  };
}

function selectUsers(db: Kysely<Database>, orgId: string, includeDeleted: boolean) {
  const query = db
    .selectFrom('users')
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('devices')
          .select(({ fn }) => [
            fn
              .countAll<number>()
              .filterWhere('device_type', '=', 'electric_vehicle')
              .as('num_electric_vehicles'),
            fn.countAll<number>().filterWhere('device_type', '=', 'heat_pump').as('num_heat_pumps'),
            fn.countAll<number>().filterWhere('device_type', '=', 'inverter').as('num_inverters'),
            fn.countAll<number>().filterWhere('device_type', '=', 'wallbox').as('num_wallboxes'),
          ])
          .whereRef('devices.org_id', '=', 'users.org_id')
          .whereRef('devices.user_id', '=', 'users.id')
          .as('owned'),
      (join) => join.onTrue(),
    )
    .select(COLUMNS)
    .select(['num_electric_vehicles', 'num_heat_pumps', 'num_inverters', 'num_wallboxes'])
    .where('users.org_id', '=', orgId);
  return includeDeleted ? query : query.where('users.deleted_at', 'is', null);
}

/** Counts the user against the quota and inserts it, by one statement. */
async function insertUser(db: Kysely<Database>, orgId: string, fields: UserFields, userQuota: number) {
  const [id, now] = [randomUUID(), new Date()];
  const shard = Number.parseInt(id.slice(-2), 16) % SHARDS;
  const at = sql<Date>`${now}::timestamptz`;
  try {
    const created = await db
      .with('counted', (counted) =>
        counted
          .updateTable('user_counts')
          .set({ users: sql`users + 1` })
          .where('org_id', '=', orgId)
          .where('shard', '=', shard)
          .whereRef('users', '<', 'granted')
          .where('quota', '=', userQuota)
          .returning('shard'),
      )
      .insertInto('users')
      .columns([
        'org_id',
        'id',
        'email',
        'role',
        'external_user_id',
        'first_name',
        'last_name',
        'street_and_number',
        'street_add_info',
        'zip_code',
        'town',
        'country',
        'latitude',
        'longitude',
        'location_last_updated',
        'created_at',
        'updated_at',
      ])
      .expression((eb) =>
        eb
          .selectFrom('counted')
          .select([
            sql<string>`${orgId}::uuid`.as('org_id'),
            sql<string>`${id}::uuid`.as('id'),
            sql<string>`${fields.email}::text`.as('email'),
            sql<string>`${fields.role}::text`.as('role'),
            sql<string>`${fields.external_user_id}::text`.as('external_user_id'),
            sql<string>`${fields.first_name}::text`.as('first_name'),
            sql<string>`${fields.last_name}::text`.as('last_name'),
            sql<string>`${fields.street_and_number}::text`.as('street_and_number'),
            sql<string>`${fields.street_add_info}::text`.as('street_add_info'),
            sql<string>`${fields.zip_code}::text`.as('zip_code'),
            sql<string>`${fields.town}::text`.as('town'),
            sql<string>`${fields.country}::text`.as('country'),
            sql<number>`${fields.latitude}::float8`.as('latitude'),
            sql<number>`${fields.longitude}::float8`.as('longitude'),
            sql<Date>`case when ${fields.latitude}::float8 is null then null else ${at} end`.as('located_at'),
            at.as('created_at'),
            at.as('updated_at'),
          ]),
      )
      .returning(COLUMNS)
      .executeTakeFirst();
    if (created === undefined) throw new HttpError(422, 'The quota of users is reached.');
    return { ...created, ...NO_DEVICES };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION)
      throw new HttpError(409, 'Another user of the organization has this email or external id.');
    throw error;
  }
}

/** The token with what is true of its user now. */
function selectTokens(db: Kysely<Database>) {
  return db
    .selectFrom('access_tokens as token')
    .innerJoin('users as holder', (join) =>
      join.onRef('holder.org_id', '=', 'token.org_id').onRef('holder.id', '=', 'token.user_id'),
    )
    .innerJoin('organizations as organization', 'organization.id', 'token.org_id')
    .innerJoin('applications as application', (join) =>
      join
        .onRef('application.org_id', '=', 'token.org_id')
        .onRef('application.id', '=', 'token.application_id'),
    )
    .innerJoin('users as owner', (join) =>
      join
        .onRef('owner.org_id', '=', 'application.org_id')
        .onRef('owner.id', '=', 'application.owner_user_id'),
    )
    .select(['token.org_id', 'token.scope', 'token.expires_at', 'holder.role'])
    .where('holder.deleted_at', 'is', null)
    .where('owner.deleted_at', 'is', null)
    .where('organization.suspended_at', 'is', null);
}
