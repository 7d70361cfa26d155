import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

/**
 * Lets one transaction of an organization at a time go on, until it ends. The lock is a row of the organization's own, made when it is
 * first needed: nobody else's waits for it. Breaks organization_locks_org_fkey when there is no such organization.
 */
export async function lockOrganization(tx: Tx, orgId: string): Promise<void> {
  await callLock(tx, { orgId });
}

const callLock = prepare(
  (_db, { orgId }: { readonly orgId: string }) => sql`select lock_organization(${orgId}::uuid)`,
);
