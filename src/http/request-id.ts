import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';

const REQUEST_ID_PATTERN = /^[A-Za-z0-9._-]{8,128}$/;

/** Gives every request an id: the client's own where it is well formed, else a new one; answers carry it too. */
export const assignRequestId: RequestHandler = (request, response, next) => {
  const offered = request.get('x-request-id');
  const id = offered !== undefined && REQUEST_ID_PATTERN.test(offered) ? offered : randomUUID();
  response.locals['requestId'] = id;
  response.setHeader('X-Request-Id', id);
  next();
};

/** The id that assignRequestId has given to this request. */
export function getRequestId(response: Response): string {
  return String(response.locals['requestId']);
}

const MAX_LOGGED_CHARACTERS = 200;

/** The beginning of the path, for a line of the log: whoever asks for long ones must not fill it. */
export function getLoggedPath(request: Request): string {
  const path = getRequestPath(request);
  return path.length > MAX_LOGGED_CHARACTERS ? `${path.slice(0, MAX_LOGGED_CHARACTERS)}…` : path;
}

/** The path as it was asked for, without the query, which may contain a signed secret. */
export function getRequestPath(request: Request): string {
  return request.originalUrl.split('?', 1)[0] ?? '/';
}
