import type { IncomingMessage, RequestListener } from 'node:http';
import express from 'express';
import type { Request, Response, Router } from 'express';
import { Problem } from '../domain/api/problem.ts';
import { addressSubject, toCountedAddress } from '../domain/security/quota-subjects.ts';
import type { QuotaSubject } from '../domain/security/quota-subjects.ts';
import { createApiRoutes } from './api-routes.ts';
import type { ApiRoutesOptions } from './api-routes.ts';
import { createDocumentRoutes } from './document-routes.ts';
import { createHealthRoutes } from './health.ts';
import type { HealthOptions } from './health.ts';
import { createRequestMeasurement } from './measure.ts';
import { isRefusalOfCaller } from './refusal-delay.ts';
import type { RefusalDelay } from './refusal-delay.ts';
import { createOpenBodyGuard } from './open-bodies.ts';
import type { OpenBodyLimits, OpenBodyOptions } from './open-bodies.ts';
import { createAnswerGuard, createProblemHandler, sendProblem } from './problems.ts';
import type { ProblemSettings } from './problems.ts';
import { checkRequestBounds } from './request-bounds.ts';
import type { RequestLog } from './request-log.ts';
import { assignRequestId, getRequestPath } from './request-id.ts';
import { listenTo } from './request-target.ts';
import { createSecurityHeaders } from './security-headers.ts';
import type { FindAddress } from './trusted-proxies.ts';

export interface AppOptions extends ApiRoutesOptions, HealthOptions {
  readonly baseUrl: string;
  /** The address of a request, by which it is counted: `request.ip` everywhere. */
  readonly findAddress: FindAddress;
  readonly isOrganizationGone: (error: unknown) => boolean;
  readonly sendErrorPage?: ProblemSettings['sendErrorPage'];
  /** Whether this process has seen the request's token, session or client. */
  readonly isPartner: (request: IncomingMessage) => boolean;
  /** The session of the request's cookie, if this process has seen it. */
  readonly findSession: (request: IncomingMessage) => QuotaSubject | undefined;
  readonly openBodyLimits?: OpenBodyLimits | undefined;
  /** What requests of the API leave for the developers of their partners. */
  readonly requestLog: RequestLog;
  /**
   * Runs the handling of a request within its time for the database, and by turns of its address as long as no more is known of the
   * caller; `isAnswering` tells when the answer has begun.
   */
  readonly runInRequestScope: (
    isAnswering: () => boolean,
    handle: () => void,
    addressOf: () => string,
  ) => void;
  /** Pages for people: portal, reference, consent. */
  readonly pages: readonly Router[];
}

/**
 * The API, the pages, the document and the health checks as one Express app. The routes come from the document. Unknown
 * paths are 404, unknown methods 405 with `Allow`.
 */
export function createApiApp(options: AppOptions): RequestListener {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').set('query parser', false);
  setAddressFinder(app, options.findAddress);
  app.use(assignRequestId, createAnswerGuard(options.log), createRequestMeasurement(options));
  app.use(createSecurityHeaders(options.baseUrl));
  app.use(checkRequestBounds, createOpenBodyGuard(openBodyOptions(options)));
  const countUnlessCounted = createCounting(options);
  const count: express.RequestHandler = async (request, response, next) => {
    await countUnlessCounted(request, response);
    next();
  };
  app.use(createHealthRoutes(options, count));
  app.use((request, response, next) => {
    const addressOf = (): string => toCountedAddress(request.ip);
    options.runInRequestScope(() => response.headersSent, next, addressOf);
  });
  app.use(createApiRoutes(options));
  app.use(count, createDocumentRoutes(options.baseUrl, options.crossOrigin), ...options.pages);
  app.use((request) => {
    throw new Problem(
      'not_found',
      `There is nothing at ${getRequestPath(request)}; the reference is at ${options.baseUrl}/docs.`,
    );
  });
  app.use(
    countFailure(countUnlessCounted),
    slowDownStrangers(options.refusalDelay),
    options.crossOrigin.forRefusals,
    createProblemHandler(options),
  );
  return listenTo(app);
}

/**
 * Makes `request.ip` what the turns of callers go by. Express would find another one, anew at each reading; and believes nobody's
 * X-Forwarded-Proto and -Host either, since all links come from the base URL.
 */
function setAddressFinder(app: express.Express, findAddress: FindAddress): void {
  Object.defineProperty(app.request, 'ip', {
    get(this: Request) {
      return findAddress(this);
    },
  });
}

/** The Express app of a port without the API: health checks and metrics; everything else is 404. */
export function createHealthApp(options: HealthOptions & ProblemSettings): RequestListener {
  const app = express().disable('x-powered-by');
  app.use(assignRequestId, createAnswerGuard(options.log), createSecurityHeaders(options.baseUrl));
  app.use(checkRequestBounds);
  app.use(createHealthRoutes(options));
  app.use((request) => {
    throw new Problem(
      'not_found',
      `There is nothing at ${getRequestPath(request)}; this port serves no API.`,
    );
  });
  return listenTo(app.use(createProblemHandler(options)));
}

function openBodyOptions({ baseUrl, isPartner, openBodyLimits }: AppOptions): OpenBodyOptions {
  const sendTimeout = (request: Request, response: Response): void => {
    const detail = 'The rest of the body did not arrive in time.';
    const headers = { Connection: 'close' };
    sendProblem(request, response, new Problem('request_timeout', detail, { headers }), baseUrl);
  };
  return { sendTimeout, isPartner, limits: openBodyLimits };
}

type Count = (request: Request, response: Response) => Promise<void>;

/**
 * Counts a request without a token by its session, as one with a token by that: what others at the address have used up is not the
 * person's. A session of which this process knows nothing is looked up behind this, so its request is its address's.
 */
function createCounting({ limiter, findSession }: Pick<AppOptions, 'limiter' | 'findSession'>): Count {
  return (request, response) =>
    limiter.countUnlessCounted(response, findSession(request) ?? addressSubject(request.ip));
}

/** A request that fails before its caller is known (405, a path that cannot be decoded) is counted too. */
function countFailure(countUnlessCounted: Count): express.ErrorRequestHandler {
  return async (error: unknown, request, response, next) => {
    if (!response.headersSent) await countUnlessCounted(request, response);
    next(error);
  };
}

function slowDownStrangers(delay: RefusalDelay): express.ErrorRequestHandler {
  return async (error: unknown, request, response, next) => {
    if (!response.headersSent && isRefusalOfCaller(error)) await delay.wait(request, response);
    next(error);
  };
}
