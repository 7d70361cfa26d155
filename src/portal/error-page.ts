import type { NextFunction, Request } from 'express';
import type { PortalOptions, PortalResponse } from './context.ts';
import { Problem } from '../domain/api/problem.ts';
import { sendMessage } from '../html/messages.ts';

/**
 * Answers errors of the portal with a page: 503 without a database or when too much is asked at once, the status of what the body parser refuses (4xx),
 * and 500 for everything else, which is logged.
 */
export function createErrorPageHandler({ log, isUnavailable }: Pick<PortalOptions, 'log' | 'isUnavailable'>) {
  return (error: unknown, _request: Request, response: PortalResponse, next: NextFunction): void => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const requestId = response.get('X-Request-Id');
    const isOverloaded = error instanceof Problem && error.code === 'overloaded';
    if (isOverloaded) response.set(error.headers);
    const status = isOverloaded || isUnavailable(error) ? 503 : toStatus(error);
    if (status >= 500 && !isOverloaded) log.error('Portal page failed.', { request_id: requestId, error });
    const heading =
      status === 503
        ? 'Not available just now'
        : status === 500
          ? 'Something went wrong'
          : 'Form not readable';
    const text =
      status >= 500 ? 'Nothing may have been changed. Try again in a moment.' : 'Open the form again.';
    const reference = requestId === undefined ? '' : ` Reference for support: ${requestId}.`;
    sendMessage(response, status, { heading, text: `${text}${reference}` });
  };
}

function toStatus(error: unknown): number {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : 500;
}
