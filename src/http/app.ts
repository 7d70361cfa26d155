import express from 'express';
import type { Express, Router } from 'express';
import { routes } from '../../generated/routes.ts';
import type { OperationId, Route } from '../../generated/routes.ts';
import { Problem } from '../domain/api/problem.ts';
import type { Log } from '../log/log.ts';
import { createDocumentRoutes } from './document-routes.ts';
import { createHealthRoutes } from './health.ts';
import type { HealthOptions } from './health.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { measureRequests } from './measure.ts';
import { methodNotAllowedProblem } from './methods.ts';
import { createOAuthHandler } from './oauth-routes.ts';
import type { OAuthEndpoint } from './oauth-routes.ts';
import { createOperationHandler } from './pipeline.ts';
import type { OperationHandler, PipelineOptions } from './pipeline.ts';
import { createProblemHandler } from './problems.ts';
import type { ProblemSettings } from './problems.ts';
import { assignRequestId, getRequestPath, getRequestId } from './request-id.ts';

export interface AppOptions extends PipelineOptions, HealthOptions {
  readonly baseUrl: string;
  readonly trustedProxies: readonly string[];
  readonly log: Log;
  readonly isUnavailable: (error: unknown) => boolean;
  readonly isOrganizationGone: (error: unknown) => boolean;
  /** Every operation but the OAuth ones. */
  readonly handlers: Readonly<Partial<Record<OperationId, OperationHandler>>>;
  readonly oauth: Readonly<Partial<Record<OperationId, OAuthEndpoint>>>;
  /** Pages for people: portal, reference, consent. */
  readonly pages: readonly Router[];
}

/** The whole HTTP surface. Routes come from the document; the order of paths puts fixed segments before parameters. */
export function createApp(parts: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').set('query parser', false);
  app.set('trust proxy', [...parts.trustedProxies]);
  app.use(assignRequestId, measureRequests(parts.registry, parts.log));
  app.use(createHealthRoutes(parts));
  for (const [path, list] of routesByPath()) {
    const expressPath = path.replace(/\/$/, '').replaceAll(/\{(\w+)\}/g, ':$1');
    for (const route of list) app[route.method](expressPath, requestHandler(route, parts));
    app.all(expressPath, (request) => {
      throw methodNotAllowedProblem(request.method, methodsOf(list));
    });
  }
  const count: express.RequestHandler = async (request, response, next) => {
    await parts.limiter.countByAddressUnlessCounted(response, request.ip);
    next();
  };
  app.use(count, createDocumentRoutes(parts.baseUrl), ...parts.pages);
  app.use((request) => {
    throw new Problem(
      'not_found',
      `There is nothing at ${getRequestPath(request)}; the reference is at ${parts.baseUrl}/docs.`,
    );
  });
  app.use(countFailure(parts.limiter), createProblemHandler(parts));
  return app;
}

/** What a process without the API answers. */
export function createHealthApp(parts: HealthOptions & ProblemSettings): Express {
  const app = express().disable('x-powered-by');
  app.use(assignRequestId, createHealthRoutes(parts));
  app.use((request) => {
    throw new Problem(
      'not_found',
      `There is nothing at ${getRequestPath(request)}; this process serves no API.`,
    );
  });
  return app.use(createProblemHandler(parts));
}

/** What fails before its caller is known (405, a path that cannot be decoded) counts by address too. */
function countFailure(limiter: RateLimiter): express.ErrorRequestHandler {
  return async (error: unknown, request, response, next) => {
    if (!response.headersSent) await limiter.countByAddressUnlessCounted(response, request.ip);
    next(error);
  };
}

function requestHandler(route: Route, parts: AppOptions): express.RequestHandler {
  const endpoint = parts.oauth[route.operationId];
  if (endpoint !== undefined) {
    return createOAuthHandler(route, endpoint, {
      ...parts,
      onError: (error, response) =>
        parts.log.error('Request failed.', { request_id: getRequestId(response), error }),
    });
  }
  const handler = parts.handlers[route.operationId];
  if (handler === undefined) throw new Error(`${route.operationId} has no handler.`);
  return createOperationHandler(route, handler, parts);
}

function routesByPath(): [string, Route[]][] {
  const byPath = Map.groupBy(routes, (route) => route.path);
  const rank = (path: string): string => path.replaceAll(/\{\w+\}/g, '~');
  return [...byPath].toSorted(([a], [b]) => (rank(a) < rank(b) ? -1 : 1));
}

function methodsOf(list: readonly Route[]): string[] {
  return list.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
}
