import express from 'express';
import type { Express, Request, Response, Router } from 'express';
import { ROUTES } from '../../generated/routes.ts';
import type { OAuthOperationId, Route } from '../../generated/routes.ts';
import { Problem } from '../domain/api/problem.ts';
import type { Log } from '../log/log.ts';
import { createBytesOperationHandler, isBytesOperation } from './bytes-handler.ts';
import { createDocumentRoutes } from './document-routes.ts';
import { createHealthRoutes } from './health.ts';
import type { HealthOptions } from './health.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { createRequestMeasurement } from './measure.ts';
import { methodNotAllowedProblem } from './methods.ts';
import { createOAuthHandler } from './oauth-routes.ts';
import type { OAuthEndpoint } from './oauth-routes.ts';
import { createOpenOperationHandler, createSecuredOperationHandler } from './operation-handler.ts';
import type { OperationOptions } from './operation-handler.ts';
import { createOpenBodyGuard } from './open-bodies.ts';
import type { OpenBodyLimits } from './open-bodies.ts';
import { createProblemHandler, sendProblem } from './problems.ts';
import type { ProblemSettings } from './problems.ts';
import { checkRequestBounds } from './request-bounds.ts';
import { assignRequestId, getRequestPath, getRequestId } from './request-id.ts';
import { createSecurityHeaders } from './security-headers.ts';

export interface AppOptions extends OperationOptions, HealthOptions {
  readonly baseUrl: string;
  readonly trustedProxies: readonly string[];
  readonly log: Log;
  readonly isUnavailable: (error: unknown) => boolean;
  readonly isOrganizationGone: (error: unknown) => boolean;
  readonly openBodyLimits?: OpenBodyLimits;
  /** Runs the handling of a request within its time for the database; `isAnswering` tells when the answer has begun. */
  readonly runInRequestScope: (isAnswering: () => boolean, handle: () => void) => void;
  readonly oauth: Readonly<Record<OAuthOperationId, OAuthEndpoint>>;
  /** A username as the database compares it. */
  readonly normaliseUsername: (username: string) => Promise<string>;
  /** Pages for people: portal, reference, consent. */
  readonly pages: readonly Router[];
}

/**
 * The API, the pages, the document and the health checks as one Express app. The routes come from the document, ordered so
 * that a fixed segment of a path comes before a parameter. Unknown paths are 404, unknown methods 405 with `Allow`.
 */
export function createApiApp(options: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').set('query parser', false);
  app.set('trust proxy', [...options.trustedProxies]);
  app.use(assignRequestId, createRequestMeasurement(options.registry, options.log));
  app.use(createSecurityHeaders(options.baseUrl));
  app.use(checkRequestBounds, createOpenBodyGuard(sendTimeout(options.baseUrl), options.openBodyLimits));
  const count: express.RequestHandler = async (request, response, next) => {
    await options.limiter.countByAddressUnlessCounted(response, request.ip);
    next();
  };
  app.use(createHealthRoutes(options, count));
  app.use((_request, response, next) => options.runInRequestScope(() => response.headersSent, next));
  for (const [path, list] of routesByPath()) {
    const expressPath = path.replace(/\/$/, '').replaceAll(/\{(\w+)\}/g, ':$1');
    for (const route of list) app[route.method](expressPath, createRouteHandler(route, options));
    app.all(expressPath, (request) => {
      throw methodNotAllowedProblem(request.method, methodsOf(list));
    });
  }
  app.use(count, createDocumentRoutes(options.baseUrl), ...options.pages);
  app.use((request) => {
    throw new Problem(
      'not_found',
      `There is nothing at ${getRequestPath(request)}; the reference is at ${options.baseUrl}/docs.`,
    );
  });
  app.use(countFailure(options.limiter), createProblemHandler(options));
  return app;
}

/** The Express app of a port without the API: health checks and metrics; everything else is 404. */
export function createHealthApp(options: HealthOptions & ProblemSettings): Express {
  const app = express().disable('x-powered-by');
  app.use(assignRequestId, createSecurityHeaders(options.baseUrl), createHealthRoutes(options));
  app.use((request) => {
    throw new Problem(
      'not_found',
      `There is nothing at ${getRequestPath(request)}; this port serves no API.`,
    );
  });
  return app.use(createProblemHandler(options));
}

function sendTimeout(baseUrl: string) {
  return (request: Request, response: Response): void => {
    const detail = 'The rest of the body did not arrive in time.';
    const headers = { Connection: 'close' };
    sendProblem(request, response, new Problem('request_timeout', detail, { headers }), baseUrl);
  };
}

/** A request that fails before its caller is known (405, a path that cannot be decoded) is counted by address too. */
function countFailure(limiter: RateLimiter): express.ErrorRequestHandler {
  return async (error: unknown, request, response, next) => {
    if (!response.headersSent) await limiter.countByAddressUnlessCounted(response, request.ip);
    next(error);
  };
}

function createRouteHandler(route: Route, options: AppOptions): express.RequestHandler {
  switch (route.access) {
    case 'token':
      return isBytesOperation(route.operationId)
        ? createBytesOperationHandler(route.operationId, route, options)
        : createSecuredOperationHandler(route.operationId, route, options);
    case 'none':
      return createOpenOperationHandler(route.operationId, route, options);
    case 'client':
      return createOAuthHandler(route, options.oauth[route.operationId], {
        ...options,
        onError: (error, response) =>
          options.log.error('Request failed.', { request_id: getRequestId(response), error }),
      });
  }
}

function routesByPath(): [string, Route[]][] {
  const byPath = Map.groupBy(ROUTES, (route) => route.path);
  const rank = (path: string): string => path.replaceAll(/\{\w+\}/g, '~');
  return [...byPath].toSorted(([a], [b]) => (rank(a) < rank(b) ? -1 : 1));
}

function methodsOf(list: readonly Route[]): string[] {
  return list.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
}
