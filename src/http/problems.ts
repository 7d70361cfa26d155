import type { ErrorRequestHandler, Response } from 'express';
import { problems } from '../../generated/problems.ts';
import type { ProblemCode } from '../../generated/problems.ts';
import { Problem } from '../domain/api/problem.ts';
import type { Log } from '../log/log.ts';
import { pathOf, requestIdOf } from './request-id.ts';

const QUOTA_TYPE = 'https://iana.org/assignments/http-problem-types#quota-exceeded';
const RETRY_UNAVAILABLE_SECONDS = '5';

export interface ProblemSettings {
  readonly baseUrl: string;
  readonly log: Log;
  /** True for an error that says that the database cannot be reached now. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** True for a write into an organization that was removed while the request was under way. */
  readonly isOrganizationGone: (error: unknown) => boolean;
}

/** The one place that turns what was thrown into an answer. */
export function problemWriter(settings: ProblemSettings): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const problem = toProblem(error, settings);
    const { status, title } = problems[problem.code];
    if (status >= 500) {
      settings.log.error('Request failed.', {
        request_id: requestIdOf(response),
        path: pathOf(request),
        error,
      });
    }
    if (response.headersSent) {
      // The body has begun: only a broken connection can tell the client that it is not whole.
      next(error);
      return;
    }
    response.set(problem.headers);
    sendJson(response, status, 'application/problem+json', {
      type:
        problem.code === 'quota_exceeded' ? QUOTA_TYPE : `${settings.baseUrl}/docs/errors/${problem.code}`,
      title,
      status,
      detail: problem.message,
      instance: pathOf(request),
      code: problem.code,
      request_id: requestIdOf(response),
      errors: problem.errors,
    });
  };
}

function toProblem(error: unknown, settings: ProblemSettings): Problem {
  if (error instanceof Problem) return error;
  if (settings.isUnavailable(error)) {
    return catalogued('service_unavailable', error, { 'Retry-After': RETRY_UNAVAILABLE_SECONDS });
  }
  if (settings.isOrganizationGone(error)) return catalogued('organization_forbidden', error);
  const reader = bodyReaderProblem(error);
  return reader ?? catalogued('internal_error', error);
}

/** Errors of the body reader and of the router's percent decoding carry a `type` or a status. */
function bodyReaderProblem(error: unknown): Problem | undefined {
  if (error instanceof URIError) return catalogued('malformed_request', error);
  if (!(error instanceof Error) || !('type' in error)) return undefined;
  switch (error.type) {
    case 'entity.too.large':
      return catalogued('payload_too_large', error);
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return catalogued('unsupported_media_type', error);
    case 'request.aborted':
    case 'request.size.invalid':
      return catalogued('malformed_request', error);
    default:
      return undefined;
  }
}

function catalogued(code: ProblemCode, cause: unknown, headers: Record<string, string> = {}): Problem {
  return new Problem(code, problems[code].detail, { cause, headers });
}

export function sendJson(response: Response, status: number, type: string, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.statusCode = status;
  response.setHeader('Content-Type', `${type}; charset=utf-8`);
  response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}
