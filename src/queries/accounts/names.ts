import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

/*
 * Names that arrive without their organization: usernames and client ids are unique on the server, and each is mapped to the
 * organization that has it, in the transaction that gives or takes it.
 */

/** The organization of the user with this username who is not deleted, whatever the letter case. */
export async function findOrganizationOfUsername(db: Db | Tx, username: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('usernames')
    .select('org_id')
    .where('username', '=', (eb) => eb.fn('lower', [eb.val(username)]))
    .executeTakeFirst();
  return row?.org_id;
}

/** The organization of the application with this client id. */
export async function findOrganizationOfClient(db: Db | Tx, clientId: string): Promise<string | undefined> {
  const [row] = await selectOrganizationOfClient(db, { clientId });
  return row?.org_id;
}

const selectOrganizationOfClient = prepare((db, { clientId }: { readonly clientId: string }) =>
  db.selectFrom('client_ids').select('org_id').where('client_id', '=', clientId),
);

/** Before the user has it. Breaks usernames_pkey when another one does. */
export async function insertUsername(tx: Tx, orgId: string, username: string): Promise<void> {
  await tx
    .insertInto('usernames')
    .values((eb) => ({ username: eb.fn('lower', [eb.val(username)]), org_id: orgId }))
    .execute();
}

export async function deleteUsername(tx: Tx, orgId: string, username: string): Promise<void> {
  await tx
    .deleteFrom('usernames')
    .where('username', '=', (eb) => eb.fn('lower', [eb.val(username)]))
    .where('org_id', '=', orgId)
    .execute();
}

/** Before the application has it. Breaks client_ids_pkey when another one does. */
export async function insertClientId(tx: Tx, orgId: string, clientId: string): Promise<void> {
  await tx.insertInto('client_ids').values({ client_id: clientId, org_id: orgId }).execute();
}

export async function deleteClientIds(tx: Tx, orgId: string, clientIds: readonly string[]): Promise<void> {
  if (clientIds.length === 0) return;
  await tx.deleteFrom('client_ids').where('client_id', 'in', clientIds).where('org_id', '=', orgId).execute();
}

/** Before the users of an organization's households from `index` on are removed, and their applications. */
export async function deleteNamesOfHouseholds(tx: Tx, orgId: string, index = 0): Promise<void> {
  await deleteUsernamesOfHouseholds(tx, orgId, index);
  await deleteClientIdsOfHouseholds(tx, orgId, index);
}

async function deleteUsernamesOfHouseholds(tx: Tx, orgId: string, index: number): Promise<void> {
  const given = await tx.selectFrom('usernames').select('username').where('org_id', '=', orgId).execute();
  // Few households have any.
  if (given.length === 0) return;
  const names = given.map(({ username }) => username);
  const users = await tx
    .selectFrom('users')
    .select('username')
    .where('org_id', '=', orgId)
    .where(sql<SqlBool>`lower(username) = any(${names}::text[])`)
    .where('household_index', '>=', index)
    .execute();
  for (const { username } of users) if (username !== null) await deleteUsername(tx, orgId, username);
}

async function deleteClientIdsOfHouseholds(tx: Tx, orgId: string, index: number): Promise<void> {
  const given = await tx.selectFrom('client_ids').select('client_id').where('org_id', '=', orgId).execute();
  if (given.length === 0) return;
  const applications = await tx
    .selectFrom('applications')
    .innerJoin('users as owner', (join) =>
      join
        .onRef('owner.org_id', '=', 'applications.org_id')
        .onRef('owner.id', '=', 'applications.owner_user_id'),
    )
    .select('applications.client_id')
    .where('applications.org_id', '=', orgId)
    .where('owner.household_index', '>=', index)
    .where(sql<SqlBool>`applications.client_id = any(${given.map(({ client_id }) => client_id)}::text[])`)
    .execute();
  const clientIds = applications.map(({ client_id: clientId }) => clientId);
  await deleteClientIds(tx, orgId, clientIds);
}
