import { randomUUID } from 'node:crypto';
import {
  newAccessToken,
  newClientId,
  newClientSecret,
  sha256Digest,
} from '../../src/domain/security/credentials.ts';
import type { Role } from '../../src/domain/users/roles.ts';
import { insertAccessTokens } from '../../src/queries/accounts/access-tokens.ts';
import { insertApplication } from '../../src/queries/accounts/applications.ts';
import type { GrantType } from '../../src/domain/security/grant-types.ts';
import type { Db } from '../../src/queries/connection/database.ts';
import { insertOrganization } from '../../src/queries/accounts/organizations.ts';
import { hashCheaply } from '../support/password-hashes.ts';
import { givePassword, giveUsername } from '../support/usernames.ts';

export const START = new Date('2026-11-21T10:00:00.000Z');

export interface TestClient {
  readonly orgId: string;
  readonly ownerId: string;
  readonly applicationId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export async function addOrganization(db: Db, parentOrgId: string | null = null): Promise<string> {
  const id = randomUUID();
  const kind = parentOrgId === null ? 'partner' : 'simulation';
  await insertOrganization(db, { id, name: 'Org', kind, parentOrgId, createdAt: START });
  return id;
}

export async function addUser(db: Db, orgId: string, role: Role = 'user', email?: string): Promise<string> {
  const id = randomUUID();
  await db
    .insertInto('users')
    .values({
      org_id: orgId,
      id,
      email: email ?? `${id}@partner.example`,
      role,
      created_at: START,
      updated_at: START,
    })
    .execute();
  return id;
}

export async function addAccount(db: Db, orgId: string, username: string, password: string): Promise<string> {
  const userId = await addUser(db, orgId, 'staff', username);
  await giveUsername(db, { orgId, userId }, username);
  await givePassword(db, { orgId, userId }, hashCheaply(password));
  return userId;
}

export async function addClient(
  db: Db,
  given: {
    orgId?: string;
    grantType?: GrantType;
    clientId?: string;
    clientSecret?: string;
    role?: Role;
  } = {},
): Promise<TestClient> {
  const orgId = given.orgId ?? (await addOrganization(db));
  const ownerId = await addUser(db, orgId, given.role ?? 'admin');
  const clientId = given.clientId ?? newClientId();
  const clientSecret = given.clientSecret ?? newClientSecret();
  const application = await insertApplication(
    db,
    {
      orgId,
      ownerUserId: ownerId,
      name: 'App',
      clientId,
      secretHash: sha256Digest(clientSecret),
      grantType: given.grantType ?? 'client-credentials',
    },
    START,
  );
  return { orgId, ownerId, applicationId: application.id, clientId, clientSecret };
}

export function basic(clientId: string, clientSecret: string, scheme = 'Basic'): string {
  return `${scheme} ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
}

export async function softDelete(db: Db, userId: string): Promise<void> {
  await db.updateTable('users').set({ deleted_at: START }).where('id', '=', userId).execute();
}

/** A token of the client that acts as this user and lives for ten hours. */
export async function addToken(
  db: Db,
  { orgId, applicationId }: Pick<TestClient, 'orgId' | 'applicationId'>,
  userId: string,
  scope = 'read write',
): Promise<string> {
  const value = newAccessToken(orgId);
  await insertAccessTokens(db, [
    {
      tokenHash: sha256Digest(value),
      orgId,
      userId,
      applicationId,
      grantType: 'client-credentials',
      scope,
      createdAt: START,
      expiresAt: new Date(START.getTime() + 36_000_000),
    },
  ]);
  return value;
}
