import type { NextFunction, Request, Response } from 'express';
import type { PortalOptions, PortalResponse } from './context.ts';
import { PROBLEMS } from '../../generated/problems.ts';
import { isRefusal } from '../domain/api/overlong-computation.ts';
import { Problem } from '../domain/api/problem.ts';
import { setSecurityHeaders } from '../html/headers.ts';
import { sendMessage } from '../html/messages.ts';

interface ErrorText {
  readonly heading: string;
  readonly text: string;
}

/**
 * Answers errors of the portal with a page: a problem with its own status and sentence, 503 without a database or when too much
 * is asked at once, the status of what the body parser refuses (4xx), and 500 for everything else, which is logged.
 */
export function createErrorPageHandler({ log, isUnavailable }: Pick<PortalOptions, 'log' | 'isUnavailable'>) {
  return (error: unknown, _request: Request, response: PortalResponse, next: NextFunction): void => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const requestId = response.get('X-Request-Id');
    if (error instanceof Problem) response.set(error.headers);
    const status = isUnavailable(error) ? 503 : toStatus(error);
    if (status >= 500 && !isRefusal(error))
      log.error('Portal page failed.', { request_id: requestId, error });
    sendMessage(response, status, { ...describeError(error, status, response), requestId });
  };
}

/** Answers a browser with a page in place of a problem; `detail` is the problem's. */
export function sendErrorPage(
  response: Response,
  {
    status,
    title,
    detail,
    requestId,
  }: Readonly<Record<'title' | 'detail' | 'requestId', string>> & { readonly status: number },
): void {
  setSecurityHeaders(response.req, response, () => {
    sendMessage(response, status, { heading: title, text: detail, requestId });
  });
}

function describeError(error: unknown, status: number, response: PortalResponse): ErrorText {
  if (status === 429) {
    const seconds = response.get('Retry-After') ?? '60';
    const text = `Your organization has sent too many requests. Try again in ${seconds} seconds.`;
    return { heading: 'Too many requests', text };
  }
  if (status >= 500) {
    const heading = status === 503 ? 'Not available just now' : 'Something went wrong';
    return { heading, text: describeOutcome(error, response.req.method) };
  }
  if (error instanceof Problem) return { heading: PROBLEMS[error.code].title, text: error.message };
  return { heading: 'Form not readable', text: 'It is too large or damaged, and nothing was changed.' };
}

/** Whether anything was changed: not known where an answer of the database was lost, as that to the end of a transaction may be. */
function describeOutcome(error: unknown, method: string): string {
  // It may be the page behind a form that has changed something.
  if (method === 'GET' || method === 'HEAD') return 'Try again in a moment.';
  if (error instanceof Problem) return 'Nothing was changed. Try again in a moment.';
  return 'What you sent may or may not have been done: look before you send it again.';
}

function toStatus(error: unknown): number {
  if (error instanceof Problem) return PROBLEMS[error.code].status;
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : 500;
}
