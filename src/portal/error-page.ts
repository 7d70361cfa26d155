import type { NextFunction, Request } from 'express';
import { isUnavailable } from '../queries/connection/database.ts';
import type { PortalLog, PortalResponse } from './context.ts';
import { sendMessage } from './pages.ts';

/** Errors of these pages are told as pages. What the body parser refuses is the sender's; all else is ours. */
export function createErrorPageHandler({ log }: { readonly log: PortalLog }) {
  return (error: unknown, _request: Request, response: PortalResponse, next: NextFunction): void => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const requestId = response.get('X-Request-Id');
    const status = statusOf(error);
    if (status >= 500) log.error('Portal page failed.', { request_id: requestId, error });
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

function statusOf(error: unknown): number {
  if (isUnavailable(error)) return 503;
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : 500;
}
