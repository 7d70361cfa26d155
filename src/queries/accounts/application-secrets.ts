import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import type { Application } from './applications.ts';

type ApplicationKey = Pick<Application, 'orgId' | 'id'>;
/** With the instant of the change that it was read after. */
type ReadApplication = Pick<Application, 'orgId' | 'id' | 'updatedAt'>;

/** One of the secrets of an application was right at an instant. */
export interface SecretUse {
  readonly orgId: string;
  readonly applicationId: string;
  readonly secretHash: Buffer;
  readonly usedAt: Date;
}

/** From now on only the new secret is accepted; tokens that were issued before stay valid. False when there is no application. */
export async function replaceSecrets(
  db: Db,
  { orgId, id }: ApplicationKey,
  secretHash: Buffer,
  now: Date,
): Promise<boolean> {
  const row = await db
    .updateTable('applications')
    .set({ ...newSecret(secretHash, now), ...NO_OLDER_SECRET })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Puts a new secret beside the present one, which works until its end. False when the application is no longer as it was read, or
 * has two secrets that work.
 */
export async function addSecret(
  db: Db,
  { orgId, id, updatedAt }: ReadApplication,
  { secretHash, olderEndsAt }: { readonly secretHash: Buffer; readonly olderEndsAt: Date },
  now: Date,
): Promise<boolean> {
  const row = await db
    .updateTable('applications')
    .set((eb) => ({
      ...newSecret(secretHash, now),
      older_secret_hash: eb.ref('secret_hash'),
      older_secret_created_at: eb.ref('secret_created_at'),
      older_secret_last_used_at: eb.ref('secret_last_used_at'),
      older_secret_ends_at: olderEndsAt,
    }))
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('updated_at', '=', updatedAt)
    .where((eb) => eb.or([eb('older_secret_hash', 'is', null), eb('older_secret_ends_at', '<=', now)]))
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Ends the older secret. False when the application is no longer as it was read. */
export async function endOlderSecret(
  db: Db,
  { orgId, id, updatedAt }: ReadApplication,
  now: Date,
): Promise<boolean> {
  const row = await db
    .updateTable('applications')
    .set({ ...NO_OLDER_SECRET, updated_at: now })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('updated_at', '=', updatedAt)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

const newSecret = (secretHash: Buffer, now: Date) => ({
  secret_hash: secretHash,
  secret_created_at: now,
  secret_last_used_at: null,
  updated_at: now,
});

const NO_OLDER_SECRET = {
  older_secret_hash: null,
  older_secret_created_at: null,
  older_secret_last_used_at: null,
  older_secret_ends_at: null,
};

/** Writes when secrets were last used, each one once. A use is no change of the application; one of a secret that is gone is nothing. */
export async function recordSecretUses(db: Db, uses: readonly SecretUse[]): Promise<void> {
  const rows = uses.map(({ orgId, applicationId, secretHash, usedAt }) => ({
    org_id: orgId,
    application_id: applicationId,
    secret_hash: secretHash.toString('base64'),
    used_at: usedAt,
  }));
  await sql`select record_secret_uses(${JSON.stringify(rows)}::jsonb)`.execute(db);
}
