import express from 'express';
import type { Express, Router } from 'express';
import { routes } from '../../generated/routes.ts';
import type { OperationId, Route } from '../../generated/routes.ts';
import { Problem } from '../domain/api/problem.ts';
import type { Log } from '../log/log.ts';
import { documentRoutes } from './document-routes.ts';
import { healthRoutes } from './health.ts';
import type { HealthParts } from './health.ts';
import type { RateLimiter } from './limits.ts';
import { measureRequests } from './measure.ts';
import { methodNotAllowed } from './methods.ts';
import { oauthRoute } from './oauth-routes.ts';
import type { OAuthEndpoint } from './oauth-routes.ts';
import { pipeline } from './pipeline.ts';
import type { AnyHandler, PipelineParts } from './pipeline.ts';
import { problemWriter } from './problems.ts';
import type { ProblemSettings } from './problems.ts';
import { assignRequestId, pathOf, requestIdOf } from './request-id.ts';

export interface AppParts extends PipelineParts, HealthParts {
  readonly baseUrl: string;
  readonly trustedProxies: readonly string[];
  readonly log: Log;
  readonly isUnavailable: (error: unknown) => boolean;
  readonly isOrganizationGone: (error: unknown) => boolean;
  /** Every operation but the OAuth ones. */
  readonly handlers: Readonly<Partial<Record<OperationId, AnyHandler>>>;
  readonly oauth: Readonly<Partial<Record<OperationId, OAuthEndpoint>>>;
  /** Pages for people: portal, reference, consent. */
  readonly pages: readonly Router[];
}

/** The whole HTTP surface. Routes come from the document; the order of paths puts fixed segments before parameters. */
export function createApp(parts: AppParts): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').set('query parser', false);
  app.set('trust proxy', [...parts.trustedProxies]);
  app.use(assignRequestId, measureRequests(parts.registry, parts.log));
  app.use(healthRoutes(parts));
  for (const [path, list] of routesByPath()) {
    const expressPath = path.replace(/\/$/, '').replaceAll(/\{(\w+)\}/g, ':$1');
    for (const route of list) app[route.method](expressPath, requestHandler(route, parts));
    app.all(expressPath, (request) => {
      throw methodNotAllowed(request.method, methodsOf(list));
    });
  }
  const count: express.RequestHandler = async (request, response, next) => {
    await parts.limiter.spendUnlessCounted(response, request.ip);
    next();
  };
  app.use(count, documentRoutes(parts.baseUrl), ...parts.pages);
  app.use((request) => {
    throw new Problem(
      'not_found',
      `There is nothing at ${pathOf(request)}; the reference is at ${parts.baseUrl}/docs.`,
    );
  });
  app.use(countFailure(parts.limiter), problemWriter(parts));
  return app;
}

/** What a process without the API answers. */
export function createHealthApp(parts: HealthParts & ProblemSettings): Express {
  const app = express().disable('x-powered-by');
  app.use(assignRequestId, healthRoutes(parts));
  app.use((request) => {
    throw new Problem('not_found', `There is nothing at ${pathOf(request)}; this process serves no API.`);
  });
  return app.use(problemWriter(parts));
}

/** What fails before its caller is known (405, a path that cannot be decoded) counts by address too. */
function countFailure(limiter: RateLimiter): express.ErrorRequestHandler {
  return async (error: unknown, request, response, next) => {
    if (!response.headersSent) await limiter.spendUnlessCounted(response, request.ip);
    next(error);
  };
}

function requestHandler(route: Route, parts: AppParts): express.RequestHandler {
  const endpoint = parts.oauth[route.operationId];
  if (endpoint !== undefined) {
    return oauthRoute(route, endpoint, {
      ...parts,
      onError: (error, response) =>
        parts.log.error('Request failed.', { request_id: requestIdOf(response), error }),
    });
  }
  const handler = parts.handlers[route.operationId];
  if (handler === undefined) throw new Error(`${route.operationId} has no handler.`);
  return pipeline(route, handler, parts);
}

function routesByPath(): [string, Route[]][] {
  const byPath = Map.groupBy(routes, (route) => route.path);
  const rank = (path: string): string => path.replaceAll(/\{\w+\}/g, '~');
  return [...byPath].toSorted(([a], [b]) => (rank(a) < rank(b) ? -1 : 1));
}

function methodsOf(list: readonly Route[]): string[] {
  return list.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
}
