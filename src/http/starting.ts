import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PROBLEMS } from '../../generated/problems.ts';

const RETRY_SECONDS = 1;

/**
 * Answers requests that come before the service can: `/livez` is 200, `/readyz` 503 with the reason, all else 503
 * `starting` with Retry-After. `baseUrl` is where the pages of the problems are.
 */
export function answerWhileStarting(
  baseUrl: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const [path = '/'] = (request.url ?? '/').split('?', 1);
  const requestId = randomUUID();
  response.setHeader('X-Request-Id', requestId);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  if (path === '/livez') {
    send(response, 200, 'application/json', { status: 'live' });
  } else if (path === '/readyz') {
    send(response, 503, 'application/json', { status: 'not ready', reason: 'the service is starting' });
  } else {
    const { status, title, detail } = PROBLEMS.starting;
    response.setHeader('Retry-After', RETRY_SECONDS);
    send(response, status, 'application/problem+json', {
      type: `${baseUrl}/docs/errors/starting`,
      title,
      status,
      detail,
      instance: path,
      code: 'starting',
      request_id: requestId,
      errors: [],
    });
  }
}

function send(response: ServerResponse, status: number, type: string, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}
