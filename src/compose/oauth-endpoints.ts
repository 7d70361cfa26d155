import type { createAccountVerifier } from '../accounts/sign-in.ts';
import type { AppOptions } from '../http/app.ts';
import type { Authenticator } from '../oauth/authenticate.ts';
import type { SecretUseWriter } from './secret-uses.ts';
import { createTokenEndpoint } from '../oauth/token-endpoint.ts';
import type { Db } from '../queries/connection/database.ts';

/** Ten hours, as the document says is typical. */
const ACCESS_TOKEN_SECONDS = 36_000;

interface EndpointOptions {
  readonly db: Db;
  readonly clock: () => Date;
  readonly secretUses?: SecretUseWriter;
}

/** The token endpoint at both of its addresses, and that of revocation. */
export function createOAuthEndpoints(
  { db, clock, secretUses }: EndpointOptions,
  authenticator: Authenticator,
  verifyAccount: ReturnType<typeof createAccountVerifier>,
): AppOptions['oauth'] {
  const tokens = createTokenEndpoint({
    db,
    clock,
    verifyAccount: (username, password, partnerId) => verifyAccount(username, password, { partnerId }),
    invalidateCachedToken: (token) => authenticator.invalidateCachedToken(token),
    rememberIssued: (token, issued) => authenticator.rememberIssued(token, issued),
    onSecretUsed: (use, isFirst) => secretUses?.add(use, isFirst),
    settings: { accessTokenSeconds: ACCESS_TOKEN_SECONDS },
  });
  return {
    issueToken: (request) => tokens.issue(request),
    issueTokenAtRoot: (request) => tokens.issue(request),
    revokeToken: (request) => tokens.revoke(request),
  };
}
