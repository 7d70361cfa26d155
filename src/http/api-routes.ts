import type { RequestHandler } from 'express';
import { ROUTES } from '../../generated/routes.ts';
import type { OAuthOperationId, Route } from '../../generated/routes.ts';
import type { Log } from '../log/log.ts';
import { createBytesOperationHandler, isBytesOperation } from './bytes-handler.ts';
import { methodNotAllowedProblem } from './methods.ts';
import { createOAuthHandler } from './oauth-routes.ts';
import type { OAuthEndpoint } from './oauth-routes.ts';
import { createOpenOperationHandler, createSecuredOperationHandler } from './operation-handler.ts';
import type { OperationOptions } from './operation-handler.ts';
import { PathMatcher } from './path-matcher.ts';
import { ProvenClients } from './proven-clients.ts';
import type { RefusalDelay } from './refusal-delay.ts';
import { getRequestId } from './request-id.ts';
import { takeOnRoute, toRouteLabel } from './route-label.ts';

export interface ApiRoutesOptions extends OperationOptions {
  readonly log: Log;
  readonly isUnavailable: (error: unknown) => boolean;
  readonly oauth: Readonly<Record<OAuthOperationId, OAuthEndpoint>>;
  readonly refusalDelay: RefusalDelay;
  /** A username as the database compares it. */
  readonly normaliseUsername: (username: string) => Promise<string>;
}

interface HandlerOptions extends ApiRoutesOptions {
  readonly provenClients: ProvenClients;
}

/**
 * The operations of the document. Their paths are found by their segments: a route of Express each would compare the path
 * with one pattern after the other. Methods that a path does not know are 405 with `Allow`.
 */
export function createApiRoutes(options: ApiRoutesOptions): RequestHandler {
  const matcher = new PathMatcher<ReadonlyMap<string, RequestHandler>>();
  const handlerOptions = { ...options, provenClients: new ProvenClients() };
  for (const [path, routes] of Map.groupBy(ROUTES, (route) => route.path)) {
    matcher.add(path, createHandlers(routes, handlerOptions));
  }
  return (request, response, next) => {
    const match = matcher.find(request.path);
    if (match === undefined) {
      next();
      return;
    }
    const handlers = match.target;
    request.params = match.parameters;
    const handle = handlers.get(request.method);
    if (handle === undefined) throw methodNotAllowedProblem(request.method, [...handlers.keys()]);
    return handle(request, response, next);
  };
}

/** By method, `HEAD` like `GET`. */
function createHandlers(routes: readonly Route[], options: HandlerOptions): Map<string, RequestHandler> {
  const handlers = new Map<string, RequestHandler>();
  for (const route of routes) {
    const handle = createRouteHandler(route, options);
    handlers.set(route.method.toUpperCase(), handle);
    if (route.method === 'get') handlers.set('HEAD', handle);
  }
  return handlers;
}

function createRouteHandler(route: Route, options: HandlerOptions): RequestHandler {
  switch (route.access) {
    case 'token':
      return isBytesOperation(route.operationId)
        ? createBytesOperationHandler(route.operationId, route, options)
        : createSecuredOperationHandler(route.operationId, route, options);
    case 'none':
      return takingOn(route, createOpenOperationHandler(route.operationId, route, options));
    case 'client':
      return takingOn(
        route,
        createOAuthHandler(route, options.oauth[route.operationId], {
          ...options,
          onError: (error, response) =>
            options.log.error('Request failed.', { request_id: getRequestId(response), error }),
        }),
      );
  }
}

/** Requests that need no token are the route's at once; those that need one are once their caller is known. */
function takingOn(route: Route, handle: RequestHandler): RequestHandler {
  const label = toRouteLabel(route);
  return (request, response, next) => {
    takeOnRoute(request, label);
    return handle(request, response, next);
  };
}
