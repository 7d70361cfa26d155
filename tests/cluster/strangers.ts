// `make cluster-test ARGS=proxy`: a stranger with more connections than HAProxy takes of all together, while others ask.
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { Server } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { SERVER_LIMITS } from '../../src/http/bounded-server.ts';
import { printRows } from '../faults/report.ts';
import { until } from '../faults/environment.ts';
import { ApiProxy } from './rolling/proxy.ts';

/** More than `maxconn` of api.cfg. */
const CONNECTIONS = 8_100;
const [STRANGER, OTHER] = ['127.0.0.2', '127.0.0.3'];
/** Beside the limits, on a machine that does other work. */
const PATIENCE_MS = 5_000;
const { maxConnectionsOfAddress, headersMs } = SERVER_LIMITS;

type Closers = (() => unknown)[];
/** What is expected, what was found, and whether that is it. */
type Row = readonly [expected: string, found: string, isGood: boolean];

/** Whether HAProxy, set up by deploy/haproxy, bounds a stranger as the service would; whoever calls closes, the latest first. */
export async function holdOffStrangers(closers: Closers): Promise<boolean> {
  const proxy = await ApiProxy.start([await startAnswering(closers), await startAnswering(closers)]);
  closers.push(() => proxy.close());
  await proxy.waitUntilWhole();
  const { hostname, port } = new URL(proxy.baseUrl);
  const sockets: Socket[] = [];
  closers.push(() => sockets.forEach((socket) => socket.destroy()));
  const startedAt = performance.now();
  const secondsFrom = (): string => `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
  for (let count = 0; count < CONNECTIONS; count += 1) {
    const socket = connect({ host: hostname, port: Number(port), localAddress: STRANGER });
    sockets.push(socket.on('error', () => undefined).resume());
    socket.write('G');
    await new Promise<void>((resolve) => {
      for (const event of ['connect', 'close']) socket.once(event, () => resolve());
    });
  }
  const countOpen = (): number => sockets.filter(({ closed }) => !closed).length;
  const rows: Row[] = [];
  const other = await ask(proxy.baseUrl, OTHER);
  rows.push(['another address is answered', other, other === '200']);
  const same = await ask(proxy.baseUrl, STRANGER);
  rows.push(['the stranger is refused', same, same !== '200']);
  const kept = await countUntil(countOpen, maxConnectionsOfAddress);
  const limit = `${maxConnectionsOfAddress} of ${CONNECTIONS} connections stay open`;
  rows.push([limit, `${kept} after ${secondsFrom()}`, kept === maxConnectionsOfAddress]);
  const left = await countUntil(countOpen, 0, headersMs);
  rows.push([`none does for ${headersMs / 1_000} s`, `${left} after ${secondsFrom()}`, left === 0]);
  const again = await ask(proxy.baseUrl, STRANGER);
  rows.push(['then the stranger is answered', again, again === '200']);
  const multiple = await askByHttp2(proxy.baseUrl);
  rows.push(['HTTP/2 has no answer', multiple, multiple !== '200']);
  printRows([
    ['expected', 'found', ''],
    ...rows.map(([expected, found, isGood]) => [expected, found, isGood ? 'good' : 'bad']),
  ]);
  return rows.every(([, , isGood]) => isGood);
}

/** A process that answers everything, as `host:port`. */
async function startAnswering(closers: Closers): Promise<string> {
  const server: Server = createServer((_request, response) => response.end('{}'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The count at last, which is awaited. */
async function countUntil(count: () => number, wanted: number, ms = 0): Promise<number> {
  const counted = (): Promise<number> => Promise.resolve(count());
  await until(`${wanted} connections`, counted, (found) => found === wanted, ms + PATIENCE_MS).catch(
    () => undefined,
  );
  return count();
}

/** The status of an answer to a new connection from an address, or why there is none. */
function ask(baseUrl: string, localAddress: string): Promise<string> {
  return new Promise((resolve) => {
    const request = get(`${baseUrl}/v2/users`, { localAddress, agent: false, timeout: PATIENCE_MS });
    request.once('response', (response) => {
      response.resume();
      resolve(String(response.statusCode));
    });
    request.once('timeout', () => request.destroy(new Error('no answer')));
    request.once('error', ({ message }) => resolve(message));
  });
}

/** The same by HTTP/2, whose connections have many requests at once. */
function askByHttp2(baseUrl: string): Promise<string> {
  return new Promise((resolve) => {
    const session = connectHttp2(baseUrl);
    session.once('error', ({ message }) => resolve(message));
    const stream = session.request({ ':path': '/v2/users' });
    stream.once('response', ({ ':status': status }) => resolve(String(status)));
    stream.once('error', ({ message }) => resolve(message));
    stream.once('close', () => session.destroy());
    stream.resume();
  });
}
