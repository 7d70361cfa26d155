/** What a token may do (RFC 6749, 3.3): read and write, or read alone. Also what an application's tokens may do at most. */
export const TOKEN_SCOPES = ['read write', 'read'] as const;

export type TokenScope = (typeof TOKEN_SCOPES)[number];
