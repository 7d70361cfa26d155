import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProblemCode } from '../../generated/problems.ts';
import { toProblemDocument } from './problem-document.ts';
import { listSecurityHeaders } from './security-headers.ts';

const RETRY_SECONDS = '2';

/** What an answer needs that comes before everything else; `baseUrl` is where the pages of the problems are. */
export interface BareProblem {
  readonly baseUrl: string;
  readonly code: ProblemCode;
  /** The code's own where it is left out. */
  readonly detail?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers with a problem (RFC 9457) a request that reaches no handler. */
export function answerBareProblem(
  request: IncomingMessage,
  response: ServerResponse,
  { baseUrl, code, detail, headers = {} }: BareProblem,
): void {
  const document = toProblemDocument({
    baseUrl,
    code,
    detail,
    instance: request.url?.split('?', 1)[0] ?? '/',
    requestId: setBareHeaders(response, baseUrl),
  });
  const text = JSON.stringify(document);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = document.status;
  response.setHeader('Content-Type', 'application/problem+json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

/** Refuses a request that nobody has begun: 503 overloaded with Retry-After, and the end of its connection. */
export function answerOverloaded(baseUrl: string, request: IncomingMessage, response: ServerResponse): void {
  const detail = `More requests of the caller wait than the service can begin; repeat it after ${RETRY_SECONDS} s.`;
  const headers = { 'Retry-After': RETRY_SECONDS, Connection: 'close' };
  answerBareProblem(request, response, { baseUrl, code: 'overloaded', detail, headers });
}

/** The headers of every answer; returns the request's id. */
export function setBareHeaders(response: ServerResponse, baseUrl: string): string {
  const requestId = randomUUID();
  response.setHeader('X-Request-Id', requestId);
  for (const [name, value] of listSecurityHeaders(baseUrl)) response.setHeader(name, value);
  return requestId;
}
