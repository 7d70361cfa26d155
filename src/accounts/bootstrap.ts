import { randomUUID } from 'node:crypto';
import { sha256Digest, newClientId, newClientSecret } from '../domain/security/credentials.ts';
import { newInitialPassword, passwordHasher } from '../domain/security/passwords.ts';
import { Secret } from '../domain/security/secret.ts';
import { insertFirstAdmin } from '../queries/accounts/accounts.ts';
import { insertApplication } from '../queries/accounts/applications.ts';
import type { Db, Tx } from '../queries/connection/database.ts';
import { hasOrganizations, insertOrganization, lockBootstrap } from '../queries/accounts/organizations.ts';
import { toInitialPasswordEnd } from './passwords.ts';
import { withFreeUsername } from './usernames.ts';

/** The BOOTSTRAP_* settings, already checked; what is undefined is drawn at random. */
export interface BootstrapSettings {
  readonly orgId?: string | undefined;
  readonly adminEmail?: string | undefined;
  readonly adminPassword?: Secret | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: Secret | undefined;
}

/** A new organization's ids and credentials, to be shown once: neither secret can be read out again. */
export interface FirstCredentials {
  readonly orgId: string;
  readonly orgName: string;
  readonly adminUserId: string;
  readonly email: string;
  readonly username: string;
  /** An initial password, fixed or not, must be changed at the first login, within 72 hours. */
  readonly password: Secret;
  readonly clientId: string;
  readonly clientSecret: Secret;
}

type Draft = Omit<FirstCredentials, 'username'> & { readonly passwordHash: string };

/**
 * Fills an empty database with one organization, its admin and an application that acts as the admin. Of processes
 * that start at once one does it; the others, and those that find an organization, do nothing. The credentials are shown
 * before they are committed, so that they cannot be lost; what `show` throws undoes everything.
 */
export async function bootstrapFirstOrganization(
  db: Db,
  settings: BootstrapSettings,
  now: Date,
  show: (first: FirstCredentials) => void,
): Promise<void> {
  if (await hasOrganizations(db)) return;
  const email = settings.adminEmail ?? 'admin@example.com';
  const drafted = await draft('Partner', email, settings);
  await db.transaction().execute(async (tx) => {
    await lockBootstrap(tx);
    if (await hasOrganizations(tx)) return;
    show(await insertDraft(tx, drafted, email, now));
  });
}

/**
 * A further partner organization with its admin and an application; the name and the email are already checked. Shown before the
 * commit, as the first one is.
 */
export async function createOrganization(
  db: Db,
  organization: { readonly name: string; readonly adminEmail: string },
  now: Date,
  show: (made: FirstCredentials) => void = () => undefined,
): Promise<FirstCredentials> {
  const drafted = await draft(organization.name, organization.adminEmail, {});
  return withFreeUsername(drafted.email, drafted.orgId, (username) =>
    db.transaction().execute(async (tx) => {
      const made = await insertDraft(tx, drafted, username, now);
      show(made);
      return made;
    }),
  );
}

async function draft(orgName: string, email: string, fixed: BootstrapSettings): Promise<Draft> {
  const password = fixed.adminPassword ?? new Secret(newInitialPassword());
  return {
    orgId: fixed.orgId ?? randomUUID(),
    orgName,
    adminUserId: randomUUID(),
    email,
    password,
    passwordHash: await passwordHasher.hash(password.reveal()),
    clientId: fixed.clientId ?? newClientId(),
    clientSecret: fixed.clientSecret ?? new Secret(newClientSecret()),
  };
}

async function insertDraft(
  tx: Tx,
  { passwordHash, ...credentials }: Draft,
  username: string,
  now: Date,
): Promise<FirstCredentials> {
  const { orgId, orgName, adminUserId, email, clientId, clientSecret } = credentials;
  await insertOrganization(tx, {
    id: orgId,
    name: orgName,
    kind: 'partner',
    parentOrgId: null,
    createdAt: now,
  });
  const passwordExpiresAt = toInitialPasswordEnd(now);
  await insertFirstAdmin(
    tx,
    { orgId, userId: adminUserId, email, username, passwordHash, passwordExpiresAt },
    now,
  );
  await insertApplication(
    tx,
    {
      orgId,
      ownerUserId: adminUserId,
      name: 'First application',
      clientId,
      secretHash: sha256Digest(clientSecret.reveal()),
      grantType: 'client-credentials',
    },
    now,
  );
  return { ...credentials, username };
}
