import { randomUUID } from 'node:crypto';
import type { GrantType } from '../../domain/security/grant-types.ts';
import type { TokenScope } from '../../domain/security/token-scopes.ts';
import type { Db, Tx } from '../connection/database.ts';
import { inTransaction } from '../connection/in-transaction.ts';
import { deleteClientIds, insertClientId } from './names.ts';

/** When a secret was made and last used. */
export interface SecretTimes {
  /** Null of a secret that is older than its records. */
  readonly createdAt: Date | null;
  /** To the minute; null before the first use. */
  readonly lastUsedAt: Date | null;
}

/** The secret before the present one, which works until its end. */
export interface OlderSecretTimes extends SecretTimes {
  readonly endsAt: Date;
}

/** A registered client application. Its secrets are not part of it: only digests are stored, and never read out. */
export interface Application {
  readonly orgId: string;
  readonly id: string;
  readonly ownerUserId: string;
  /** At most 255 characters. */
  readonly name: string;
  readonly clientId: string;
  readonly clientType: 'confidential';
  readonly grantType: GrantType;
  /** What its tokens may do at most. */
  readonly scope: TokenScope;
  readonly redirectUris: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly secret: SecretTimes;
  /** Null when there is none; it may have ended. */
  readonly olderSecret: OlderSecretTimes | null;
}

export interface NewApplication {
  readonly orgId: string;
  readonly ownerUserId: string;
  readonly name: string;
  readonly clientId: string;
  /** `sha256Digest(secret)` of domain/security/credentials.ts. */
  readonly secretHash: Buffer;
  readonly grantType: GrantType;
  /** `read write` where it is left out. */
  readonly scope?: TokenScope;
}

export interface ApplicationChange {
  readonly name: string;
  readonly grantType: GrantType;
  readonly scope: TokenScope;
}

/** All of it that may be read out. */
export const APPLICATION_COLUMNS = [
  'applications.org_id',
  'applications.id',
  'applications.owner_user_id',
  'applications.name',
  'applications.client_id',
  'applications.authorization_grant_type',
  'applications.scope',
  'applications.redirect_uris',
  'applications.created_at',
  'applications.updated_at',
  'applications.secret_created_at',
  'applications.secret_last_used_at',
  'applications.older_secret_created_at',
  'applications.older_secret_last_used_at',
  'applications.older_secret_ends_at',
] as const;

interface Row {
  readonly org_id: string;
  readonly id: string;
  readonly owner_user_id: string;
  readonly name: string;
  readonly client_id: string;
  readonly authorization_grant_type: GrantType;
  readonly scope: TokenScope;
  readonly redirect_uris: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly secret_created_at: Date | null;
  readonly secret_last_used_at: Date | null;
  readonly older_secret_created_at: Date | null;
  readonly older_secret_last_used_at: Date | null;
  readonly older_secret_ends_at: Date | null;
}

/** Breaks client_ids_pkey when an application has this client id already. */
export function insertApplication(db: Db | Tx, application: NewApplication, now: Date): Promise<Application> {
  return inTransaction(db, async (tx) => {
    await insertClientId(tx, application.orgId, application.clientId);
    return insertRow(tx, application, now);
  });
}

async function insertRow(tx: Tx, application: NewApplication, now: Date): Promise<Application> {
  const row = await tx
    .insertInto('applications')
    .values({
      org_id: application.orgId,
      id: randomUUID(),
      owner_user_id: application.ownerUserId,
      name: application.name,
      client_id: application.clientId,
      secret_hash: application.secretHash,
      client_type: 'confidential',
      authorization_grant_type: application.grantType,
      scope: application.scope ?? 'read write',
      created_at: now,
      updated_at: now,
      secret_created_at: now,
    })
    .returning(APPLICATION_COLUMNS)
    .executeTakeFirstOrThrow();
  return toApplication(row);
}

/** Newest first; of the whole organization, or of one owner. */
export async function listApplications(db: Db, orgId: string, ownerUserId?: string): Promise<Application[]> {
  let query = db.selectFrom('applications').select(APPLICATION_COLUMNS).where('org_id', '=', orgId);
  if (ownerUserId !== undefined) query = query.where('owner_user_id', '=', ownerUserId);
  const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').execute();
  return rows.map(toApplication);
}

/** The application of this organization; undefined when there is none. */
export async function findApplication(db: Db, orgId: string, id: string): Promise<Application | undefined> {
  const row = await db
    .selectFrom('applications')
    .select(APPLICATION_COLUMNS)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row === undefined ? undefined : toApplication(row);
}

/** The application as changed; undefined when it is no longer as it was read. */
export async function updateApplication(
  db: Db,
  { orgId, id, updatedAt }: Pick<Application, 'orgId' | 'id' | 'updatedAt'>,
  change: ApplicationChange,
  now: Date,
): Promise<Application | undefined> {
  const row = await db
    .updateTable('applications')
    .set({
      name: change.name,
      authorization_grant_type: change.grantType,
      scope: change.scope,
      updated_at: now,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('updated_at', '=', updatedAt)
    .returning(APPLICATION_COLUMNS)
    .executeTakeFirst();
  return row === undefined ? undefined : toApplication(row);
}

/** Its tokens go with it. False when there is no application. */
export function deleteApplication(db: Db | Tx, orgId: string, id: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const row = await tx
      .deleteFrom('applications')
      .where('org_id', '=', orgId)
      .where('id', '=', id)
      .returning('client_id')
      .executeTakeFirst();
    if (row === undefined) return false;
    await deleteClientIds(tx, orgId, [row.client_id]);
    return true;
  });
}

/** The application of a row with these columns. */
export function toApplication(row: Row): Application {
  return {
    orgId: row.org_id,
    id: row.id,
    ownerUserId: row.owner_user_id,
    name: row.name,
    clientId: row.client_id,
    clientType: 'confidential',
    grantType: row.authorization_grant_type,
    scope: row.scope,
    redirectUris: row.redirect_uris,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    secret: { createdAt: row.secret_created_at, lastUsedAt: row.secret_last_used_at },
    olderSecret: toOlderSecret(row),
  };
}

function toOlderSecret(row: Row): OlderSecretTimes | null {
  if (row.older_secret_ends_at === null) return null;
  return {
    createdAt: row.older_secret_created_at,
    lastUsedAt: row.older_secret_last_used_at,
    endsAt: row.older_secret_ends_at,
  };
}
