import type { RequestHandler } from 'express';
import { ROUTES } from '../../generated/routes.ts';
import type { OAuthOperationId, Route } from '../../generated/routes.ts';
import { addressSubject } from '../domain/security/quota-subjects.ts';
import type { Log } from '../log/log.ts';
import type { CrossOrigin } from './cross-origin.ts';
import { createBytesOperationHandler, isBytesOperation } from './bytes-handler.ts';
import { announceDeprecation } from './deprecation-headers.ts';
import { methodNotAllowedProblem } from './methods.ts';
import { createOAuthHandler } from './oauth-routes.ts';
import type { OAuthEndpoint } from './oauth-routes.ts';
import { createOpenOperationHandler, createSecuredOperationHandler } from './operation-handler.ts';
import type { OperationOptions } from './operation-handler.ts';
import { PathMatcher } from './path-matcher.ts';
import type { ProvenClients } from './proven-clients.ts';
import type { RefusalDelay } from './refusal-delay.ts';
import { getRequestId } from './request-id.ts';
import { takeOnRoute, toRouteLabel } from './route-label.ts';

export interface ApiRoutesOptions extends OperationOptions {
  readonly log: Log;
  /** The operations; those of the document unless others are given. */
  readonly routes?: readonly Route[] | undefined;
  readonly isUnavailable: (error: unknown) => boolean;
  readonly oauth: Readonly<Record<OAuthOperationId, OAuthEndpoint>>;
  readonly refusalDelay: RefusalDelay;
  readonly provenClients: ProvenClients;
  /** Whose scripts may read answers of operations with a token, and of those that need none. */
  readonly crossOrigin: CrossOrigin;
  /** A username as the database compares it. */
  readonly normaliseUsername: (username: string) => Promise<string>;
}

/** What can be done at a path. */
interface PathTarget {
  readonly handlers: ReadonlyMap<string, RequestHandler>;
  /** Whether it takes the secrets of clients. */
  readonly isForClients: boolean;
}

/**
 * The operations of the document. Their paths are found by their segments: a route of Express each would compare the path
 * with one pattern after the other. Methods that a path does not know are 405 with `Allow`.
 */
export function createApiRoutes(options: ApiRoutesOptions): RequestHandler {
  const matcher = new PathMatcher<PathTarget>();
  for (const [path, routes] of Map.groupBy(options.routes ?? ROUTES, (route) => route.path)) {
    const isForClients = routes.every(isOfClients);
    matcher.add(path, { handlers: createHandlers(routes, options), isForClients });
  }
  return (request, response, next) => {
    const match = matcher.find(request.path);
    if (match === undefined) {
      next();
      return;
    }
    const { handlers, isForClients } = match.target;
    request.params = match.parameters;
    const handle = handlers.get(request.method);
    if (!isForClients && request.method !== 'OPTIONS') options.crossOrigin.allow(request, response);
    if (handle === undefined) throw methodNotAllowedProblem(request.method, [...handlers.keys()]);
    return handle(request, response, next);
  };
}

/** By method, `HEAD` like `GET`. */
function createHandlers(routes: readonly Route[], options: ApiRoutesOptions): Map<string, RequestHandler> {
  const handlers = new Map<string, RequestHandler>();
  for (const route of routes) {
    const handle = announceDeprecation(route, createRouteHandler(route, options));
    handlers.set(route.method.toUpperCase(), handle);
    if (route.method === 'get') handlers.set('HEAD', handle);
  }
  handlers.set('OPTIONS', createOptionsHandler(routes, [...handlers.keys(), 'OPTIONS'], options));
  return handlers;
}

/** What the path can do; counted by address, since a preflight has no token. */
function createOptionsHandler(
  routes: readonly Route[],
  methods: readonly string[],
  { limiter, crossOrigin }: ApiRoutesOptions,
): RequestHandler {
  const isForClients = routes.every(isOfClients);
  return async (request, response) => {
    await limiter.countUnlessCounted(response, addressSubject(request.ip));
    if (isForClients) response.status(204).set('Allow', methods.join(', ')).end();
    else crossOrigin.answerOptions(request, response, methods);
  };
}

/** Operations that take the secret of a client are no business of scripts in pages. */
const isOfClients = ({ access }: Route): boolean => access === 'client';

function createRouteHandler(route: Route, options: ApiRoutesOptions): RequestHandler {
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
