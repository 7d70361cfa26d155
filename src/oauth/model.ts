import OAuth2Server from '@node-oauth/oauth2-server';
import { sha256Digest, newAccessToken } from '../domain/security/credentials.ts';
import { OAUTH_GRANT_OF } from '../domain/security/grant-types.ts';
import { insertAccessTokens } from '../queries/accounts/access-tokens.ts';
import type { NewAccessToken } from '../queries/accounts/access-tokens.ts';
import type { Application } from '../queries/accounts/applications.ts';
import type { Client } from '../queries/accounts/clients.ts';
import { lockUnchangedPassword } from '../queries/accounts/accounts.ts';
import { inBatches } from '../queries/connection/batches.ts';
import { violatedConstraint } from '../queries/connection/database.ts';
import type { Secret } from '../domain/security/secret.ts';
import type { Db, Tx } from '../queries/connection/database.ts';

/** A person whose password was right. */
interface VerifiedAccount {
  readonly orgId: string;
  readonly userId: string;
  readonly passwordHash: Secret;
  readonly passwordChangeRequired: boolean;
  readonly initialPasswordExpiresAt: Date | null;
}

/**
 * The account of a username and a password that belong together, for a partner; undefined otherwise.
 * @throws Problem overloaded (503).
 */
export type VerifyAccount = (
  username: string,
  password: string,
  partnerId: string,
) => Promise<VerifiedAccount | undefined>;

export interface ModelOptions {
  readonly db: Db;
  readonly accessTokenSeconds: number;
  readonly clock: () => Date;
  readonly verifyAccount: VerifyAccount;
  /** The client of the request, whose secret was right; undefined when there is none. */
  readonly provenClient: Client | undefined;
}

interface RegisteredClient extends OAuth2Server.Client {
  readonly application: Application;
  readonly partnerId: string;
}

/** Who a token will act as, and for the password grant by which password. */
interface TokenUser {
  readonly userId: string;
  readonly passwordHash?: Secret;
}

type Model = OAuth2Server.ClientCredentialsModel & OAuth2Server.PasswordModel;

const FULL_SCOPE = ['read', 'write'];

/** What the library asks of the client, users, scopes and tokens in one request (RFC 6749, 3.3, 4.3 and 4.4). */
export function createOAuthModel({
  db,
  accessTokenSeconds,
  clock,
  verifyAccount,
  provenClient,
}: ModelOptions): Model {
  return {
    async getClient(): Promise<RegisteredClient | undefined> {
      return provenClient === undefined ? undefined : toRegisteredClient(provenClient);
    },

    async getUserFromClient({ application }: RegisteredClient): Promise<TokenUser> {
      return { userId: application.ownerUserId };
    },

    async getUser(
      username: string,
      password: string,
      { application, partnerId }: RegisteredClient,
    ): Promise<TokenUser | undefined> {
      const account = await verifyAccount(
        decodeFromLibrary(username),
        decodeFromLibrary(password),
        partnerId,
      );
      if (account?.orgId !== application.orgId) return undefined;
      if (account.passwordChangeRequired) {
        const end = account.initialPasswordExpiresAt;
        throw new OAuth2Server.InvalidGrantError(
          end !== null && end <= clock()
            ? 'The initial password has expired; an admin of the organization issues a new one, at /portal/users/.'
            : 'The initial password must be changed first, at /accounts/login/.',
        );
      }
      return { userId: account.userId, passwordHash: account.passwordHash };
    },

    /** What the application may do at most, or less when less is asked for; it is refused more. */
    async validateScope(_holder, client, scope?: string[]): Promise<string[] | undefined> {
      const most = (client as RegisteredClient).application.scope.split(' ');
      const asked = new Set(scope ?? most);
      if (!asked.has('read') || [...asked].some((word) => !most.includes(word))) return undefined;
      return most.filter((word) => asked.has(word));
    },

    async generateAccessToken(client): Promise<string> {
      return newAccessToken((client as RegisteredClient).application.orgId);
    },

    saveToken: (token: OAuth2Server.Token, client: RegisteredClient, user: TokenUser) =>
      storeToken(db, token, client, user, { createdAt: clock(), lifetimeSeconds: accessTokenSeconds }),

    /** Bearer tokens are checked in authenticate.ts, never through the library. */
    async getAccessToken(): Promise<undefined> {
      return undefined;
    },
  };
}

function toRegisteredClient({ application, partnerId, isSuspended }: Client): RegisteredClient {
  if (isSuspended) throw new OAuth2Server.UnauthorizedClientError('The organization is suspended.');
  const grants = [OAUTH_GRANT_OF[application.grantType]];
  return { id: application.clientId, grants, application, partnerId };
}

/** Stores the token without the refresh token that the library's password grant makes, and dates it by our clock. */
async function storeToken(
  db: Db,
  { accessToken, scope = FULL_SCOPE }: OAuth2Server.Token,
  client: RegisteredClient,
  user: TokenUser,
  { createdAt, lifetimeSeconds }: { readonly createdAt: Date; readonly lifetimeSeconds: number },
): Promise<OAuth2Server.Token> {
  const accessTokenExpiresAt = new Date(createdAt.getTime() + lifetimeSeconds * 1000);
  const token: NewAccessToken = {
    tokenHash: sha256Digest(accessToken),
    orgId: client.application.orgId,
    userId: user.userId,
    applicationId: client.application.id,
    grantType: user.passwordHash === undefined ? 'client-credentials' : 'password',
    scope: scope.join(' '),
    createdAt,
    expiresAt: accessTokenExpiresAt,
  };
  try {
    const { passwordHash } = user;
    if (passwordHash === undefined) await insertInBatches(db, token.applicationId, token);
    else await db.transaction().execute((tx) => insertPasswordGrantToken(tx, token, passwordHash));
  } catch (cause) {
    if (violatedConstraint(cause) !== 'access_tokens_application_fkey') throw cause;
    throw new OAuth2Server.InvalidClientError('The application has just been deleted.', { cause });
  }
  return { accessToken, accessTokenExpiresAt, scope, client, user };
}

/**
 * By application: the tokens of a batch refer to the same application and user, so that none waits for a lock that it would not
 * wait for alone.
 */
const insertInBatches = inBatches<NewAccessToken, true>({
  doTogether: async (db, tokens) => {
    await insertAccessTokens(db, tokens);
    return tokens.map(() => true);
  },
  doAlone: async (db, token) => {
    await insertAccessTokens(db, [token]);
    return true;
  },
});

/** A password that was changed meanwhile has ended what it opened, and opens nothing more. */
async function insertPasswordGrantToken(tx: Tx, token: NewAccessToken, passwordHash: Secret): Promise<void> {
  if (!(await lockUnchangedPassword(tx, token, passwordHash.reveal())))
    throw new OAuth2Server.InvalidGrantError('The password has just been changed.');
  await insertAccessTokens(tx, [token]);
}

/**
 * The library refuses text that mixes characters inside and outside of the basic plane (a password of letters and
 * an emoji), so names and passwords pass through it in base64.
 */
export function encodeForOAuthLibrary(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url');
}

function decodeFromLibrary(text: string): string {
  return Buffer.from(text, 'base64url').toString('utf8');
}
