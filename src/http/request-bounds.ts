import type { Request, RequestHandler } from 'express';
import { Problem } from '../domain/api/problem.ts';
import { methodNotAllowedProblem } from './methods.ts';
import { isWithoutPath } from './request-target.ts';

/** RFC 9110, 4.1 recommends 8,000 octets at least. */
export const MAX_URL_BYTES = 8_192;
/** Names and values of the query together need no more; a list of filters is given once, not a hundred times. */
export const MAX_QUERY_PARAMETERS = 100;
export const MAX_HEADER_FIELDS = 100;

/** RFC 9110, 10.1.1 knows no other expectation. */
const CONTINUE_PATTERN = /^100-continue$/i;

/**
 * Refuses what is larger than any request needs, or asks for what the service never does, before anything else is done with
 * it: each check costs no more than the bytes that have come.
 * @throws Problem uri_too_long (414), header_too_large (431), malformed_request (400), expectation_failed (417),
 * method_not_allowed (405).
 */
export const checkRequestBounds: RequestHandler = (request, _response, next) => {
  const { originalUrl: url, rawHeaders } = request;
  if (isWithoutPath(request)) {
    const detail =
      'The target of the request is neither a path that begins with /, without # and white space, nor a URL.';
    throw new Problem('malformed_request', detail, { headers: { Connection: 'close' } });
  }
  if (url.length > MAX_URL_BYTES) {
    throw new Problem('uri_too_long', `The address has more than ${MAX_URL_BYTES} bytes.`, {
      headers: { Connection: 'close' },
    });
  }
  // Names and values take turns.
  if (rawHeaders.length > 2 * MAX_HEADER_FIELDS) {
    throw new Problem('header_too_large', `The request has more than ${MAX_HEADER_FIELDS} header fields.`, {
      headers: { Connection: 'close' },
    });
  }
  checkProtocol(request);
  const query = url.indexOf('?');
  if (query !== -1 && countParameters(url, query) > MAX_QUERY_PARAMETERS)
    throw new Problem('malformed_request', `The query has more than ${MAX_QUERY_PARAMETERS} parameters.`);
  next();
};

/** Requests of HTTP/1.0 need no Host, and their expectations do not count. */
function checkProtocol({ method, httpVersion, headers, rawHeaders }: Request): void {
  // Two programs on the way may each believe another one (RFC 9112, 3.2).
  if (countHosts(rawHeaders) > 1) {
    throw new Problem('malformed_request', 'A request may have one header Host.', {
      headers: { Connection: 'close' },
    });
  }
  if (httpVersion === '1.1' && headers.host === undefined) {
    throw new Problem('malformed_request', 'A request of HTTP/1.1 needs the header Host.', {
      headers: { Connection: 'close' },
    });
  }
  if (httpVersion === '1.1' && headers.expect !== undefined && !CONTINUE_PATTERN.test(headers.expect)) {
    throw new Problem('expectation_failed', 'No other expectation than 100-continue can be met.', {
      headers: { Connection: 'close' },
    });
  }
  if (method === 'CONNECT') throw methodNotAllowedProblem(method, []);
}

/** `rawHeaders` has names and values by turns. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (/^host$/i.test(rawHeaders[i] ?? '')) count += 1;
  return count;
}

function countParameters(url: string, query: number): number {
  let count = 1;
  for (let at = url.indexOf('&', query); at !== -1; at = url.indexOf('&', at + 1)) count += 1;
  return count;
}
