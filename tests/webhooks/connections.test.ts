// Which connections serve again, and to which addresses they lead.
import { createServer, type Server } from 'node:https';
import type { ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ResolvedAddress } from '../../src/webhooks/destination.ts';
import {
  WebhookClient,
  type SendResult,
  type WebhookClientOptions,
} from '../../src/webhooks/webhook-client.ts';
import {
  createCertificateAuthority,
  createServerCertificate,
  type Authority,
} from '../../tools/demo/certificates.ts';

const one: ResolvedAddress = { address: '127.0.0.1', family: 4 };
const two: ResolvedAddress = { address: '::1', family: 6 };
const body = Buffer.from('{}');

/** An endpoint at one address. */
interface Endpoint {
  readonly server: Server;
  readonly open: Set<Socket>;
  connections: number;
  /** Of them, those that took up an earlier TLS session, in which no certificate is shown. */
  resumed: number;
  requests: number;
}

let authority: Authority;
let endpoints: readonly Endpoint[];
let client: WebhookClient;
let port: number;
/** What the name has for an address at the next delivery. */
let addresses: readonly ResolvedAddress[];
let answer: (response: ServerResponse) => void;

beforeAll(async () => {
  authority = await createCertificateAuthority();
});
beforeEach(async () => {
  answer = (response) => response.writeHead(204).end();
  endpoints = await Promise.all([one, two].map(() => makeEndpoint()));
  port = await listenEverywhere();
  client = newExchange();
});
afterEach(async () => {
  await client.close();
  for (const { server, open } of endpoints) {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});

function newExchange(options: Partial<WebhookClientOptions> = {}): WebhookClient {
  return new WebhookClient({
    lookup: async () => addresses,
    allowedNetworks: ['127.0.0.0/8', '::1/128'],
    extraCa: authority.ca,
    ...options,
  });
}

async function makeEndpoint(): Promise<Endpoint> {
  const server = createServer(await createServerCertificate(authority, ['partner.example']));
  // Not the endpoint, the service lets go of connections.
  server.keepAliveTimeout = 0;
  const endpoint: Endpoint = { server, open: new Set(), connections: 0, resumed: 0, requests: 0 };
  server.on('connection', (socket: Socket) => {
    endpoint.open.add(socket);
    socket.on('error', () => undefined).on('close', () => endpoint.open.delete(socket));
  });
  server.on('secureConnection', (socket) => {
    endpoint.connections += 1;
    if (socket.isSessionReused()) endpoint.resumed += 1;
  });
  server.on('request', (request, response) => {
    endpoint.requests += 1;
    request.resume().on('end', () => answer(response));
  });
  return endpoint;
}

/** Both addresses at one port: the first gets a free one, which the other may find taken. */
async function listenEverywhere(): Promise<number> {
  const listen = ({ server }: Endpoint, at: number, host: string): Promise<boolean> =>
    new Promise((resolve) => {
      const fail = (): void => resolve(false);
      server.once('error', fail).listen(at, host, () => {
        server.removeListener('error', fail);
        resolve(true);
      });
    });
  for (;;) {
    const [first, second] = endpoints as [Endpoint, Endpoint];
    await listen(first, 0, one.address);
    const { port: free } = first.server.address() as AddressInfo;
    if (await listen(second, free, two.address)) return free;
    await new Promise((resolve) => first.server.close(resolve));
  }
}

const post = (from = client, webhookId: string | null = 'webhook'): Promise<SendResult> =>
  from.send({
    url: `https://partner.example:${port}/`,
    headers: {},
    body,
    webhookId: webhookId ?? 'webhook',
    hasOwnConnection: webhookId === null,
  });

const made = (): number[] => endpoints.map(({ connections }) => connections);
const served = (): number[] => endpoints.map(({ requests }) => requests);

test('answers in rotating order and changing subsets share one connection', async () => {
  for (addresses of [[one, two], [two, one], [one], [one, two], [two, one], [one]]) {
    expect(await post()).toMatchObject({ outcome: { kind: 'delivered' }, address: one.address });
  }
  expect([made(), served()]).toEqual([
    [1, 0],
    [6, 0],
  ]);
});

test('an attempt tells what each of its phases took, and a connection that is used again took nothing', async () => {
  addresses = [one];
  const [first, second] = [await post(), await post()];
  expect(Object.keys(first.phases).toSorted()).toEqual(['answerMs', 'connectMs', 'lookupMs', 'tlsMs']);
  const { lookupMs = 0, connectMs = 0, tlsMs = 0, answerMs = 0 } = first.phases;
  // They do not overlap; each is rounded to a millisecond.
  expect(lookupMs + connectMs + tlsMs + answerMs).toBeLessThanOrEqual(first.durationMs + 2);
  expect(Object.keys(second.phases).toSorted()).toEqual(['answerMs', 'lookupMs']);
});

test('a connection to an address that is not in the answer any more is not used, and serves again when it is back', async () => {
  for (addresses of [[one], [two], [two], [one], [two, one]]) {
    const { address } = await post();
    expect(addresses.map((each) => each.address)).toContain(address);
  }
  expect(made()).toEqual([1, 1]);
  expect(served().reduce((sum, each) => sum + each)).toBe(5);
});

test('a connection that the endpoint has closed is opened anew to an address of the answer of then', async () => {
  addresses = [one];
  await post();
  for (const socket of endpoints[0]?.open ?? []) socket.destroy();
  addresses = [two];
  expect(await post()).toMatchObject({ outcome: { kind: 'delivered' }, address: two.address });
  expect(served()).toEqual([1, 1]);
});

test('an attempt tells the address that it called, whatever others called meanwhile', async () => {
  const waiting: ServerResponse[] = [];
  const came = Promise.withResolvers<undefined>();
  answer = (response) => {
    waiting.push(response);
    came.resolve(undefined);
  };
  addresses = [one, two];
  const first = post();
  await came.promise;
  // New connections are refused there now.
  endpoints[0]?.server.close();
  answer = (response) => response.writeHead(204).end();
  expect((await post()).address).toBe(two.address);
  waiting[0]?.writeHead(204).end();
  expect((await first).address).toBe(one.address);
});

test('bodies that drip hold no more than some connections, and none of them another delivery', async () => {
  const few = newExchange({ deadlineMs: 60_000, maxOpenBodies: 3 });
  addresses = [one];
  const most: number[] = [];
  answer = (response) => {
    response.writeHead(200).write('.');
    most.push(endpoints[0]?.open.size ?? 0);
  };
  for (let count = 0; count < 20; count += 1) {
    expect((await post(few)).outcome).toEqual({ kind: 'delivered', status: 200 });
  }
  // The newest one beside those that are waited for, and one that is just being closed.
  expect(Math.max(...most)).toBeLessThanOrEqual(3 + 2);
  await few.close();
});

test('the connections that wait for another delivery are limited', async () => {
  const few = newExchange({ maxIdleConnections: 2 });
  addresses = [one];
  const waiting: ServerResponse[] = [];
  const all = Promise.withResolvers<undefined>();
  answer = (response) => {
    waiting.push(response);
    if (waiting.length === 5) all.resolve(undefined);
  };
  const posts = Array.from({ length: 5 }, () => post(few));
  await all.promise;
  const open = [...(endpoints[0]?.open ?? [])];
  expect(open.length).toBe(5);
  const three = Promise.withResolvers<undefined>();
  let closed = 0;
  for (const socket of open) socket.once('close', () => (closed += 1) === 3 && three.resolve(undefined));
  for (const response of waiting) response.writeHead(204).end();
  await Promise.all(posts);
  await three.promise;
  answer = (response) => response.writeHead(204).end();
  await post(few);
  expect([endpoints[0]?.open.size, made()[0]]).toEqual([2, 5]);
  await few.close();
});

test('an endpoint cannot ask for a connection to be kept for long', async () => {
  const brief = newExchange({ idleMs: 50 });
  addresses = [one];
  answer = (response) => response.setHeader('Keep-Alive', 'timeout=600').writeHead(204).end();
  await post(brief);
  const [socket] = endpoints[0]?.open ?? [];
  await new Promise((resolve) => socket?.once('close', resolve));
  await brief.close();
});

test('the end of all drops also what is under way', async () => {
  addresses = [one];
  const came = Promise.withResolvers<undefined>();
  answer = () => came.resolve(undefined);
  const late = newExchange({ deadlineMs: 60_000 });
  const posted = post(late);
  await came.promise;
  await late.close();
  expect((await posted).outcome).toMatchObject({ kind: 'unreachable', class: 'connect' });
});

test('a fresh connection takes up the TLS session of the one before, a lone one shows the certificate again', async () => {
  addresses = [one];
  answer = (response) => response.setHeader('Connection', 'close').writeHead(204).end();
  for (let count = 0; count < 3; count += 1) await post();
  expect(endpoints[0]).toMatchObject({ connections: 3, resumed: 2 });
  for (let count = 0; count < 3; count += 1) await post(client, null);
  expect(endpoints[0]).toMatchObject({ connections: 6, resumed: 2 });
});

test('a certificate is shown again after a minute, however often the session was taken up meanwhile', async () => {
  let now = 0;
  const slow = newExchange({ now: () => now });
  addresses = [one];
  answer = (response) => response.setHeader('Connection', 'close').writeHead(204).end();
  const resumed: number[] = [];
  for (now of [1_000, 31_000, 60_000, 62_000, 63_000]) {
    await post(slow);
    resumed.push(endpoints[0]?.resumed ?? 0);
  }
  expect(resumed).toEqual([0, 1, 2, 2, 3]);
  await slow.close();
});
