import type { AttemptOutcome } from '../domain/notifications/retry.ts';
import { EndlessAnswer } from './answer-bounds.ts';
import type { Connection } from './connections.ts';
import { errorCodeOf } from './destination.ts';
import type { ResolvedMessage } from './destination.ts';

/** At most this much of a response body is read, and nothing of it is kept. */
const MAX_BODY_BYTES = 4 * 1024;
/** RFC 9110, 15.2 allows several; each is a call of ours that costs its sender 25 bytes, and the parser counts none of them. */
const MAX_INTERIM_RESPONSES = 8;
const TOO_MANY_INTERIM_RESPONSES: AttemptOutcome = {
  kind: 'unreachable',
  class: 'connect',
  reason: `The endpoint sent more than ${MAX_INTERIM_RESPONSES} interim responses (1xx) before its answer.`,
};

export interface HttpExchange {
  /** Resolves when the response's headers have come, or the exchange has failed before them. */
  readonly outcome: Promise<AttemptOutcome>;
  /** Resolves when the exchange no longer uses its connection: true when the whole response was read. */
  readonly ended: Promise<boolean>;
}

/**
 * Last stage of an attempt: one POST over an open connection. The status alone decides the outcome. A short response
 * body is read, so that the connection can be used again; one that is longer costs the connection. Nothing is decompressed.
 * To end it early, close the connection. Neither promise rejects.
 */
export function startHttpExchange(
  { client }: Connection,
  { destination, headers, body }: ResolvedMessage,
): HttpExchange {
  const outcome = Promise.withResolvers<AttemptOutcome>();
  const ended = Promise.withResolvers<boolean>();
  let bytes = 0;
  let interimResponses = 0;
  client.dispatch(
    { method: 'POST', path: destination.pathname + destination.search, headers: { ...headers }, body },
    {
      // undici asks for it.
      onRequestStart: () => undefined,
      onResponseStart(controller, status, responseHeaders) {
        if (status >= 200) outcome.resolve(classifyStatus(status, responseHeaders['retry-after']));
        else if (++interimResponses > MAX_INTERIM_RESPONSES) {
          outcome.resolve(TOO_MANY_INTERIM_RESPONSES);
          controller.abort(new Error('The endpoint sent too many interim responses.'));
        }
      },
      onResponseData(controller, chunk) {
        bytes += chunk.length;
        if (bytes > MAX_BODY_BYTES) controller.abort(new Error('The response body is too long.'));
      },
      onResponseEnd() {
        ended.resolve(true);
      },
      onResponseError(_controller, error) {
        outcome.resolve(classifyError(error));
        ended.resolve(false);
      },
    },
  );
  return { outcome: outcome.promise, ended: ended.promise };
}

function classifyStatus(status: number, retryAfter: string | string[] | undefined): AttemptOutcome {
  if (status < 300) return { kind: 'delivered', status };
  if (status < 400) return { kind: 'redirected', status };
  return { kind: 'rejected', status, retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter };
}

function classifyError(error: Error): AttemptOutcome {
  if (error instanceof EndlessAnswer) return { kind: 'unreachable', class: 'connect', reason: error.message };
  const code = errorCodeOf(error);
  if (isCertificateError(error, code)) {
    const reason = `The TLS handshake failed or the certificate is not valid (${code}).`;
    return { kind: 'unreachable', class: 'tls', reason };
  }
  const isNotHttp =
    error.name === 'HTTPParserError' || /^(UND_ERR_HEADERS_OVERFLOW|ERR_ASSERTION)$/.test(code);
  const reason = isNotHttp
    ? `The endpoint's answer is not valid HTTP (${code}).`
    : `The connection to the endpoint failed (${code}).`;
  return { kind: 'unreachable', class: 'connect', reason };
}

/** Node's certificate errors have the names of OpenSSL's X509_V_ERR codes, or ERR_TLS_ codes of Node's own. */
function isCertificateError(error: Error, code: string): boolean {
  return (
    /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|EPROTO|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH)/.test(
      code,
    ) || /before secure TLS connection/.test(error.message)
  );
}
