import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { collectBody } from '../../src/http/collect-body.ts';
import { AlreadyAnsweredError } from '../../src/http/given-up.ts';

const CHUNKED = 'Transfer-Encoding: chunked';

test.each([
  ['whose client goes', 'Content-Length: 1000', 'x', 2_000],
  ['that is too long', CHUNKED, '2\r\nab\r\n2\r\ncd\r\n', 3],
])('of a body %s nothing is left', async (_, header, sent, maxBytes) => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const exchange = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write(`POST / HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`);
    const [request, response] = await exchange;
    const reading = collectBody(request, response, maxBytes);
    const arrival = once(request, 'data') as Promise<[Buffer]>;
    client.write(sent);
    const [chunk] = await arrival;
    client.destroy();
    if (header === CHUNKED) expect(await reading).toBeUndefined();
    else await expect(reading).rejects.toThrow(AlreadyAnsweredError);
    expect(chunk.length).toBe(0);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
