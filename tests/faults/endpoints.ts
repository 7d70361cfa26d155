// Endpoints that do everything but answer. Each has a healthy neighbour in the same organization.
import type { ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { generate } from 'selfsigned';
import { serverCertificate, type Certificate } from '../../src/cli/demo/certificates.ts';
import type { Answer } from '../support/receiver.ts';
import { arrivals, type Report } from './report.ts';
import { until, type DeliveryState, type World } from './world.ts';

interface Bad {
  readonly name: string;
  /** The class of error in the attempt log; `none` where the status line alone decides, and it was good. */
  readonly error: string;
  readonly url: (world: World) => Promise<string>;
}

const answering = (answer: Answer) => async (world: World) => {
  const receiver = await world.receiver();
  receiver.answer = answer;
  return receiver.url();
};

/** Piece after piece, until the other side has had enough. */
const drip = (response: ServerResponse, write: () => unknown): void => {
  const timer = setInterval(write, 200);
  response.once('close', () => clearInterval(timer));
};

const largeHeaders = Buffer.from(`X-Large: ${'x'.repeat(1_000)}\r\n`.repeat(10_000));
const mebibyte = Buffer.alloc(1024 * 1024);

const bad: readonly Bad[] = [
  { name: 'accepts and never answers', error: 'timeout', url: answering('hang') },
  {
    name: 'drips its headers',
    error: 'timeout',
    url: answering((_request, response) => {
      response.socket?.write('HTTP/1.1 200 OK\r\n');
      drip(response, () => response.socket?.write('X-Drip: 1\r\n'));
    }),
  },
  {
    name: 'drips its body',
    error: 'none',
    url: answering((_request, response) => {
      response.writeHead(200);
      drip(response, () => response.write('.'));
    }),
  },
  {
    name: 'sends a body of 1 GB',
    error: 'none',
    url: answering((_request, response) => {
      response.writeHead(200, { 'Content-Length': 1024 * mebibyte.length });
      let left = 1024;
      const more = (): void => {
        while (left > 0 && response.writable) {
          left -= 1;
          if (!response.write(mebibyte)) return;
        }
      };
      response.on('drain', more);
      more();
    }),
  },
  {
    name: 'sends a gzip bomb',
    error: 'none',
    url: answering({
      status: 200,
      headers: { 'Content-Encoding': 'gzip' },
      // 100 MiB in 100 KiB.
      body: gzipSync(Buffer.alloc(100 * mebibyte.length)),
    }),
  },
  {
    name: 'sends 10 MB of headers',
    error: 'connect',
    url: answering((_request, response) => {
      response.socket?.write('HTTP/1.1 200 OK\r\n');
      response.socket?.write(largeHeaders);
    }),
  },
  {
    name: 'redirects',
    error: 'redirect',
    url: answering({ status: 307, headers: { Location: 'https://localhost:1/' } }),
  },
  {
    name: 'resets the connection',
    error: 'connect',
    url: answering((_request, response) => void response.socket?.destroy()),
  },
  {
    name: 'has a certificate for another name',
    error: 'tls',
    url: async (world) => (await world.receiver({ names: ['elsewhere.example'], addresses: [] })).url(),
  },
  {
    name: 'has an expired certificate',
    error: 'tls',
    url: async (world) => listening(world, createTlsServer(await expired(world))),
  },
  {
    name: 'accepts and says nothing at all',
    error: 'timeout',
    url: (world) => listening(world, createServer()),
  },
];

async function listening(world: World, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.on('connection', (socket) => socket.on('error', () => socket.destroy()));
  world.alsoClose(server);
  return `https://localhost:${(server.address() as AddressInfo).port}/`;
}

async function expired({ authority }: World): Promise<Certificate> {
  const fresh = await serverCertificate(authority, ['localhost']);
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ca: { cert: authority.ca, key: authority.caKey },
    notBeforeDate: new Date('2020-01-01'),
    notAfterDate: new Date('2021-01-01'),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  return { ...fresh, cert: made.cert, key: made.private };
}

/** All at once against one worker: the healthy endpoint gets its messages at once, each bad one its attempt. */
export async function badEndpoints(world: World, messages: number): Promise<Report[]> {
  const healthy = await world.receiver();
  const list = arrivals(healthy, async () => 204);
  const urls = await Promise.all(bad.map(({ url }) => url(world)));
  const orgId = await world.organization([...urls, healthy.url()]);
  const worker = await world.startWorker();
  const since = performance.now();
  await world.messages(orgId, messages);
  await until(
    'the healthy endpoint has its messages',
    () => list.length,
    (count) => count >= messages,
  );
  const healthyMs = performance.now() - since;
  const at = (all: readonly DeliveryState[], url: string): DeliveryState[] =>
    all.filter((each) => each.url === url && each.errors.length > 0);
  const all = await until(
    'each bad endpoint has had attempts',
    () => world.deliveries(orgId),
    (found) => urls.every((url) => at(found, url).length >= Math.min(messages, 8)),
  );
  const rss = memoryOf(worker.process.pid);
  await world.kill(worker);
  const reports = bad.map(({ name, error }, index): Report => {
    const attempted = at(all, urls[index] ?? '');
    const state = error === 'none' ? 'delivered' : 'pending';
    const wrong = attempted.filter(
      (each) => each.state !== state || each.errors.some((one) => one !== error),
    );
    const faults =
      wrong.length === 0 ? [] : [`${wrong.length} not ${error}: ${wrong[0]?.errors.join() ?? ''}`];
    if (rss > 400) faults.push(`the worker has taken ${rss} MiB`);
    const [count, lost] = [attempted.length, wrong.length];
    return {
      fault: `endpoint ${name}`,
      messages: count,
      lost,
      duplicates: 0,
      bound: 0,
      resumedMs: undefined,
      faults,
    };
  });
  const missing = messages - new Set(list.map(({ messageId }) => messageId)).size;
  return [
    ...reports,
    {
      fault: `healthy endpoint beside these ${bad.length}`,
      messages,
      lost: missing,
      duplicates: list.length - messages,
      bound: 0,
      resumedMs: healthyMs,
      faults: healthyMs > 5_000 ? ['held up'] : [],
    },
  ];
}

/** Resident memory in MiB; where the system does not tell, none. */
function memoryOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}
