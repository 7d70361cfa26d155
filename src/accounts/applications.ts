import { sha256Digest, newClientSecret } from '../domain/security/credentials.ts';
import type { Quotas } from '../domain/api/quotas.ts';
import {
  deleteApplication,
  findApplication,
  insertApplication,
  listApplications,
  updateApplication,
} from '../queries/accounts/applications.ts';
import type { Application, ApplicationChange } from '../queries/accounts/applications.ts';
import { findClient } from '../queries/accounts/clients.ts';
import { addSecret, endOlderSecret, replaceSecrets } from '../queries/accounts/application-secrets.ts';
import { findOrganizationOfClient } from '../queries/accounts/names.ts';
import { findOrganization } from '../queries/accounts/organizations.ts';
import { violatedConstraint } from '../queries/connection/database.ts';
import type { Db } from '../queries/connection/database.ts';
import type { PortalSession } from '../queries/accounts/portal-sessions.ts';
import { requireWithinQuota } from './quotas.ts';

export type { Application } from '../queries/accounts/applications.ts';

/** A client id that an application has. The second one of an owner who is deleted, or where a process of the version before is at work. */
const TAKEN: ReadonlySet<string> = new Set(['client_ids_pkey', 'applications_client_id_key']);

/** Who asks: admins see every application of their organization, everybody else only their own. */
type Viewer = Pick<PortalSession, 'orgId' | 'userId' | 'role'>;

/** The applications that a person sees, newest first. */
export async function listVisibleApplications(db: Db, viewer: Viewer): Promise<Application[]> {
  return listApplications(db, viewer.orgId, viewer.role === 'admin' ? undefined : viewer.userId);
}

/** An application by its id (a UUID); undefined when there is none, or the person may not see it. */
export async function findVisibleApplication(
  db: Db,
  viewer: Viewer,
  id: string,
): Promise<Application | undefined> {
  const found = await findApplication(db, viewer.orgId, id);
  return viewer.role === 'admin' || found?.ownerUserId === viewer.userId ? found : undefined;
}

/** The application with this client id, if the person owns it. */
export async function findOwnApplication(
  db: Db,
  owner: Viewer,
  clientId: string,
): Promise<Application | undefined> {
  const application = (await findClient(db, owner.orgId, clientId))?.application;
  return application?.ownerUserId === owner.userId ? application : undefined;
}

/** The application with this client id, whoever owns it. For the operator. */
export async function findApplicationByClientId(db: Db, clientId: string): Promise<Application | undefined> {
  const orgId = await findOrganizationOfClient(db, clientId);
  return orgId === undefined ? undefined : (await findClient(db, orgId, clientId))?.application;
}

/**
 * Registers an application, and resolves to it with its secret, which can never be read again. Undefined when an
 * application has this client id already: the form was sent before. Throws 422 `quota_reached` when the owner's partner has
 * as many applications as it may have.
 */
export async function registerApplication(
  db: Db,
  owner: Viewer,
  given: ApplicationChange & { readonly clientId: string },
  quotas: Quotas,
  now: Date,
): Promise<{ readonly application: Application; readonly secret: string } | undefined> {
  const secret = newClientSecret();
  const row = {
    ...given,
    orgId: owner.orgId,
    ownerUserId: owner.userId,
    secretHash: sha256Digest(secret),
  };
  try {
    return await db.transaction().execute(async (tx) => {
      if ((await findOrganizationOfClient(tx, given.clientId)) !== undefined) return undefined;
      const partnerId = (await findOrganization(tx, owner.orgId))?.parentOrgId ?? owner.orgId;
      await requireWithinQuota(tx, { partnerId, quotas }, 'applications');
      return { application: await insertApplication(tx, row, now), secret };
    });
  } catch (error) {
    if (TAKEN.has(violatedConstraint(error) ?? '')) return undefined;
    throw error;
  }
}

/** Changes the name, the grant type and what its tokens may do; false when the application was changed or deleted since it was read. */
export async function changeApplication(
  db: Db,
  application: Application,
  change: ApplicationChange,
  now: Date,
): Promise<boolean> {
  return (await updateApplication(db, application, change, now)) !== undefined;
}

/**
 * Gives the application a new secret, and ends all others; false when the application was deleted meanwhile. It is shown before the
 * commit, so that it cannot be lost; what `show` throws undoes everything.
 */
export async function replaceApplicationSecrets(
  db: Db,
  application: Application,
  now: Date,
  show: (secret: string) => void,
): Promise<boolean> {
  const secret = newClientSecret();
  return db.transaction().execute(async (tx) => {
    const isReplaced = await replaceSecrets(tx, application, sha256Digest(secret), now);
    if (isReplaced) show(secret);
    return isReplaced;
  });
}

/**
 * Gives the application a new secret beside the present one, which works until its end; resolves to the new one. Undefined when the
 * application was changed or deleted since it was read, or has two secrets that work.
 */
export async function addApplicationSecret(
  db: Db,
  application: Application,
  olderEndsAt: Date,
  now: Date,
): Promise<string | undefined> {
  const secret = newClientSecret();
  const given = { secretHash: sha256Digest(secret), olderEndsAt };
  return (await addSecret(db, application, given, now)) ? secret : undefined;
}

/** Ends the older secret at once; false when the application was changed or deleted since it was read. */
export async function endOlderApplicationSecret(
  db: Db,
  application: Application,
  now: Date,
): Promise<boolean> {
  return endOlderSecret(db, application, now);
}

/** Whether the secret before the present one works. */
export function hasOlderSecret({ olderSecret }: Application, now: Date): boolean {
  return olderSecret !== null && olderSecret.endsAt > now;
}

/** Deletes an application with the tokens that were issued to it. */
export async function removeApplication(db: Db, { orgId, id }: Application): Promise<void> {
  await deleteApplication(db, orgId, id);
}
