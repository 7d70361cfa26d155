import { once } from 'node:events';
import { createServer } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificates.ts';

export interface ReceivedMessage {
  readonly headers: IncomingHttpHeaders;
  /** The bytes as they came: what a signature is checked over. */
  readonly body: Buffer;
}

export interface DemoReceiver {
  readonly url: string;
  /** The next message that has not been taken yet; rejects after `timeoutMs`. */
  next(timeoutMs: number): Promise<ReceivedMessage>;
  close(): void;
}

/** A partner's webhook endpoint: takes each message, answers 204 at once, hands it on. */
export async function startReceiver({ cert, key }: Certificate): Promise<DemoReceiver> {
  const waiting: ReceivedMessage[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(204).end();
      waiting.push({ headers: request.headers, body: Buffer.concat(chunks) });
      server.emit('message');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}/hooks`,
    next: async (timeoutMs) => {
      const signal = AbortSignal.timeout(timeoutMs);
      for (;;) {
        const message = waiting.shift();
        if (message !== undefined) return message;
        await once(server, 'message', { signal });
      }
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
