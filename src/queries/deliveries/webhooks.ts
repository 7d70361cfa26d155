import { PAGE_SIZE } from '../../domain/api/page-links.ts';
import { sql } from 'kysely';
import type { EncryptedValue } from '../../domain/security/encryption.ts';
import type { Topic } from '../../domain/notifications/topics.ts';
import type { Db, Tx } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';
import { cancelPendingDeliveries, type CancelledDeliveries } from './deliveries.ts';

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

const columns = ['id', 'org_id', 'url', 'topics', 'enabled', 'created_at', 'updated_at'] as const;

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
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** One page of an organization's webhooks, oldest first, so that a new one moves none to another page; pages count from 1. */
export function listWebhooks(db: Db | Tx, orgId: string, page: number): Promise<Webhook[]> {
  return selectPage(db, { orgId, offset: (page - 1) * PAGE_SIZE });
}

const selectPage = prepare((db, { orgId, offset }: { readonly orgId: string; readonly offset: number }) =>
  db
    .selectFrom('webhooks')
    .select(columns)
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
    .select(columns)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null),
);

/** The same, locked until the transaction ends. */
export function lockWebhook(tx: Tx, orgId: string, id: string): Promise<Webhook | undefined> {
  return tx
    .selectFrom('webhooks')
    .select(columns)
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
    .select([...columns, 'encrypted_secret', 'secret_key_id', 'deleted_at'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { encrypted_secret: bytes, secret_key_id: keyId, ...webhook } = row;
  return { ...webhook, secret: { keyId, bytes } };
}

/**
 * Changes a webhook and cancels those of its pending deliveries that it no longer wants: all when it is disabled, those
 * of a removed topic otherwise. They are not sent when it is enabled again. Undefined when there is no such webhook.
 */
export async function updateWebhook(
  tx: Tx,
  orgId: string,
  id: string,
  change: WebhookChange,
  now: Date,
): Promise<{ webhook: Webhook; cancelled: CancelledDeliveries[] } | undefined> {
  const webhook = await tx
    .updateTable('webhooks')
    .set({
      updated_at: now,
      ...(change.enabled === undefined ? {} : { enabled: change.enabled }),
      ...(change.topics === undefined ? {} : { topics: [...change.topics] }),
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning(columns)
    .executeTakeFirst();
  if (webhook === undefined) return undefined;
  const cancelled: CancelledDeliveries[] = [];
  if (change.enabled === false) {
    cancelled.push(await cancelPendingDeliveries(tx, { orgId, webhookId: id, reason: 'disabled' }, now));
  } else if (change.topics !== undefined) {
    const scope = { orgId, webhookId: id, reason: 'topic_removed', keptTopics: change.topics } as const;
    cancelled.push(await cancelPendingDeliveries(tx, scope, now));
  }
  return { webhook, cancelled };
}

/** Marks a webhook as deleted and cancels its pending deliveries; undefined when there is none. */
export async function softDeleteWebhook(
  tx: Tx,
  orgId: string,
  id: string,
  now: Date,
): Promise<CancelledDeliveries | undefined> {
  const removed = await tx
    .updateTable('webhooks')
    .set({ deleted_at: now, updated_at: now })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (removed === undefined) return undefined;
  return cancelPendingDeliveries(tx, { orgId, webhookId: id, reason: 'deleted' }, now);
}

/** Marks all webhooks of an organization as deleted and cancels their pending deliveries, when it is removed. */
export async function softDeleteWebhooksOfOrganization(
  tx: Tx,
  orgId: string,
  now: Date,
): Promise<CancelledDeliveries> {
  const webhooks = await tx
    .selectFrom('webhooks')
    .select('id')
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    // All before the first of their deliveries is counted off: who changes one of them waits before it has counted.
    .forUpdate()
    .execute();
  let count = 0;
  for (const { id } of webhooks) count += (await softDeleteWebhook(tx, orgId, id, now))?.count ?? 0;
  return { reason: 'deleted', count };
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
    .returning(columns)
    .executeTakeFirst();
}
