import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerBareProblem, setBareHeaders } from './bare-problem.ts';

const RETRY_SECONDS = '1';

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
  if (path === '/livez') {
    send(baseUrl, response, 200, { status: 'live' });
  } else if (path === '/readyz') {
    send(baseUrl, response, 503, { status: 'not ready', reason: 'the service is starting' });
  } else {
    answerBareProblem(request, response, {
      baseUrl,
      code: 'starting',
      headers: { 'Retry-After': RETRY_SECONDS },
    });
  }
}

function send(baseUrl: string, response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  setBareHeaders(response, baseUrl);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}
