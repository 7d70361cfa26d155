import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { getRequestPath } from './request-id.ts';
import { addVary } from './vary.ts';

/** How long a browser goes by the answer to its preflight. */
const PREFLIGHT_SECONDS = 600;
/** What callers may send beside what browsers allow anyway; it is all that operations read. */
const REQUEST_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id';
/** What scripts may read of an answer beside what browsers show anyway. */
const ANSWER_HEADERS =
  'Deprecation, ETag, Idempotent-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id';

/** Below it is what scripts may call with a token. */
const API = '/api/partners/';

/** What can be done with a file that is the same for everybody. */
export const FILE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Lets scripts of some origins read answers (Fetch standard, 3.2). Never with credentials: a call from a page is one with a
 * token, and cookies of the portal count for no operation.
 */
export class CrossOrigin {
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /** Says what the origin of the request may read; nothing where no origin may. */
  allow(request: Request, response: Response): void {
    if (this.#origins.size === 0) return;
    addVary(response, 'Origin');
    const origin = request.get('origin');
    if (origin === undefined || !this.#origins.has(origin)) return;
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', ANSWER_HEADERS);
  }

  /** Answers `OPTIONS` with the methods of the path: 204, also to a preflight of an origin that may not. */
  answerOptions(request: Request, response: Response, methods: readonly string[]): void {
    this.allow(request, response);
    response.setHeader('Allow', methods.join(', '));
    const isPreflight = request.get('access-control-request-method') !== undefined;
    if (isPreflight && response.hasHeader('Access-Control-Allow-Origin')) {
      response.setHeader('Access-Control-Allow-Methods', methods.join(', '));
      response.setHeader('Access-Control-Allow-Headers', REQUEST_HEADERS);
      response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
    }
    response.status(204).end();
  }

  /** The same for a request that is refused before its operation is known: a script has to see why, and when it may come again. */
  readonly forRefusals: ErrorRequestHandler = (error: unknown, request, response, next) => {
    const isSaid = response.hasHeader('Access-Control-Allow-Origin');
    if (!response.headersSent && !isSaid && getRequestPath(request).startsWith(API))
      this.allow(request, response);
    next(error);
  };

  /** The same for files that are the same for everybody. */
  readonly forFiles: RequestHandler = (request, response, next) => {
    if (request.method === 'OPTIONS') {
      this.answerOptions(request, response, FILE_METHODS);
      return;
    }
    this.allow(request, response);
    next();
  };
}
