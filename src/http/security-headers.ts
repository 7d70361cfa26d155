import type { RequestHandler } from 'express';
import { CACHE_CONTROL } from './cache-control.ts';

const YEAR_SECONDS = 31_536_000;

type Header = readonly [name: string, value: string];

/**
 * The headers of every answer: caches keep nothing unless a handler says otherwise, browsers do not guess another type (Fetch,
 * 3.5), and ask for `https` alone where the service has such an address (RFC 6797). Pages add theirs.
 */
export function listSecurityHeaders(baseUrl: string): readonly Header[] {
  const headers: Header[] = [
    ['X-Content-Type-Options', 'nosniff'],
    ['Cache-Control', CACHE_CONTROL.NOTHING],
  ];
  if (baseUrl.startsWith('https:')) headers.push(['Strict-Transport-Security', `max-age=${YEAR_SECONDS}`]);
  return headers;
}

/** Sets them before a handler runs. */
export function createSecurityHeaders(baseUrl: string): RequestHandler {
  const headers = listSecurityHeaders(baseUrl);
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}
