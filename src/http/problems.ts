import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { PROBLEMS } from '../../generated/problems.ts';
import type { ProblemCode } from '../../generated/problems.ts';
import { prefersPage } from '../contract/accepted-type.ts';
import { isRefusal } from '../domain/api/overlong-computation.ts';
import { Problem } from '../domain/api/problem.ts';
import type { FieldError } from '../domain/api/problem.ts';
import type { Log } from '../log/log.ts';
import { isGivenUp, isTooLate } from './given-up.ts';
import { toProblemDocument } from './problem-document.ts';
import { getLoggedPath, getRequestPath, getRequestId } from './request-id.ts';
import { addVary } from './vary.ts';

const RETRY_UNAVAILABLE_SECONDS = '5';

export interface ProblemSettings {
  readonly baseUrl: string;
  readonly log: Log;
  /** True for an error that says that the database cannot be reached now. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** True for a write into an organization that was removed during the request. */
  readonly isOrganizationGone: (error: unknown) => boolean;
  /** Answers with a page for people; without it every error is a problem. */
  readonly sendErrorPage?: ((response: Response, page: ErrorPage) => void) | undefined;
}

/** What a page tells of an error. */
export interface ErrorPage {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string;
}

/**
 * Answers every error of the API as a problem (RFC 9457): a Problem with its own code, an unreachable database with 503,
 * everything else with 500 and no detail. Answers of 500 and above are logged, but for refusals. It is the last handler:
 * behind it Express would print to standard error what is not a line of the log.
 */
export function createProblemHandler(settings: ProblemSettings): ErrorRequestHandler {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- Express knows handlers of errors by their four parameters
  return (error: unknown, request, response, _next) => {
    if (isTooLate(error, response)) return;
    try {
      answerError(error, request, response, settings);
    } catch (failure) {
      logFailure(failure, request, response, settings.log);
      response.destroy();
    }
  };
}

/**
 * What goes wrong with an answer outside of its handler, such as a write behind its end, is logged, and ends the connection where the
 * answer has not left it whole: without a listener Node.js ends the process.
 */
export function createAnswerGuard(log: Log): RequestHandler {
  return (request, response, next) => {
    response.on('error', (error) => {
      logFailure(error, request, response, log);
      response.destroy();
    });
    next();
  };
}

function answerError(error: unknown, request: Request, response: Response, settings: ProblemSettings): void {
  const problem = toProblem(error, settings);
  // Who is refused for being too many does not fill the log; an answer that is cut off is a line of it.
  if (PROBLEMS[problem.code].status >= 500 && (response.headersSent || !isRefusal(problem)))
    logFailure(error, request, response, settings.log);
  if (!response.headersSent) {
    if (settings.sendErrorPage !== undefined && wantsPage(request))
      sendProblemPage(response, problem, settings.sendErrorPage);
    else sendProblem(request, response, problem, settings.baseUrl);
  }
  // The body has begun: only a broken connection shows the client that it is incomplete.
  else if (!response.writableEnded && !isGivenUp(response)) response.destroy();
}

function logFailure(error: unknown, request: Request, response: Response, log: Log): void {
  log.error('Request failed.', {
    request_id: getRequestId(response),
    path: getLoggedPath(request),
    error,
  });
}

/** Whether a person asks: a browser, at an address that belongs to no operation. */
function wantsPage(request: Request): boolean {
  if (request.path.startsWith('/api/') || request.path.startsWith('/.well-known/')) return false;
  return prefersPage(request);
}

function sendProblemPage(
  response: Response,
  { code, message: detail, headers }: Problem,
  sendErrorPage: NonNullable<ProblemSettings['sendErrorPage']>,
): void {
  const { status, title } = PROBLEMS[code];
  response.locals['problemCode'] = code;
  response.set(headers);
  addVary(response, 'Accept');
  sendErrorPage(response, { status, title, detail, requestId: getRequestId(response) });
}

/** Answers a request with a problem (RFC 9457). */
export function sendProblem(request: Request, response: Response, problem: Problem, baseUrl: string): void {
  const { code, message: detail, errors, areErrorsTruncated } = problem;
  response.locals['problemCode'] = code;
  response.locals['fieldErrors'] = errors;
  response.set(problem.headers);
  const document = toProblemDocument({
    baseUrl,
    code,
    detail,
    instance: getRequestPath(request),
    requestId: getRequestId(response),
    errors,
    areErrorsTruncated,
  });
  sendJson(response, document.status, 'application/problem+json', document);
}

/** The code of the problem that was sent; undefined for other answers, such as pages. */
export function getProblemCode(response: Response): ProblemCode | undefined {
  return response.locals['problemCode'] as ProblemCode | undefined;
}

/** Remembers the code of an error of OAuth (RFC 6749, 5.2); any other body has none. */
export function setOAuthError(response: Response, body: object | undefined): void {
  response.locals['oauthError'] = body !== undefined && 'error' in body ? body.error : undefined;
}

export function getOAuthError(response: Response): string | undefined {
  return response.locals['oauthError'] as string | undefined;
}

/** What it said of fields. */
export function getFieldErrors(response: Response): readonly FieldError[] | undefined {
  return response.locals['fieldErrors'] as readonly FieldError[] | undefined;
}

function toProblem(error: unknown, settings: ProblemSettings): Problem {
  if (error instanceof Problem) return error;
  if (settings.isUnavailable(error)) {
    return problemFromCatalogue('database_unavailable', error, { 'Retry-After': RETRY_UNAVAILABLE_SECONDS });
  }
  if (settings.isOrganizationGone(error)) return problemFromCatalogue('organization_forbidden', error);
  const reader = findBodyReaderProblem(error);
  return reader ?? problemFromCatalogue('internal_error', error);
}

/** Errors of the body reader and of the router's percent decoding carry a `type` or a status. */
function findBodyReaderProblem(error: unknown): Problem | undefined {
  if (error instanceof URIError) return problemFromCatalogue('malformed_request', error);
  if (!(error instanceof Error) || !('type' in error)) return undefined;
  switch (error.type) {
    case 'request.aborted':
    case 'request.size.invalid':
      return problemFromCatalogue('malformed_request', error);
    default:
      return undefined;
  }
}

function problemFromCatalogue(
  code: ProblemCode,
  cause: unknown,
  headers: Record<string, string> = {},
): Problem {
  return new Problem(code, PROBLEMS[code].detail, { cause, headers });
}

/** Sends a JSON body in UTF-8 with its length: as text, so that head and body are one write. */
export function sendJson(response: Response, status: number, type: string, body: unknown): void {
  sendJsonText(response, status, type, JSON.stringify(body));
}

/** The same with a body that is JSON already. */
export function sendJsonText(response: Response, status: number, type: string, text: string): void {
  setJsonHead(response, status, type, Buffer.byteLength(text));
  response.end(text);
}

/** The same with a body that was written elsewhere. */
export function sendJsonBytes(response: Response, status: number, type: string, bytes: Uint8Array): void {
  setJsonHead(response, status, type, bytes.length);
  response.end(bytes);
}

/** The head alone, without the length, which only the body would tell. */
export function sendJsonHead(response: Response, status: number, type: string): void {
  setJsonType(response, status, type);
  response.end();
}

function setJsonHead(response: Response, status: number, type: string, length: number): void {
  setJsonType(response, status, type);
  response.setHeader('Content-Length', length);
}

function setJsonType(response: Response, status: number, type: string): void {
  response.statusCode = status;
  response.setHeader('Content-Type', `${type}; charset=utf-8`);
}
