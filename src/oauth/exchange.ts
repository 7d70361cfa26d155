import OAuth2Server from '@node-oauth/oauth2-server';
import type { FoundCredential } from '../shares/credential-memory.ts';

/** A request to an OAuth endpoint, its body parsed from JSON or from a form; undefined for an empty body. */
export interface OAuthRequest {
  readonly authorization: string | undefined;
  readonly body: unknown;
  /** Called with whose the client's secret is when it was right, before anything else is done; what it throws ends the request. */
  readonly onClientProven?: (client: FoundCredential) => Promise<void>;
}

export interface OAuthReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where the answer has no body. */
  readonly body: Readonly<Record<string, string | number>> | undefined;
}

/** The parameters that were sent with a value: one sent empty counts as omitted (RFC 6749, 3.2). */
export type OAuthParameters = ReadonlyMap<string, string>;

/** RFC 6749, 5.1 asks for both, wherever a token or a credential passes. */
const NO_STORE_HEADERS = { 'Cache-Control': 'no-store', Pragma: 'no-cache' } as const;

const BASIC_CHALLENGE = 'Basic realm="partners"';

/**
 * The parameters of a body; a parameter that was sent twice is an array.
 * @throws InvalidRequestError for a body that is not an object of strings.
 */
export function parseOAuthParameters(body: unknown): OAuthParameters {
  if (body === undefined) return new Map();
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new OAuth2Server.InvalidRequestError('The body must be an object of string parameters.');
  }
  const parameters = new Map<string, string>();
  for (const [name, value] of Object.entries(body)) {
    if (typeof value !== 'string') {
      throw new OAuth2Server.InvalidRequestError(
        'Every parameter must be a string and must not be repeated.',
      );
    }
    if (value !== '') parameters.set(name, value);
  }
  return parameters;
}

/** The answer 200 with this body, which no cache may keep (RFC 6749, 5.1; RFC 7009, 2.2). */
export function toOAuthSuccessReply(body: OAuthReply['body']): OAuthReply {
  return { status: 200, headers: NO_STORE_HEADERS, body };
}

/**
 * The answer to an error of the library's vocabulary (RFC 6749, 5.2). Whatever else is thrown is an error
 * of the server and is thrown on, without the library's wrapping.
 */
export function toOAuthErrorReply(error: unknown): OAuthReply {
  if (!(error instanceof OAuth2Server.OAuthError)) throw error;
  if (error instanceof OAuth2Server.ServerError || error instanceof OAuth2Server.InvalidArgumentError) {
    throw 'inner' in error && error.inner instanceof Error ? error.inner : error;
  }
  const body = { error: error.name, error_description: error.message };
  if (!(error instanceof OAuth2Server.InvalidClientError))
    return { status: 400, headers: NO_STORE_HEADERS, body };
  // RFC 9110, 15.5.2: a 401 always names a scheme.
  return { status: 401, headers: { ...NO_STORE_HEADERS, 'WWW-Authenticate': BASIC_CHALLENGE }, body };
}
