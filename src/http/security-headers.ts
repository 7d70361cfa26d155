import type { RequestHandler } from 'express';
import { CACHE_CONTROL } from './cache-control.ts';

const YEAR_SECONDS = 31_536_000;

/**
 * The headers of every answer: caches keep nothing unless a handler says otherwise, browsers do not guess another type (Fetch, 3.5), and ask for `https` alone where the service
 * has such an address (RFC 6797). Pages add theirs.
 */
export function createSecurityHeaders(baseUrl: string): RequestHandler {
  const isSecure = baseUrl.startsWith('https:');
  return (_request, response, next) => {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', CACHE_CONTROL.NOTHING);
    if (isSecure) response.setHeader('Strict-Transport-Security', `max-age=${YEAR_SECONDS}`);
    next();
  };
}
