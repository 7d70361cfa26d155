import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isCutOff } from './chunk-bounds.ts';
import { hasBody } from './open-bodies.ts';
import { stopReading } from './stop-connection.ts';

/** The rest of a body up to this size is read and thrown away, so that the connection can be used again. */
const SMALL_BODY_BYTES = 65_536;
/** How long, and for how many bytes, a connection is read on before it is closed. */
const LINGER_MS = 500;
const LINGER_BYTES = 262_144;

/**
 * Every answer that ends while the request's body has not come whole and is not known to be small ends the connection too, instead
 * of taking what may be endless; it is read on for a moment, since a client that still sends would lose the answer when the
 * connection is reset (RFC 9112, 9.6). A body that is declared longer than what would be read, and one that was given up, is left
 * where it is for that moment: its client finds the answer beside a connection that takes no more. While nobody takes one that
 * is declared to be long, no more of it is read than has come with its head.
 */
export function endUnreadBodies(server: Server): void {
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { 'content-length': declared } = request.headers;
    if (Number(declared) <= SMALL_BODY_BYTES || !hasBody(request)) return;
    // Whoever takes the body lets Node.js read on; one without a length may be short.
    if (declared !== undefined) stopReading(request.socket);
    announceEnd(request, response);
    lingerAtEnd(request, response);
  });
}

/** A body that was given up may look complete, when its end has come in the same read. */
const hasComeWhole = (request: IncomingMessage): boolean => request.complete && !isCutOff(request);

/** The head says `Connection: close` if the body has not come whole when it is written. */
function announceEnd(request: IncomingMessage, response: ServerResponse): void {
  let isKept = response.shouldKeepAlive;
  Object.defineProperty(response, 'shouldKeepAlive', {
    get: () => isKept && hasComeWhole(request),
    set: (isWanted: boolean) => (isKept = isWanted),
  });
}

function lingerAtEnd(request: IncomingMessage, response: ServerResponse): void {
  const end = response.end.bind(response) as (...given: readonly unknown[]) => ServerResponse;
  const endLater = (...given: readonly unknown[]): ServerResponse => {
    response.end = end as ServerResponse['end'];
    if (hasComeWhole(request) || response.destroyed) return end(...given);
    const [body, encoding] = given;
    const hasContent = typeof body === 'string' || body instanceof Uint8Array;
    declareLength(response, hasContent ? Buffer.byteLength(body, encoding as BufferEncoding) : 0);
    if (hasContent) response.write(body, encoding as BufferEncoding);
    else response.flushHeaders();
    readOn(request, () => end(given.find((each) => typeof each === 'function')));
    return response;
  };
  response.end = endLater as ServerResponse['end'];
}

/** As Node.js does where the body is given with the end. */
function declareLength(response: ServerResponse, bytes: number): void {
  const { headersSent, req: request, statusCode: status } = response;
  const hasLength = response.hasHeader('Content-Length') || response.hasHeader('Transfer-Encoding');
  const hasNoBody = request.method === 'HEAD' || status === 204 || status === 304;
  if (!headersSent && !hasLength && !hasNoBody) response.setHeader('Content-Length', bytes);
}

/** Reads the body for a moment, and throws it away. */
function readOn(request: IncomingMessage, atEnd: () => void): void {
  const { socket } = request;
  // Whoever has begun to take the body may leave nothing of a chunk.
  const until = socket.bytesRead + LINGER_BYTES;
  const end = (): void => {
    clearTimeout(timer);
    request.off('data', count).off('end', end).off('close', end).pause();
    atEnd();
  };
  const timer = setTimeout(end, LINGER_MS);
  const count = (): void => {
    if (socket.bytesRead >= until) end();
  };
  request.once('close', end);
  if (Number(request.headers['content-length']) > LINGER_BYTES || isCutOff(request)) return;
  request.on('data', count).once('end', end).resume();
}
