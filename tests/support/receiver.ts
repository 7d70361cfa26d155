import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createCertificateAuthority,
  createServerCertificate,
  type Authority,
} from '../../tools/demo/certificates.ts';

/** A request as it came in; the body is the raw bytes. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** How the receiver answers: with this, or in its own way. */
export type Answer =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string | Buffer }
  | 'hang'
  | ((request: Received, response: ServerResponse) => void);

export interface ReceiverOptions {
  readonly authority?: Authority;
  /** Names and addresses that the certificate is good for. */
  readonly names?: readonly string[];
  readonly addresses?: readonly string[];
}

/** A real HTTPS endpoint on loopback. */
export class Receiver {
  readonly authority: Authority;
  readonly port: number;
  readonly received: Received[] = [];
  /** What follows once the queued answers are used up. */
  answer: Answer = { status: 204 };
  /** Connections made so far. */
  connections = 0;
  readonly #server: Server;
  readonly #answers: Answer[] = [];
  #taken = 0;
  #waiting: (() => void)[] = [];

  constructor(server: Server, authority: Authority) {
    this.#server = server;
    this.authority = authority;
    this.port = (server.address() as AddressInfo).port;
    server.on('secureConnection', () => (this.connections += 1));
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  get ca(): string {
    return this.authority.ca;
  }

  url(path = '/hook', host = 'localhost'): string {
    return `https://${host}:${this.port}${path}`;
  }

  /** The next requests get these answers, one each. */
  answerNext(...answers: readonly Answer[]): void {
    this.#answers.push(...answers);
  }

  /** The next request that has not been taken yet, once it is here. */
  async next(): Promise<Received> {
    for (;;) {
      const found = this.received[this.#taken];
      if (found !== undefined) {
        this.#taken += 1;
        return found;
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers, rawHeaders } = request;
    const received = { method, path: url, headers, rawHeaders, body: Buffer.concat(chunks) };
    this.received.push(received);
    for (const wake of this.#waiting.splice(0)) wake();
    const answer = this.#answers.shift() ?? this.answer;
    if (answer === 'hang') return;
    if (typeof answer === 'function') answer(received, response);
    else response.writeHead(answer.status, answer.headers).end(answer.body);
  }
}

/** A receiver to which a service that runs with `env` delivers. */
export class TrustedReceiver extends Receiver {
  readonly env: Readonly<Record<string, string>>;
  readonly #folder = mkdtempSync(join(tmpdir(), 'partner-receiver-'));

  constructor(server: Server, authority: Authority) {
    super(server, authority);
    const file = join(this.#folder, 'authority.pem');
    writeFileSync(file, authority.ca);
    this.env = { WEBHOOK_CA_FILE: file, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128' };
  }

  override async close(): Promise<void> {
    await super.close();
    rmSync(this.#folder, { recursive: true });
  }
}

/** Starts a receiver whose certificate is good for localhost, 127.0.0.1 and ::1 unless told otherwise. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const authority = options.authority ?? (await createCertificateAuthority());
  return new Receiver(await listen(authority, options), authority);
}

/** The same with the settings of a service that is to deliver to it. */
export async function startTrustedReceiver(): Promise<TrustedReceiver> {
  const authority = await createCertificateAuthority();
  return new TrustedReceiver(await listen(authority), authority);
}

async function listen(authority: Authority, options: ReceiverOptions = {}): Promise<Server> {
  const { names = ['localhost'], addresses = ['127.0.0.1', '::1'] } = options;
  const server = createServer(await createServerCertificate(authority, names, addresses));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
