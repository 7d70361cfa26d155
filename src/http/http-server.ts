import type { RequestListener, Server } from 'node:http';
import { Server as TcpServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { createBoundedServer } from './bounded-server.ts';
import { installClientErrorHandler } from './client-error.ts';
import { Connection } from './connection.ts';
import type { DrainTimes } from './connection.ts';
import { endSlowReaders, READER_LIMITS } from './slow-readers.ts';
import { answerWhileStarting } from './starting.ts';

/** What a client has sent before it learns of the stop arrives within this time on any network that is in order. */
const GRACE_MS = 250;
const LINGER_MS = 250;
/** How long open requests may take once the service stops. */
const DRAIN_MS = 7_000;

export interface StopTimes extends DrainTimes {
  /** After this time connections are cut, whatever is on them. */
  readonly drainMs: number;
}

/** How long a request may go without the beginning of its answer, and how often that is looked at. */
export interface AnswerTimes {
  readonly answerMs: number;
  readonly checkMs: number;
}

/** Far more than any handler takes, which all have bounds of their own: what is cut off here was forgotten by its handler. */
const ANSWER_TIMES: AnswerTimes = { answerMs: 120_000, checkMs: 10_000 };

const STOP_TIMES: StopTimes = { graceMs: GRACE_MS, lingerMs: LINGER_MS, drainMs: DRAIN_MS };

export interface ListenAddress {
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  /** The address that clients use; by default the port on localhost. */
  readonly baseUrl: string | undefined;
  /** The setting that errors name for the port; `PORT` unless it is given. */
  readonly portSetting?: string;
}

/**
 * The port of the service, and the connections to it.
 *
 *   starting (listen) -> serving (serve) -> ending (announceEnd) -> stopped (stop)
 *
 * From the moment that the port is open every request is answered: while the service starts by `answerWhileStarting`, then
 * by the listener that it is given.
 */
export class HttpServer {
  readonly #server: Server;
  readonly #connections = new Map<Socket, Connection>();
  readonly #answerTimes: AnswerTimes;
  #listener: RequestListener | undefined;
  #isEnding = false;
  #stopped: Promise<void> | undefined;

  constructor(
    server = createBoundedServer(),
    readerLimits = READER_LIMITS,
    answerTimes: AnswerTimes = ANSWER_TIMES,
  ) {
    this.#server = server;
    this.#answerTimes = answerTimes;
    endSlowReaders(this.#server, readerLimits);
  }

  /**
   * Takes the port; resolves to the base URL.
   * @throws an Error that names port and setting when another program has it, and HOST when it is no address of this machine.
   */
  async listen(address: ListenAddress): Promise<string> {
    const { host, port, baseUrl } = address;
    const server = this.#server;
    let url = baseUrl ?? '';
    const handle: RequestListener = (request, response) => {
      if (this.#listener === undefined) answerWhileStarting(url, request, response);
      else this.#listener(request, response);
    };
    server.on('connection', (socket) => {
      const connection = new Connection(socket, handle);
      if (this.#isEnding) connection.announceEnd();
      this.#connections.set(socket, connection);
      socket.once('close', () => this.#connections.delete(socket));
    });
    server.on('request', (request, response) =>
      this.#connections.get(request.socket)?.take(request, response),
    );
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => reject(describeListenError(error, address)));
      server.listen(port, host, () => {
        // In the same turn as the port opens: the first request finds it.
        url = baseUrl ?? `http://localhost:${(server.address() as AddressInfo).port}`;
        installClientErrorHandler(server, url);
        const timer = setInterval(() => this.#endUnanswered(), this.#answerTimes.checkMs).unref();
        server.once('close', () => clearInterval(timer));
        resolve();
      });
    });
    return url;
  }

  /** From now on the listener answers. */
  serve(listener: RequestListener): void {
    this.#listener = listener;
  }

  /**
   * From now on each answer ends its connection, so that clients come again at other processes; nothing is refused, and
   * connections without a request stay, on which one may be under way.
   */
  announceEnd(): void {
    this.#isEnding = true;
    for (const connection of this.#connections.values()) connection.announceEnd();
  }

  /**
   * Gives the port back at once and resolves when every connection has ended. Requests that are under way or come on open
   * connections within the grace are answered, each connection's last with `Connection: close`.
   */
  stop(times = STOP_TIMES): Promise<void> {
    return (this.#stopped ??= this.#stop(times));
  }

  #endUnanswered(): void {
    const sinceMs = performance.now() - this.#answerTimes.answerMs;
    for (const connection of this.#connections.values()) connection.endUnanswered(sinceMs);
  }

  async #stop(times: StopTimes): Promise<void> {
    if (!this.#server.listening) return;
    // Takes in the connections that wait to be accepted: closing the port resets them. Clients are told of the end only
    // after that, since they would open new connections.
    await turnOfTheLoop();
    await turnOfTheLoop();
    const closed = new Promise((resolve) => {
      // The close of an HTTP server would cut idle connections, on which a request may be under way.
      TcpServer.prototype.close.call(this.#server, resolve);
    });
    for (const connection of this.#connections.values()) connection.drain(times);
    const timer = setTimeout(() => this.#server.closeAllConnections(), times.drainMs);
    await closed;
    clearTimeout(timer);
  }
}

/** What a system says of a host that is none of its own. */
const HOST_ERRORS: ReadonlySet<unknown> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'EADDRNOTAVAIL',
  'EINVAL',
  'EAFNOSUPPORT',
]);

function describeListenError(error: NodeJS.ErrnoException, address: ListenAddress): Error {
  const { host, port, portSetting = 'PORT' } = address;
  if (HOST_ERRORS.has(error.code)) {
    const detail = `HOST ${host} is no address of this machine (${String(error.code)}): give one, or 0.0.0.0 for all.`;
    return new Error(detail, { cause: error });
  }
  if (error.code !== 'EADDRINUSE') return error;
  const detail = `Port ${port} is in use (EADDRINUSE): stop the program that listens there, or choose another ${portSetting}.`;
  return new Error(detail, { cause: error });
}
