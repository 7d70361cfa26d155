import type { RequestHandler } from 'express';
import type { Route } from '../../generated/routes.ts';

const MS_PER_SECOND = 1000;

/**
 * Tells with every answer of a deprecated operation, errors included, since when it is deprecated (RFC 9745) and from when on it
 * may be gone (RFC 8594).
 */
export function announceDeprecation({ deprecation }: Route, handle: RequestHandler): RequestHandler {
  if (deprecation === null) return handle;
  const headers = {
    Deprecation: `@${Date.parse(deprecation.since) / MS_PER_SECOND}`,
    Sunset: new Date(deprecation.sunset).toUTCString(),
  };
  return (request, response, next) => {
    response.set(headers);
    return handle(request, response, next);
  };
}
