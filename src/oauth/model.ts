import OAuth2Server from '@node-oauth/oauth2-server';
import { sha256Digest, newAccessToken } from '../domain/security/credentials.ts';
import { OAUTH_GRANT_OF } from '../domain/security/grant-types.ts';
import { insertAccessToken } from '../queries/accounts/access-tokens.ts';
import type { Application } from '../queries/accounts/applications.ts';
import { violatedConstraint } from '../queries/connection/database.ts';
import type { Db } from '../queries/connection/database.ts';
import { authenticateClient } from './client-credentials.ts';

/** The account of a username and a password that belong together; undefined otherwise. */
export type VerifyAccount = (
  username: string,
  password: string,
) => Promise<
  { readonly orgId: string; readonly userId: string; readonly passwordChangeRequired: boolean } | undefined
>;

export interface ModelOptions {
  readonly db: Db;
  readonly accessTokenSeconds: number;
  readonly clock: () => Date;
  readonly verifyAccount: VerifyAccount;
}

interface RegisteredClient extends OAuth2Server.Client {
  readonly application: Application;
}

/** Who a token will act as. */
interface TokenUser {
  readonly userId: string;
}

type Model = OAuth2Server.ClientCredentialsModel & OAuth2Server.PasswordModel;

const FULL_SCOPE = ['read', 'write'];

/** What the library asks of clients, users, scopes and tokens, answered from the database (RFC 6749, 3.3, 4.3 and 4.4). */
export function createOAuthModel({ db, accessTokenSeconds, clock, verifyAccount }: ModelOptions): Model {
  return {
    async getClient(clientId: string, clientSecret: string): Promise<RegisteredClient | undefined> {
      const application = await authenticateClient(db, { clientId, clientSecret });
      return application && { id: clientId, grants: [OAUTH_GRANT_OF[application.grantType]], application };
    },

    async getUserFromClient({ application }: RegisteredClient): Promise<TokenUser> {
      return { userId: application.ownerUserId };
    },

    async getUser(
      username: string,
      password: string,
      { application }: RegisteredClient,
    ): Promise<TokenUser | undefined> {
      const account = await verifyAccount(decodeFromLibrary(username), decodeFromLibrary(password));
      if (account?.orgId !== application.orgId) return undefined;
      if (account.passwordChangeRequired) {
        throw new OAuth2Server.InvalidGrantError(
          'The initial password must be changed first, at /accounts/login/.',
        );
      }
      return { userId: account.userId };
    },

    async validateScope(_holder, _client, scope?: string[]): Promise<string[] | undefined> {
      const asked = new Set(scope ?? FULL_SCOPE);
      if (!asked.has('read') || [...asked].some((word) => !FULL_SCOPE.includes(word))) return undefined;
      return FULL_SCOPE.filter((word) => asked.has(word));
    },

    async generateAccessToken(): Promise<string> {
      return newAccessToken();
    },

    saveToken: (token: OAuth2Server.Token, client: RegisteredClient, user: TokenUser) =>
      storeToken(db, token, client, user, { createdAt: clock(), lifetimeSeconds: accessTokenSeconds }),

    /** Bearer tokens are checked in authenticate.ts, never through the library. */
    async getAccessToken(): Promise<undefined> {
      return undefined;
    },
  };
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
  try {
    await insertAccessToken(db, {
      tokenHash: sha256Digest(accessToken),
      orgId: client.application.orgId,
      userId: user.userId,
      applicationId: client.application.id,
      scope: scope.join(' '),
      createdAt,
      expiresAt: accessTokenExpiresAt,
    });
  } catch (cause) {
    if (violatedConstraint(cause) !== 'access_tokens_application_fkey') throw cause;
    throw new OAuth2Server.InvalidClientError('The application has just been deleted.', { cause });
  }
  return { accessToken, accessTokenExpiresAt, scope, client, user };
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
