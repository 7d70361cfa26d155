/** The grant that an application may use, with the name of that grant in OAuth 2.0 (RFC 6749, 4.3 and 4.4). */
export const OAUTH_GRANT_OF = {
  'client-credentials': 'client_credentials',
  password: 'password',
} as const;

export type GrantType = keyof typeof OAUTH_GRANT_OF;
export type OAuthGrant = (typeof OAUTH_GRANT_OF)[GrantType];

/** Every grant type that an application may be registered with. */
export const GRANT_TYPES: readonly GrantType[] = ['client-credentials', 'password'];

/** The grants that the token endpoint supports, as OAuth names them. */
export const OAUTH_GRANTS: readonly OAuthGrant[] = GRANT_TYPES.map((type) => OAUTH_GRANT_OF[type]);
