import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { PROBLEMS } from '../../generated/problems.ts';
import type { ProblemCode } from '../../generated/problems.ts';

const reasons: Readonly<Record<string, readonly [code: ProblemCode, phrase: string]>> = {
  HPE_HEADER_OVERFLOW: ['header_too_large', 'Request Header Fields Too Large'],
};

/**
 * Answers what Node cannot parse as HTTP, which never becomes a request: 431 header_too_large, 400 malformed_request, or
 * 408 without a body. The connection ends.
 */
export function installClientErrorHandler(server: Server, baseUrl: string): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Nothing can be sent to a client that has gone, or that has part of an answer already.
    if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
      socket.destroy();
      return;
    }
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const [code, phrase] = reasons[error.code ?? ''] ?? ['malformed_request', 'Bad Request'];
    const { status, title, detail } = PROBLEMS[code];
    const requestId = randomUUID();
    const type = `${baseUrl}/docs/errors/${code}`;
    const body = JSON.stringify({
      type,
      title,
      status,
      detail,
      instance: '/',
      code,
      request_id: requestId,
      errors: [],
    });
    const head = [
      `HTTP/1.1 ${status} ${phrase}`,
      'Content-Type: application/problem+json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  });
}
