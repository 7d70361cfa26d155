import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface SpoiltAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** What becomes of the answer to a request. */
export type Spoil = (
  request: { readonly method: string; readonly path: string },
  answer: SpoiltAnswer,
) => SpoiltAnswer;

export interface SpoilingProxy {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Stands before a service and answers otherwise than it. */
export async function startSpoilingProxy(baseUrl: string, spoil: Spoil): Promise<SpoilingProxy> {
  const server = createServer((request, response) => {
    void (async () => {
      const { method = '', url: path = '' } = request;
      const body = await buffer(request);
      const headers = { ...request.headers };
      for (const name of ['host', 'connection']) Reflect.deleteProperty(headers, name);
      const answered = await fetch(baseUrl + path, {
        method,
        headers: headers as Record<string, string>,
        ...(body.length === 0 ? {} : { body }),
      });
      const kept = ['x-request-id', 'cache-control'].flatMap((name) => [
        name,
        answered.headers.get(name) ?? '',
      ]);
      const answer = spoil(
        { method, path },
        {
          status: answered.status,
          type: answered.headers.get('content-type') ?? '',
          body: await answered.text(),
        },
      );
      response.writeHead(answer.status, [...kept, 'content-type', answer.type]).end(answer.body);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
