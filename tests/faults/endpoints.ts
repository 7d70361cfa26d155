// Endpoints that do everything but answer. Each has a healthy neighbour in the same organization.
import type { ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { generate } from 'selfsigned';
import { createServerCertificate, type Certificate } from '../../tools/demo/certificates.ts';
import type { Answer } from '../support/receiver.ts';
import { recordArrivals, type Report } from './report.ts';
import { until, type DeliveryState, type FaultEnvironment } from './environment.ts';

interface Bad {
  readonly name: string;
  /** The class of error in the attempt log; `none` where the status line alone decides, and it was good. */
  readonly error: string;
  readonly url: (environment: FaultEnvironment) => Promise<string>;
}

const answering = (answer: Answer) => async (environment: FaultEnvironment) => {
  const receiver = await environment.receiver();
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
    url: async (environment) =>
      (await environment.receiver({ names: ['elsewhere.example'], addresses: [] })).url(),
  },
  {
    name: 'has an expired certificate',
    error: 'tls',
    url: async (environment) => listening(environment, createTlsServer(await expired(environment))),
  },
  {
    name: 'accepts and says nothing at all',
    error: 'timeout',
    url: (environment) => listening(environment, createServer()),
  },
];

async function listening(environment: FaultEnvironment, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.on('connection', (socket) => socket.on('error', () => socket.destroy()));
  environment.alsoClose(server);
  return `https://localhost:${(server.address() as AddressInfo).port}/`;
}

async function expired({ authority }: FaultEnvironment): Promise<Certificate> {
  const fresh = await createServerCertificate(authority, ['localhost']);
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

/** The attempt with which a delivery that keeps failing is given up. */
const lastAttempt = 10;

/**
 * All at once against one fresh worker: the healthy endpoint gets its messages at once, and every message to a bad one ends in
 * its right state: delivered, due again later, or given up where no attempt was left.
 */
export async function sendToBadEndpoints(environment: FaultEnvironment, messages: number): Promise<Report[]> {
  const healthy = await environment.receiver();
  const list = recordArrivals(healthy, async () => 204);
  const urls = await Promise.all(bad.map(({ url }) => url(environment)));
  const orgId = await environment.organization([...urls, healthy.url()]);
  await environment.messages(orgId, messages);
  const [spent = ''] = (await environment.deliveries(orgId)).map(({ messageId }) => messageId);
  await environment.database.pool.query(
    'update deliveries set attempts = $1 where org_id = $2 and message_id = $3',
    [lastAttempt - 1, orgId, spent],
  );
  const worker = await environment.startWorker();
  const since = performance.now();
  await until(
    'the healthy endpoint has its messages',
    () => list.length,
    (count) => count >= messages,
  );
  const healthyMs = performance.now() - since;
  await until(
    'each message has had its attempt at each endpoint',
    () => environment.deliveries(orgId),
    (found) => found.every(({ errors }) => errors.length > 0),
    90_000,
  );
  const rss = memoryOf(worker.process.pid);
  // What is under way ends, and nothing is taken up any more.
  await worker.process.stop();
  const later = await dueLater(environment, orgId);
  const late = await countSentAfterTimeout(environment, orgId, healthy.url());
  const all = await environment.deliveries(orgId);
  await environment.kill(worker);
  const reports = bad.map(({ name, error }, index): Report => {
    const own = all.filter(({ url }) => url === urls[index]);
    const wrong = own.filter((each) => !isRight(each, error, each.messageId === spent, later));
    const [first] = wrong;
    const faults =
      first === undefined ? [] : [`${wrong.length} not ${error}: ${first.state} ${first.errors.join()}`];
    if (rss > 400) faults.push(`the worker has taken ${rss} MiB`);
    return {
      fault: `endpoint ${name}`,
      messages: own.length,
      lost: wrong.length + messages - own.length,
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
      faults: late > 0 ? [`${late} were sent only after an attempt elsewhere had timed out`] : [],
    },
  ];
}

/** Whether a delivery is in the state that its endpoint leads to, with nothing left behind. */
function isRight(each: DeliveryState, error: string, isSpent: boolean, later: ReadonlySet<string>): boolean {
  if (each.isLeased || each.errors.some((one) => one !== error)) return false;
  if (error === 'none') return each.state === 'delivered' && each.errors.length === 1;
  if (isSpent) return each.state === 'exhausted' && each.attempts === lastAttempt && each.errors.length === 1;
  return (
    each.state === 'pending' && each.attempts === each.errors.length && later.has(each.messageId + each.url)
  );
}

/** Attempts at an endpoint that began when the first of those that time out had ended: they may have waited for it. */
async function countSentAfterTimeout(
  environment: FaultEnvironment,
  orgId: string,
  url: string,
): Promise<number> {
  const { rows } = await environment.database.pool.query<{ count: number }>(
    `select count(*)::int as count from delivery_attempts a join webhooks w on w.org_id = a.org_id and w.id = a.webhook_id
     where a.org_id = $1 and w.url = $2 and a.started_at >= (
       select min(started_at + duration_ms * interval '1 millisecond') from delivery_attempts
       where org_id = $1 and error_class = 'timeout')`,
    [orgId, url],
  );
  return rows[0]?.count ?? 0;
}

/** Deliveries that wait for a retry: due at least the shortest wait after they were written. */
async function dueLater(environment: FaultEnvironment, orgId: string): Promise<ReadonlySet<string>> {
  const { rows } = await environment.database.pool.query<{ key: string }>(
    `select d.message_id || w.url as key from deliveries d join webhooks w on w.org_id = d.org_id and w.id = d.webhook_id
     where d.org_id = $1 and d.due_at >= d.created_at + interval '4 seconds'`,
    [orgId],
  );
  return new Set(rows.map(({ key }) => key));
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
