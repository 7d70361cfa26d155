import type { NextFunction, Request, Response } from 'express';
import type { PortalOptions, PortalResponse } from './context.ts';
import { Problem } from '../domain/api/problem.ts';
import { setSecurityHeaders } from '../html/headers.ts';
import { sendMessage } from '../html/messages.ts';

/** The status of the problems that say that a request comes too soon: they have `Retry-After`, and nothing went wrong. */
const REFUSALS: Readonly<Partial<Record<Problem['code'], number>>> = { overloaded: 503, quota_exceeded: 429 };

const HEADINGS: Readonly<Partial<Record<number, string>>> = {
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Not available just now',
};

/**
 * Answers errors of the portal with a page: 429 beyond the partner's quota, 503 without a database or when too much is asked at
 * once, the status of what the body parser refuses (4xx), and 500 for everything else, which is logged.
 */
export function createErrorPageHandler({ log, isUnavailable }: Pick<PortalOptions, 'log' | 'isUnavailable'>) {
  return (error: unknown, _request: Request, response: PortalResponse, next: NextFunction): void => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const requestId = response.get('X-Request-Id');
    const refusal = error instanceof Problem ? REFUSALS[error.code] : undefined;
    if (refusal !== undefined) response.set((error as Problem).headers);
    const status = refusal ?? (isUnavailable(error) ? 503 : toStatus(error));
    if (status >= 500 && refusal === undefined)
      log.error('Portal page failed.', { request_id: requestId, error });
    const reference = requestId === undefined ? '' : ` Reference for support: ${requestId}.`;
    const heading = HEADINGS[status] ?? 'Form not readable';
    sendMessage(response, status, { heading, text: `${toText(status, response)}${reference}` });
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
    sendMessage(response, status, { heading: title, text: `${detail} Reference for support: ${requestId}.` });
  });
}

function toText(status: number, response: PortalResponse): string {
  if (status === 429)
    return `Your organization has sent too many requests. Try again in ${response.get('Retry-After') ?? '60'} seconds.`;
  return status >= 500 ? 'Nothing may have been changed. Try again in a moment.' : 'Open the form again.';
}

function toStatus(error: unknown): number {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : 500;
}
