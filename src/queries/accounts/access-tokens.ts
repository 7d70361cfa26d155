import { sql } from 'kysely';
import type { InferResult } from 'kysely';
import type { GrantType } from '../../domain/security/grant-types.ts';
import type { Role } from '../../domain/users/roles.ts';
import type { Db, Tx } from '../connection/database.ts';
import { deleteBatch } from '../connection/delete-batch.ts';
import { prepare } from '../connection/prepared.ts';
import { toColumns, unnestColumns } from '../connection/rows.ts';
import type { Columns } from '../connection/rows.ts';

export interface NewAccessToken {
  /** `sha256Digest(token)` of domain/security/credentials.ts. */
  readonly tokenHash: Buffer;
  readonly orgId: string;
  /** Who the token acts as. */
  readonly userId: string;
  readonly applicationId: string;
  /** How it was obtained. */
  readonly grantType: GrantType;
  readonly scope: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** A stored token with what is true of its user now. */
export interface ActiveToken {
  readonly orgId: string;
  /** The root organization of `orgId`: itself or its parent. */
  readonly partnerId: string;
  readonly userId: string;
  /** Null of a token of a portal session. */
  readonly applicationId: string | null;
  readonly applicationOwnerId: string | null;
  readonly role: Role;
  readonly scope: string;
  readonly expiresAt: Date;
  /** The operator has suspended the partner. */
  readonly isSuspended: boolean;
}

const COLUMN_TYPES: Readonly<Record<keyof NewAccessToken, string>> = {
  tokenHash: 'bytea',
  orgId: 'uuid',
  userId: 'uuid',
  applicationId: 'uuid',
  grantType: 'text',
  scope: 'text',
  createdAt: 'timestamptz',
  expiresAt: 'timestamptz',
};

const COLUMN_TYPES_OF_KEY = { orgId: 'uuid', tokenHash: 'bytea' } as const;

/** Inserts all or none, by one statement. Breaks access_tokens_application_fkey when the application of one has been deleted. */
export async function insertAccessTokens(db: Db | Tx, tokens: readonly NewAccessToken[]): Promise<void> {
  await insert(db, toColumns(tokens, COLUMN_TYPES));
}

const insert = prepare(
  (_db, tokens: Columns<NewAccessToken>) => sql`
    insert into access_tokens
      (token_hash, org_id, user_id, application_id, grant_type, scope, created_at, expires_at)
    select * from ${unnestColumns<NewAccessToken>(tokens, COLUMN_TYPES)}
  `,
);

type AccessTokenKey = Pick<NewAccessToken, 'orgId' | 'tokenHash'>;

/**
 * The organization's token with this digest, if its user and the owner of its application are not deleted (a deleted application
 * takes its tokens with it). The caller compares expiresAt with its own clock.
 */
export async function findActiveToken(db: Db, key: AccessTokenKey): Promise<ActiveToken | undefined> {
  const [row] = await selectActiveToken(db, key);
  return row === undefined ? undefined : toActiveToken(row);
}

/** The same by the digest alone, for tokens that do not name their organization. */
export async function findActiveTokenOfOlderFormat(
  db: Db,
  tokenHash: Buffer,
): Promise<ActiveToken | undefined> {
  const [row] = await selectActiveTokenOfOlderFormat(db, { tokenHash });
  return row === undefined ? undefined : toActiveToken(row);
}

/** The same as the first for many tokens in one statement, by hex digest. */
export async function findActiveTokens(
  db: Db,
  keys: readonly AccessTokenKey[],
): Promise<ReadonlyMap<string, ActiveToken>> {
  const rows = await selectActiveTokensTogether(db, toColumns(keys, COLUMN_TYPES_OF_KEY));
  return new Map(rows.map((row) => [row.token_hash.toString('hex'), toActiveToken(row)]));
}

function selectActiveTokens(db: Db) {
  return (
    db
      .selectFrom('access_tokens as token')
      .innerJoin('users as holder', (join) =>
        join.onRef('holder.org_id', '=', 'token.org_id').onRef('holder.id', '=', 'token.user_id'),
      )
      // Outer, so that an organization that is being removed is refused by the write that misses it.
      .leftJoin('organizations as organization', 'organization.id', 'token.org_id')
      .leftJoin('organizations as parent', 'parent.id', 'organization.parent_org_id')
      // Outer, since tokens of portal sessions have none; a token whose application is deleted is gone.
      .leftJoin('applications as application', (join) =>
        join
          .onRef('application.org_id', '=', 'token.org_id')
          .onRef('application.id', '=', 'token.application_id'),
      )
      .leftJoin('users as owner', (join) =>
        join
          .onRef('owner.org_id', '=', 'application.org_id')
          .onRef('owner.id', '=', 'application.owner_user_id'),
      )
      .select([
        'token.token_hash',
        'token.org_id',
        'token.user_id',
        'token.application_id',
        // An application that may only read has no token that may write, whenever it was issued.
        sql<string>`case when application.scope = 'read' then 'read' else token.scope end`.as('scope'),
        'token.expires_at',
        'holder.role',
        'organization.parent_org_id',
        sql<boolean>`coalesce(parent.suspended_at, organization.suspended_at) is not null`.as('is_suspended'),
        'owner.id as owner_id',
      ])
      .where('holder.deleted_at', 'is', null)
      .where('owner.deleted_at', 'is', null)
  );
}

const selectActiveToken = prepare((db, { orgId, tokenHash }: AccessTokenKey) =>
  selectActiveTokens(db).where('token.org_id', '=', orgId).where('token.token_hash', '=', tokenHash),
);

const selectActiveTokenOfOlderFormat = prepare((db, { tokenHash }: Pick<AccessTokenKey, 'tokenHash'>) =>
  selectActiveTokens(db).where('token.token_hash', '=', tokenHash),
);

const selectActiveTokensTogether = prepare((db, { orgId, tokenHash }: Columns<AccessTokenKey>) =>
  selectActiveTokens(db)
    .where(sql<boolean>`token.org_id = any(${orgId}::uuid[])`)
    .where(sql<boolean>`token.token_hash = any(${tokenHash}::bytea[])`),
);

type ActiveTokenRow = InferResult<ReturnType<typeof selectActiveTokens>>[number];

function toActiveToken(row: ActiveTokenRow): ActiveToken {
  return {
    orgId: row.org_id,
    partnerId: row.parent_org_id ?? row.org_id,
    userId: row.user_id,
    applicationId: row.application_id,
    applicationOwnerId: row.owner_id,
    role: row.role,
    scope: row.scope,
    expiresAt: row.expires_at,
    isSuspended: row.is_suspended,
  };
}

/** Ends a token, if it was issued to this application. */
export async function deleteAccessToken(
  db: Db,
  tokenHash: Buffer,
  application: { readonly orgId: string; readonly id: string },
): Promise<void> {
  await db
    .deleteFrom('access_tokens')
    .where('token_hash', '=', tokenHash)
    .where('org_id', '=', application.orgId)
    .where('application_id', '=', application.id)
    .execute();
}

/** Ends the tokens that act as a user, and those of the applications that the user owns, whoever they act as. */
export async function deleteAccessTokensOfUser(
  tx: Tx,
  user: { readonly orgId: string; readonly userId: string },
): Promise<void> {
  await tx
    .deleteFrom('access_tokens')
    .where('org_id', '=', user.orgId)
    .where((eb) =>
      eb.or([
        eb('user_id', '=', user.userId),
        eb(
          'application_id',
          'in',
          eb
            .selectFrom('applications')
            .select('id')
            .where('org_id', '=', user.orgId)
            .where('owner_user_id', '=', user.userId),
        ),
      ]),
    )
    .execute();
}

/** Joins the transaction that changes the password: ends the tokens that the password grant has issued to a user. */
export async function deletePasswordGrantTokens(
  tx: Tx,
  user: { readonly orgId: string; readonly userId: string },
): Promise<void> {
  await tx
    .deleteFrom('access_tokens')
    .where('org_id', '=', user.orgId)
    .where('user_id', '=', user.userId)
    .where('grant_type', '=', 'password')
    .execute();
}

/** Deletes at most `limit` tokens that expired before `instant`; resolves to their number. */
export async function deleteAccessTokensExpiredBefore(db: Db, instant: Date, limit: number): Promise<number> {
  return deleteBatch(db, 'access_tokens', sql`where expires_at < ${instant} order by expires_at`, limit);
}
