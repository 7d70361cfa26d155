import { ServerResponse } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Lets every request reach the listeners of `request`, those too that Node.js would answer by itself or drop: with an
 * `Expect` header, and with the method CONNECT. A client that waits for `100 Continue` gets it once its body is read, and
 * not before an answer that refuses it.
 */
export function passAllRequests(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    request.once('resume', () => {
      if (!response.headersSent) response.writeContinue();
    });
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response),
  );
  server.on('connect', (request: IncomingMessage) => answerOnBareSocket(server, request));
}

/** Node.js has let go of the socket: errors of it, its answer and its end are ours. */
function answerOnBareSocket(server: Server, request: IncomingMessage): void {
  const socket: Socket & { _httpMessage?: unknown } = request.socket;
  socket.on('error', () => undefined);
  // Behind a request that is not answered yet there is no place for an answer.
  if (socket._httpMessage !== undefined && socket._httpMessage !== null) {
    socket.destroy();
    return;
  }
  // The target is a host and names nothing here.
  request.url = '/';
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.destroySoon());
  server.emit('request', request, response);
}
