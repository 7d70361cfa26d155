// An HTTP server in this process, and connections to it whose bytes a test writes by itself.
import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { createBoundedServer } from '../../src/http/bounded-server.ts';
import { HttpServer } from '../../src/http/http-server.ts';
import type { AnswerTimes } from '../../src/http/http-server.ts';
import { READER_LIMITS } from '../../src/http/slow-readers.ts';
import type { ReaderLimits } from '../../src/http/slow-readers.ts';

const undo: (() => unknown)[] = [];

/** Ends what openServer has opened, the latest first. */
export async function closeOpened(): Promise<void> {
  for (const each of undo.splice(0).toReversed()) await each();
}

const AT_ONCE = { graceMs: 0, lingerMs: 0, drainMs: 0 };

export interface Opened {
  readonly server: HttpServer;
  /** How many requests Node.js has made of what has come. */
  readonly requests: () => number;
  readonly url: string;
  readonly connect: (localAddress?: string) => Promise<Socket>;
}

/** A server on a free port. */
export async function openServer(
  readerLimits: Partial<ReaderLimits> = {},
  answerTimes?: AnswerTimes,
): Promise<Opened> {
  let requests = 0;
  const inner = createBoundedServer().on('request', () => (requests += 1));
  const server = new HttpServer(inner, { ...READER_LIMITS, ...readerLimits }, answerTimes);
  const url = await server.listen({ host: '127.0.0.1', port: 0, baseUrl: undefined });
  undo.push(() => server.stop(AT_ONCE));
  return {
    server,
    requests: () => requests,
    url,
    connect: async (localAddress = '127.0.0.1') => {
      const port = Number(new URL(url).port);
      const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
      undo.push(() => socket.destroy());
      await once(socket, 'connect');
      return socket;
    },
  };
}

/** A request without a body, as it is sent. */
export const ask = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

/** Answers each request with its path, when it is told to. */
export function heldAnswers(): {
  listener: RequestListener;
  held: ServerResponse[];
  readonly next: () => Promise<ServerResponse>;
} {
  const held: ServerResponse[] = [];
  let wake = (): void => undefined;
  return {
    held,
    listener: (_request, response) => {
      held.push(response);
      wake();
    },
    next: async () => {
      while (held.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      const [response] = held.splice(0, 1);
      if (response === undefined) throw new Error('Nothing is held.');
      return response;
    },
  };
}

/** The next text that the server sends. */
export async function heard(socket: Socket): Promise<string> {
  return String((await once(socket, 'data'))[0]);
}
