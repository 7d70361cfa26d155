import { OAUTH_GRANTS } from '../domain/security/grant-types.ts';
import type { components } from '../../generated/openapi.ts';

/** Authorization server metadata (RFC 8414), from the server's base address without a trailing slash. */
export function buildAuthorizationServerMetadata(
  baseUrl: string,
): components['schemas']['AuthorizationServerMetadata'] {
  const authMethods = ['client_secret_basic', 'client_secret_post'];
  return {
    issuer: baseUrl,
    token_endpoint: `${baseUrl}/oauth2/token/`,
    token_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint: `${baseUrl}/oauth2/revoke_token/`,
    revocation_endpoint_auth_methods_supported: authMethods,
    grant_types_supported: [...OAUTH_GRANTS],
    // There is no authorization endpoint.
    response_types_supported: [],
    scopes_supported: ['read', 'write'],
    service_documentation: `${baseUrl}/docs`,
  };
}
