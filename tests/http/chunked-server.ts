// A server that bounds the chunks of bodies and measures them, and clients that write them.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach } from 'vitest';
import { countBytes } from '../../src/contract/body-pieces.ts';
import type { BodyPieces } from '../../src/contract/body-pieces.ts';
import { boundChunks, CHUNK_LIMITS, findCutOffProblem } from '../../src/http/chunk-bounds.ts';
import type { ChunkLimits } from '../../src/http/chunk-bounds.ts';
import { collectBody } from '../../src/http/collect-body.ts';
import type { QuotaSubject } from '../../src/domain/security/quota-subjects.ts';
import { endUnreadBodies } from '../../src/http/unread-body.ts';

let close = (): void => undefined;
afterEach(() => close());

const MAX_BYTES = 8_388_608;

/** Answers with the length of the body, or with the problem that refuses it. */
export const measureBody: RequestListener = (request, response) => {
  const answer = (body: BodyPieces | undefined): void => {
    const problem = findCutOffProblem(request);
    for (const [name, value] of Object.entries(problem?.headers ?? {})) response.setHeader(name, value);
    response.end(
      problem === undefined ? String(body && countBytes(body)) : `${problem.code}: ${problem.message}`,
    );
  };
  const clientHasGone = (): void => undefined;
  void collectBody(request, response, MAX_BYTES).then(answer, clientHasGone);
};

/** A server that takes the header `X-Caller` for whose request it is. */
export async function serve(
  listener: RequestListener,
  limits: Partial<ChunkLimits> = {},
  monotonicMs = () => performance.now(),
): Promise<number> {
  const server = createServer();
  const findCaller = (request: IncomingMessage): QuotaSubject =>
    String(request.headers['x-caller']) as QuotaSubject;
  boundChunks(server, findCaller, { ...CHUNK_LIMITS, ...limits }, monotonicMs);
  endUnreadBodies(server);
  server.on('request', listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  return (server.address() as AddressInfo).port;
}

export const open = (port: number): Socket => connect(port, '127.0.0.1').on('error', () => undefined);

export const head = (caller: QuotaSubject = 'address a'): string =>
  `POST / HTTP/1.1\r\nHost: a\r\nX-Caller: ${caller}\r\nTransfer-Encoding: chunked\r\n\r\n`;
export const chunks = (count: number, bytes = 1): string =>
  `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`.repeat(count);
export const END = '0\r\n\r\n';

/** What a connection that the service ends is answered. */
export async function send(port: number, sent: string): Promise<string> {
  const socket = open(port);
  socket.write(sent);
  return text(socket);
}

/** What is answered on a connection that stays. */
export async function ask(socket: Socket, sent: string): Promise<string> {
  socket.write(sent);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return String(answer).split('\r\n\r\n')[1] ?? '';
}

/** All that time brings at once, and nothing more: the first chunk of a read is nobody's. */
export const WHOLE = 101;
export const SPENT = { maxAtOnce: 100, perMs: 0.001, fewOfTurn: 10 };
