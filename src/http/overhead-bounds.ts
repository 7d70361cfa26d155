import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { hasBody } from './open-bodies.ts';
import { stopReading, stopRequests, watchReads } from './stop-connection.ts';

/**
 * A head has 16 KiB at most, as have the extensions of a chunk and trailers, and a body of 4,096 one-byte chunks has 16 KiB beside
 * its bytes.
 */
export const MAX_OVERHEAD_BYTES = 131_072;

/**
 * Bounds what connections bring beside requests and their bodies: empty lines before a request (RFC 9112, 2.2) and the zeros of a
 * chunk's size have no end for Node.js, which parses them without a call of JavaScript, so that nothing else counts them. A body makes
 * room for as many bytes as it has. Beyond, nothing more is read, and the connection ends as one of what is no HTTP.
 */
export function boundOverhead(server: Server): void {
  const overheads = new WeakMap<Socket, Overhead>();
  server.on('connection', (socket: Socket) => {
    const overhead = new Overhead();
    overheads.set(socket, overhead);
    watchReads(socket, (bytes) => {
      if (overhead.endRead(bytes)) return;
      stopRequests(socket);
      stopReading(socket);
      server.emit('clientError', new Error('The connection brings too little beside its overhead.'), socket);
    });
  });
  server.on('request', (request: IncomingMessage) => {
    const overhead = overheads.get(request.socket);
    if (overhead === undefined) return;
    overhead.beginRequest();
    if (!hasBody(request)) return;
    const push = request.push.bind(request);
    const pushCounted = (chunk: Buffer | null): boolean => {
      if (chunk !== null) overhead.addBody(chunk.length);
      return push(chunk);
    };
    request.push = pushCounted;
  });
}

/** What a connection has brought beside requests and their bodies since its last request. */
class Overhead {
  #bytes = 0;
  #hasBegunRequest = false;
  #bodyBytesOfRead = 0;

  beginRequest(): void {
    this.#hasBegunRequest = true;
  }

  addBody(bytes: number): void {
    this.#bodyBytesOfRead += bytes;
  }

  /** False when there is too much of it. */
  endRead(bytes: number): boolean {
    const bodyBytes = this.#bodyBytesOfRead;
    this.#bytes = this.#hasBegunRequest ? 0 : Math.max(0, this.#bytes + bytes - 2 * bodyBytes);
    this.#hasBegunRequest = false;
    this.#bodyBytesOfRead = 0;
    return this.#bytes <= MAX_OVERHEAD_BYTES;
  }
}
