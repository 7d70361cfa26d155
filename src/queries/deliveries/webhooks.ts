import { PAGE_SIZE } from '../../domain/api/page-links.ts';
import { sql } from 'kysely';
import type { EncryptedValue } from '../../domain/security/encryption.ts';
import type { Topic } from '../../domain/notifications/topics.ts';
import type { Db, Tx } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

/** A webhook as the API shows it. */
export interface Webhook {
  readonly id: string;
  readonly org_id: string;
  readonly url: string;
  readonly topics: string[];
  readonly enabled: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A webhook with its encrypted secret; may be a deleted one: what a test message needs. */
export interface WebhookWithSecret extends Webhook {
  readonly secret: EncryptedValue;
  readonly deleted_at: Date | null;
}

export interface NewWebhook {
  readonly org_id: string;
  readonly id: string;
  readonly url: string;
  readonly topics: readonly Topic[];
  readonly secret: EncryptedValue;
}

/** Only what is present changes. */
export interface WebhookChange {
  readonly enabled?: boolean;
  readonly topics?: readonly Topic[];
}

export const WEBHOOK_COLUMNS = [
  'id',
  'org_id',
  'url',
  'topics',
  'enabled',
  'created_at',
  'updated_at',
] as const;

/** Inserts an enabled webhook. */
export function insertWebhook(db: Db | Tx, webhook: NewWebhook, now: Date): Promise<Webhook> {
  return db
    .insertInto('webhooks')
    .values({
      org_id: webhook.org_id,
      id: webhook.id,
      url: webhook.url,
      topics: [...webhook.topics],
      enabled: true,
      encrypted_secret: webhook.secret.bytes,
      secret_key_id: webhook.secret.keyId,
      created_at: now,
      updated_at: now,
    })
    .returning(WEBHOOK_COLUMNS)
    .executeTakeFirstOrThrow();
}

/** One page of an organization's webhooks, oldest first, so that a new one moves none to another page; pages count from 1. */
export function listWebhooks(db: Db | Tx, orgId: string, page: number): Promise<Webhook[]> {
  return selectPage(db, { orgId, offset: (page - 1) * PAGE_SIZE });
}

const selectPage = prepare((db, { orgId, offset }: { readonly orgId: string; readonly offset: number }) =>
  db
    .selectFrom('webhooks')
    .select(WEBHOOK_COLUMNS)
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(sql.lit(PAGE_SIZE))
    .offset(offset),
);

/** The number of an organization's webhooks, deleted ones left out. */
export async function countWebhooks(db: Db | Tx, orgId: string): Promise<number> {
  const [row] = await count(db, { orgId });
  return Number(row?.count);
}

const count = prepare((db, { orgId }: { readonly orgId: string }) =>
  db
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null),
);

/** A webhook by its id; a deleted one is not found. */
export async function findWebhook(db: Db | Tx, orgId: string, id: string): Promise<Webhook | undefined> {
  const [webhook] = await selectById(db, { orgId, id });
  return webhook;
}

const selectById = prepare((db, { orgId, id }: { readonly orgId: string; readonly id: string }) =>
  db
    .selectFrom('webhooks')
    .select(WEBHOOK_COLUMNS)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null),
);

/** The same, locked until the transaction ends, with the mark of a change whose deliveries are still being cancelled. */
export function lockWebhook(
  tx: Tx,
  orgId: string,
  id: string,
): Promise<(Webhook & { readonly cancelling_mark: string | null }) | undefined> {
  return tx
    .selectFrom('webhooks')
    .select([...WEBHOOK_COLUMNS, 'cancelling_mark'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** A webhook by its id, with its secret; a deleted one is found too: a test message to it is answered with `cancelled`. */
export async function findWebhookWithSecret(
  db: Db | Tx,
  orgId: string,
  id: string,
): Promise<WebhookWithSecret | undefined> {
  const row = await db
    .selectFrom('webhooks')
    .select([...WEBHOOK_COLUMNS, 'encrypted_secret', 'secret_key_id', 'deleted_at'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { encrypted_secret: bytes, secret_key_id: keyId, ...webhook } = row;
  return { ...webhook, secret: { keyId, bytes } };
}

/**
 * Replaces the secret and counts up its version: all attempts claimed from now on, retries too, are signed with the new
 * one. Undefined when there is no such webhook.
 */
export function rotateWebhookSecret(
  db: Db | Tx,
  orgId: string,
  id: string,
  secret: EncryptedValue,
  now: Date,
): Promise<Webhook | undefined> {
  return db
    .updateTable('webhooks')
    .set({
      encrypted_secret: secret.bytes,
      secret_key_id: secret.keyId,
      secret_version: sql<number>`secret_version + 1`,
      updated_at: now,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning(WEBHOOK_COLUMNS)
    .executeTakeFirst();
}
