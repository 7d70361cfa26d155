import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net';
import { expect, test } from 'vitest';
import { createCertificateAuthority } from '../../tools/demo/certificates.ts';
import { body, exchangeFixture, outcomeOf } from '../support/exchange-fixture.ts';
import { startReceiver, type Receiver, type ReceiverOptions } from '../support/receiver.ts';

const fixture = exchangeFixture();
const { client, post } = fixture;

async function otherReceiver(options: ReceiverOptions): Promise<Receiver> {
  const started = await startReceiver(options);
  fixture.opened.push(started);
  return started;
}

async function tcpServer(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = [];
  const server: Server = createTcpServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  fixture.opened.push({ close: () => (sockets.forEach((socket) => socket.destroy()), server.close()) });
  return `https://partner.example:${(server.address() as AddressInfo).port}/hook`;
}

test('a request arrives byte for byte, with our headers and those that HTTP needs, and 2xx is a delivery', async () => {
  expect(await post(client())).toEqual({
    outcome: { kind: 'delivered', status: 204 },
    durationMs: expect.any(Number),
    address: '127.0.0.1',
    phases: expect.any(Object),
  });
  const received = await fixture.receiver.next();
  expect({ ...received, rawHeaders: [] }).toEqual({
    method: 'POST',
    path: '/hook?a=b',
    headers: {
      host: `partner.example:${fixture.receiver.port}`,
      connection: 'keep-alive',
      'content-type': 'application/json',
      'x-test': '1',
      'content-length': String(body.length),
    },
    rawHeaders: [],
    body,
  });
});

test.each([
  [200, {}, { kind: 'delivered', status: 200 }],
  [299, {}, { kind: 'delivered', status: 299 }],
  [301, { Location: 'https://127.0.0.1/' }, { kind: 'redirected', status: 301 }],
  [307, { Location: '/other' }, { kind: 'redirected', status: 307 }],
  [304, {}, { kind: 'redirected', status: 304 }],
  [400, {}, { kind: 'rejected', status: 400, retryAfter: undefined }],
  [429, { 'Retry-After': '17' }, { kind: 'rejected', status: 429, retryAfter: '17' }],
  [500, {}, { kind: 'rejected', status: 500, retryAfter: undefined }],
])('status %d is read and nothing is followed', async (status, headers, outcome) => {
  const before = fixture.receiver.received.length;
  fixture.receiver.answer = { status, headers: headers };
  expect(await outcomeOf(post(client()))).toEqual(outcome);
  expect(fixture.receiver.received.length).toBe(before + 1);
});

test('an interim answer is not the answer', async () => {
  fixture.receiver.answer = (_request, response) => {
    response.writeProcessing();
    response.writeHead(503).end();
  };
  expect(await outcomeOf(post(client()))).toEqual({ kind: 'rejected', status: 503, retryAfter: undefined });
});

test('one connection serves many exchanges, a lone one gets its own', async () => {
  const shared = client();
  const before = fixture.receiver.connections;
  fixture.receiver.answer = { status: 200, body: 'short' };
  for (let count = 0; count < 5; count += 1) await post(shared);
  expect(fixture.receiver.connections - before).toBe(1);
  await post(shared, undefined, null);
  await post(shared, undefined, null);
  expect(fixture.receiver.connections - before).toBe(3);
});

test('an answer that nobody asked for is none to the message of another webhook', async () => {
  const shared = client();
  let first: Socket | null = null;
  fixture.receiver.answer = (_request, response) => {
    first = response.socket;
    response.writeHead(204).end();
  };
  await post(shared, undefined, 'one');
  fixture.receiver.answer = (_request, response) => {
    first?.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    response.writeHead(503).end();
  };
  const rejected = { kind: 'rejected', status: 503, retryAfter: undefined };
  expect(await outcomeOf(post(shared, undefined, 'two'))).toEqual(rejected);
});

test('the answer counts as soon as its headers are here, and a body without an end costs the connection', async () => {
  // More time than a test has: it is not that which ends the exchange.
  const shared = client({ deadlineMs: 600_000 });
  const closed = Promise.withResolvers<undefined>();
  let written = 0;
  fixture.receiver.answer = (_request, response) => {
    response.on('close', () => closed.resolve(undefined));
    response.writeHead(200);
    const write = (): void => {
      if (response.destroyed) return;
      written += 1024;
      response.write(Buffer.alloc(1024), () => setImmediate(write));
    };
    write();
  };
  expect(await outcomeOf(post(shared))).toEqual({ kind: 'delivered', status: 200 });
  await closed.promise;
  expect(written).toBeLessThan(4 * 1024 * 1024);
  const before = fixture.receiver.connections;
  fixture.receiver.answer = { status: 200 };
  await post(shared);
  expect(fixture.receiver.connections - before).toBe(1);
});

test.each([
  ['4 KiB leaves', 4_096, 0],
  ['more than 4 KiB costs', 4_097, 1],
])('a body of %s the connection', async (_, bytes, opened) => {
  const shared = client();
  fixture.receiver.answer = (_request, response) => response.end(Buffer.alloc(bytes));
  await post(shared);
  const before = fixture.receiver.connections;
  await post(shared);
  expect(fixture.receiver.connections - before).toBe(opened);
});

test('a body that never ends is dropped at the deadline', async () => {
  const closed = Promise.withResolvers<undefined>();
  fixture.receiver.answer = (_request, response) => {
    response.on('close', () => closed.resolve(undefined));
    response.writeHead(200);
    response.write('a');
  };
  expect(await outcomeOf(post(client({ deadlineMs: 200 })))).toEqual({ kind: 'delivered', status: 200 });
  await closed.promise;
});

test('a compressed body is not unpacked', async () => {
  fixture.receiver.answer = { status: 200, headers: { 'Content-Encoding': 'gzip' }, body: 'not gzip at all' };
  expect(await outcomeOf(post(client()))).toEqual({ kind: 'delivered', status: 200 });
});

test('headers without end are a broken answer', async () => {
  fixture.receiver.answer = { status: 200, headers: { 'X-Long': 'a'.repeat(40 * 1024) } };
  expect(await outcomeOf(post(client()))).toEqual({
    kind: 'unreachable',
    class: 'connect',
    reason: "The endpoint's answer is not valid HTTP (UND_ERR_HEADERS_OVERFLOW).",
  });
});

test.each([
  ['HTTP/1.1 2x0 OK\r\n\r\n', 'HTTP/1.1'],
  ['HTTP/1.1 000 None\r\n\r\n', 'ERR_ASSERTION'],
])('%j is no answer', async (sent, why) => {
  fixture.receiver.answer = (_request, { socket }) => {
    socket?.end(sent);
  };
  expect(await outcomeOf(post(client()))).toEqual({
    kind: 'unreachable',
    class: 'connect',
    reason: expect.stringMatching(`^The endpoint's answer is not valid HTTP \\(.*${why}`) as unknown,
  });
});

test('eight interim responses may come before the answer, a ninth costs the exchange and its connection', async () => {
  const hint = 'HTTP/1.1 103 Early Hints\r\n\r\n';
  const answerAfter = (count: number): Promise<undefined> => {
    const closed = Promise.withResolvers<undefined>();
    fixture.receiver.answer = (_request, { socket }) => {
      socket?.on('close', () => closed.resolve(undefined));
      socket?.write(`${hint.repeat(count)}HTTP/1.1 204 No Content\r\n\r\n`);
    };
    return closed.promise;
  };
  void answerAfter(8);
  expect(await outcomeOf(post(client()))).toEqual({ kind: 'delivered', status: 204 });
  const closed = answerAfter(9);
  expect(await outcomeOf(post(client()))).toEqual({
    kind: 'unreachable',
    class: 'connect',
    reason: 'The endpoint sent more than 8 interim responses (1xx) before its answer.',
  });
  await closed;
});

test('an endpoint that is connected but silent is timed out, at each stage', async () => {
  const timedOut = { kind: 'timed_out', afterMs: 150 };
  const short = client({ deadlineMs: 150 });
  fixture.receiver.answer = 'hang';
  expect(await outcomeOf(post(short))).toEqual(timedOut);
  const withoutTls = await tcpServer(() => undefined);
  expect(await outcomeOf(post(short, withoutTls))).toEqual(timedOut);
  const withoutLookup = client({ deadlineMs: 150, lookup: () => new Promise(() => undefined) });
  expect(await post(withoutLookup)).toMatchObject({ outcome: timedOut, address: undefined });
});

test('headers that drip in are cut off by the one deadline', async () => {
  fixture.receiver.answer = (_request, response) => {
    const socket = response.socket;
    socket?.write('HTTP/1.1 200 OK\r\n');
    const drip = setInterval(() => socket?.write('X-A: b\r\n'), 20);
    socket?.on('close', () => clearInterval(drip));
  };
  const { outcome, durationMs } = await post(client({ deadlineMs: 300 }));
  expect(outcome).toEqual({ kind: 'timed_out', afterMs: 300 });
  expect(durationMs).toBeLessThan(1_000);
});

test('a request that was timed out before its connection was there is never sent', async () => {
  const held: Socket[] = [];
  const url = new URL(await tcpServer((socket) => held.push(socket)));
  const before = fixture.receiver.received.length;
  const { outcome } = await post(client({ deadlineMs: 100 }), `https://localhost:${url.port}/hook`);
  expect(outcome).toEqual({ kind: 'timed_out', afterMs: 100 });
  // Now the connection gets through to a receiver that would take the request.
  const closed = held.map((socket) => {
    const onward = connect(fixture.receiver.port, '127.0.0.1').on('error', () => undefined);
    socket.pipe(onward).pipe(socket);
    return new Promise((resolve) => socket.once('close', resolve));
  });
  expect(closed.length).toBe(1);
  await Promise.all(closed);
  expect(fixture.receiver.received.length).toBe(before);
});

test.each([
  ['of an unknown authority', {}, 'localhost'],
  ['of another name', { names: ['other.example'], addresses: [] }, 'partner.example'],
  ['that lacks the address', { names: ['localhost'], addresses: [] }, '127.0.0.1'],
])('a certificate %s is refused before anything is sent', async (_name, certificate, host) => {
  const isKnown = Object.keys(certificate).length > 0;
  const authority = isKnown ? fixture.receiver.authority : await createCertificateAuthority();
  const other = await otherReceiver({ authority, ...certificate });
  expect(await outcomeOf(post(client(), other.url('/', host)))).toMatchObject({
    kind: 'unreachable',
    class: 'tls',
  });
  expect(other.received).toEqual([]);
});

test('the certificate of a literal address is verified by the address', async () => {
  expect(await outcomeOf(post(client(), fixture.receiver.url('/', '127.0.0.1')))).toMatchObject({
    kind: 'delivered',
  });
});

test('plain text where TLS should be is a failed handshake', async () => {
  const url = await tcpServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
  expect(await outcomeOf(post(client(), url))).toMatchObject({ kind: 'unreachable', class: 'tls' });
});

test('a connection that is refused, or dropped before the answer, is unreachable', async () => {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  expect(await outcomeOf(post(client(), `https://partner.example:${port}/`))).toEqual({
    kind: 'unreachable',
    class: 'connect',
    reason: 'The connection to the endpoint failed (ECONNREFUSED).',
  });
  fixture.receiver.answer = (_request, response) => response.destroy();
  expect(await outcomeOf(post(client()))).toMatchObject({ kind: 'unreachable', class: 'connect' });
});
