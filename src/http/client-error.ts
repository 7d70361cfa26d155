import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ProblemCode } from '../../generated/problems.ts';
import { endInTurn } from './end-turns.ts';
import { toProblemDocument } from './problem-document.ts';
import { MAX_URL_BYTES } from './request-bounds.ts';
import { listSecurityHeaders } from './security-headers.ts';

/** A socket emits this when no request of it will be served any more, whatever is under way: it is answered soon, or cut off. */
export const ONLY_ENDS = 'onlyEnds';

type Reason = readonly [code: ProblemCode, phrase: string];

interface ClientError extends NodeJS.ErrnoException {
  /** What came last, where the parser has stopped. */
  readonly rawPacket?: Buffer;
}

/**
 * Answers what never becomes a request, or no whole one: 414 uri_too_long, 431 header_too_large, 408 request_timeout, and
 * 400 malformed_request for what Node cannot parse as HTTP. The connection ends.
 */
export function installClientErrorHandler(server: Server, baseUrl: string): void {
  server.on('clientError', (error: ClientError, socket: Socket) => {
    socket.emit(ONLY_ENDS);
    // The error has what was read, up to 64 KiB: it is not kept until then.
    const reason = findReason(error);
    // Node finds all whose time is over at once, and thousands may be cut off at once.
    endInTurn(socket, () => answerClientError(reason, socket, baseUrl));
  });
}

const isTimeout = ({ code }: ClientError): boolean => code === 'ERR_HTTP_REQUEST_TIMEOUT';

function answerClientError(reason: Reason | undefined, socket: Socket, baseUrl: string): void {
  // Nothing can be sent to a client that has gone, or that has part of an answer already.
  if (reason === undefined || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const [code, phrase] = reason;
  const requestId = randomUUID();
  const document = toProblemDocument({ baseUrl, code, instance: '/', requestId });
  const body = JSON.stringify(document);
  const head = [
    `HTTP/1.1 ${document.status} ${phrase}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    ...listSecurityHeaders(baseUrl).map((header) => header.join(': ')),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Undefined where the client has gone. */
function findReason(error: ClientError): Reason | undefined {
  if (error.code === 'ECONNRESET') return undefined;
  if (isTimeout(error)) return ['request_timeout', 'Request Timeout'];
  const { code, rawPacket } = error;
  if (code !== 'HPE_HEADER_OVERFLOW') return ['malformed_request', 'Bad Request'];
  // The address is what was too long when its line does not end within its limit.
  const lineBytes = rawPacket?.indexOf('\r\n') ?? 0;
  const isAddress = lineBytes < 0 || lineBytes > MAX_URL_BYTES;
  return isAddress
    ? ['uri_too_long', 'URI Too Long']
    : ['header_too_large', 'Request Header Fields Too Large'];
}
