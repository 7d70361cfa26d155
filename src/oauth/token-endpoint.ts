import OAuth2Server from '@node-oauth/oauth2-server';
import { sha256Digest } from '../domain/security/credentials.ts';
import { OAUTH_GRANTS } from '../domain/security/grant-types.ts';
import { deleteAccessToken } from '../queries/accounts/access-tokens.ts';
import {
  authenticateClient,
  findPresentedSecret,
  parseClientCredentials,
  toFound,
} from './client-credentials.ts';
import type { ClientCredentials, ProvenClient } from './client-credentials.ts';
import type { SecretUse } from '../queries/accounts/application-secrets.ts';
import type { Db } from '../queries/connection/database.ts';
import type { FoundCredential } from '../shares/credential-memory.ts';
import { parseOAuthParameters, toOAuthErrorReply, toOAuthSuccessReply } from './exchange.ts';
import type { OAuthReply, OAuthRequest, OAuthParameters } from './exchange.ts';
import { createOAuthModel, encodeForOAuthLibrary } from './model.ts';
import type { VerifyAccount } from './model.ts';

export interface TokenEndpointOptions {
  readonly db: Db;
  readonly settings: { readonly accessTokenSeconds: number };
  readonly clock: () => Date;
  /** Of the grant `password`. */
  readonly verifyAccount: VerifyAccount;
  /** Of this process's authenticator: a revoked token ends here at once, elsewhere within a second. */
  readonly invalidateCachedToken?: (tokenDigest: string) => void;
  /** Of this process's authenticator: whose the token is that has just been issued. */
  readonly rememberIssued?: (tokenDigest: string, issued: FoundCredential) => void;
  /** Hears of each secret that was right, and whether no use of it was known. */
  readonly onSecretUsed?: (use: SecretUse, isFirst: boolean) => void;
}

export interface TokenEndpoint {
  /** RFC 6749, 3.2: the grants client_credentials and password, without refresh tokens. */
  issue(request: OAuthRequest): Promise<OAuthReply>;
  /** RFC 7009: 200 also for a token that is unknown or another application's, which stays valid. */
  revoke(request: OAuthRequest): Promise<OAuthReply>;
}

/**
 * The token and revocation endpoints. Every mistake of a client is answered in the form of RFC 6749, 5.2; what they throw
 * (the database cannot be reached) is an error of the server.
 */
export function createTokenEndpoint(options: TokenEndpointOptions): TokenEndpoint {
  const { db, settings, clock, verifyAccount, invalidateCachedToken, rememberIssued } = options;
  const { accessTokenSeconds } = settings;

  async function issue(request: OAuthRequest): Promise<OAuthReply> {
    const parameters = parseOAuthParameters(request.body);
    const credentials = parseClientCredentials(request.authorization, parameters);
    const provenClient = await proveClient(options, credentials, request.onClientProven);
    const server = new OAuth2Server({
      model: createOAuthModel({ db, accessTokenSeconds, clock, verifyAccount, provenClient }),
      accessTokenLifetime: accessTokenSeconds,
    });
    const token = await server
      .token(libraryRequest(credentials, parameters), new OAuth2Server.Response())
      .catch((error: unknown) => {
        throw toUnsupportedGrantError(error, parameters);
      });
    if (provenClient !== undefined) {
      const { partnerId, application } = provenClient;
      const endsWith = [String(token.user['userId']), application.id, application.ownerUserId];
      const issued = { partnerId, endsWith, leftMs: accessTokenSeconds * 1_000 };
      rememberIssued?.(sha256Digest(token.accessToken).toString('hex'), issued);
    }
    return toOAuthSuccessReply({
      access_token: token.accessToken,
      expires_in: accessTokenSeconds,
      token_type: 'Bearer',
      scope: (token.scope ?? []).join(' '),
    });
  }

  async function revoke(request: OAuthRequest): Promise<OAuthReply> {
    const parameters = parseOAuthParameters(request.body);
    const credentials = parseClientCredentials(request.authorization, parameters);
    const client = await proveClient(options, credentials, request.onClientProven);
    if (client === undefined) {
      throw new OAuth2Server.InvalidClientError('The client is unknown or its secret is wrong.');
    }
    const token = parameters.get('token');
    if (token === undefined) throw new OAuth2Server.InvalidRequestError('The parameter token is missing.');
    const tokenHash = sha256Digest(token);
    await deleteAccessToken(db, tokenHash, client.application);
    invalidateCachedToken?.(tokenHash.toString('hex'));
    return toOAuthSuccessReply(undefined);
  }

  return {
    issue: (request) => issue(request).catch(toOAuthErrorReply),
    revoke: (request) => revoke(request).catch(toOAuthErrorReply),
  };
}

/** The client of the credentials; undefined when they are wrong. */
async function proveClient(
  { db, clock, onSecretUsed }: TokenEndpointOptions,
  credentials: ClientCredentials,
  onClientProven: OAuthRequest['onClientProven'],
): Promise<ProvenClient | undefined> {
  const now = clock();
  const client = await authenticateClient(db, credentials, now);
  if (client === undefined) return undefined;
  const { orgId, id: applicationId } = client.application;
  const isFirst = findPresentedSecret(client)?.lastUsedAt === null;
  onSecretUsed?.({ orgId, applicationId, secretHash: client.presentedHash, usedAt: now }, isFirst);
  await onClientProven?.(toFound(client, now));
  return client;
}

/**
 * The library takes forms only and reads Basic without form-decoding, so it always gets a form with the credentials
 * in it, and of the parameters only those of our grants (a code_verifier would free it from asking for the secret).
 */
function libraryRequest(credentials: ClientCredentials, parameters: OAuthParameters): OAuth2Server.Request {
  const username = parameters.get('username');
  const password = parameters.get('password');
  return new OAuth2Server.Request({
    method: 'POST',
    query: {},
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' },
    body: {
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
      grant_type: parameters.get('grant_type'),
      scope: parameters.get('scope'),
      username: username && encodeForOAuthLibrary(username),
      password: password && encodeForOAuthLibrary(password),
    },
  });
}

/** The library knows grants that this server has not: to it they are only not this client's. */
function toUnsupportedGrantError(error: unknown, parameters: OAuthParameters): unknown {
  if (!(error instanceof OAuth2Server.UnauthorizedClientError)) return error;
  const asked = parameters.get('grant_type');
  if (OAUTH_GRANTS.some((grant) => grant === asked)) return error;
  return new OAuth2Server.UnsupportedGrantTypeError(`Only ${OAUTH_GRANTS.join(' and ')} are supported.`);
}
