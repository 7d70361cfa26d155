import type { Dispatcher } from 'undici';
import type { AttemptOutcome } from '../domain/notifications/retry.ts';
import { codeOf } from './destination.ts';

/** Of a response body at most this much is read, and nothing of it is kept. */
const bodyBytes = 4 * 1024;

export interface Sent {
  /** Settles with the response's headers, or with the failure before them. */
  readonly outcome: Promise<AttemptOutcome>;
  /** Resolves when the exchange uses its connection no more: true when the answer came whole. */
  readonly ended: Promise<boolean>;
}

/**
 * One POST. The status alone decides. A short body is read so that the connection can serve again; one
 * that is longer, or not over when `signal` aborts, costs the connection. Nothing is decompressed.
 */
export function send(
  connection: Dispatcher,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  signal: AbortSignal,
): Sent {
  const outcome = Promise.withResolvers<AttemptOutcome>();
  const ended = Promise.withResolvers<boolean>();
  let bytes = 0;
  connection.dispatch(
    { method: 'POST', path, headers: { ...headers }, body },
    {
      onRequestStart(controller) {
        const abort = (): void => controller.abort(new Error('The deadline has passed.'));
        if (signal.aborted) abort();
        else signal.addEventListener('abort', abort, { once: true });
      },
      onResponseStart(_controller, status, responseHeaders) {
        if (status >= 200) outcome.resolve(answered(status, responseHeaders['retry-after']));
      },
      onResponseData(controller, chunk) {
        bytes += chunk.length;
        if (bytes > bodyBytes) controller.abort(new Error('The response body is too long.'));
      },
      onResponseEnd() {
        ended.resolve(true);
      },
      onResponseError(_controller, error) {
        outcome.resolve(broken(error));
        ended.resolve(false);
      },
    },
  );
  return { outcome: outcome.promise, ended: ended.promise };
}

function answered(status: number, retryAfter: string | string[] | undefined): AttemptOutcome {
  if (status < 300) return { kind: 'delivered', status };
  if (status < 400) return { kind: 'redirected', status };
  return { kind: 'rejected', status, retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter };
}

function broken(error: Error): AttemptOutcome {
  const code = codeOf(error);
  if (isCertificateError(error, code)) {
    const reason = `The TLS handshake failed or the certificate is not valid (${code}).`;
    return { kind: 'unreachable', class: 'tls', reason };
  }
  const reason = /^(HPE_|UND_ERR_HEADERS_OVERFLOW)/.test(code)
    ? `The endpoint's answer is not valid HTTP (${code}).`
    : `The connection to the endpoint failed (${code}).`;
  return { kind: 'unreachable', class: 'connect', reason };
}

/** Node's certificate verdicts are OpenSSL's X509_V_ERR names and its own ERR_TLS_ codes. */
function isCertificateError(error: Error, code: string): boolean {
  return (
    /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|EPROTO|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH)/.test(
      code,
    ) || /before secure TLS connection/.test(error.message)
  );
}
