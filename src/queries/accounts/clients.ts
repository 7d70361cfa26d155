import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';
import { APPLICATION_COLUMNS, toApplication } from './applications.ts';
import type { Application } from './applications.ts';

/** An application that may authenticate: it exists and its owner is not deleted. */
export interface Client {
  readonly application: Application;
  /** The root organization. */
  readonly partnerId: string;
  /** The operator has suspended the partner. */
  readonly isSuspended: boolean;
  readonly secretHash: Buffer;
  /** Null when there is none; the end of it is that of `application.olderSecret`. */
  readonly olderSecretHash: Buffer | null;
}

/** The organization's application with this client id, if its owner is not deleted, with the digests of its secrets. */
export async function findClient(db: Db, orgId: string, clientId: string): Promise<Client | undefined> {
  const [row] = await selectClient(db, { orgId, clientId });
  if (row === undefined) return undefined;
  return {
    application: toApplication(row),
    partnerId: row.parent_org_id ?? row.org_id,
    isSuspended: row.is_suspended,
    secretHash: row.secret_hash,
    olderSecretHash: row.older_secret_hash,
  };
}

const selectClient = prepare(
  (db, { orgId, clientId }: { readonly orgId: string; readonly clientId: string }) =>
    db
      .selectFrom('applications')
      .innerJoin('users as owner', (join) =>
        join
          .onRef('owner.org_id', '=', 'applications.org_id')
          .onRef('owner.id', '=', 'applications.owner_user_id'),
      )
      .innerJoin('organizations as organization', 'organization.id', 'applications.org_id')
      .leftJoin('organizations as parent', 'parent.id', 'organization.parent_org_id')
      .select([
        ...APPLICATION_COLUMNS,
        'applications.secret_hash',
        'applications.older_secret_hash',
        'organization.parent_org_id',
        sql<boolean>`coalesce(parent.suspended_at, organization.suspended_at) is not null`.as('is_suspended'),
      ])
      .where('applications.org_id', '=', orgId)
      .where('applications.client_id', '=', clientId)
      .where('owner.deleted_at', 'is', null),
);
