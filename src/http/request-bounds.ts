import type { RequestHandler } from 'express';
import { Problem } from '../domain/api/problem.ts';

/** RFC 9110, 4.1 recommends 8,000 octets at least. */
export const MAX_URL_BYTES = 8_192;
/** Names and values of the query together need no more; a list of filters is given once, not a hundred times. */
export const MAX_QUERY_PARAMETERS = 100;
export const MAX_HEADER_FIELDS = 100;

/**
 * Refuses what is larger than any request needs, before anything else is done with it: each check costs no more than
 * the bytes that have come.
 * @throws Problem uri_too_long (414), header_too_large (431), malformed_request (400).
 */
export const checkRequestBounds: RequestHandler = (request, _response, next) => {
  const { originalUrl: url, rawHeaders } = request;
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
  const query = url.indexOf('?');
  if (query !== -1 && countParameters(url, query) > MAX_QUERY_PARAMETERS)
    throw new Problem('malformed_request', `The query has more than ${MAX_QUERY_PARAMETERS} parameters.`);
  next();
};

function countParameters(url: string, query: number): number {
  let count = 1;
  for (let at = url.indexOf('&', query); at !== -1; at = url.indexOf('&', at + 1)) count += 1;
  return count;
}
