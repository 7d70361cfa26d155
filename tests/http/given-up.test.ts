import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import express from 'express';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { MockInstance } from 'vitest';
import { ComputePool } from '../../src/compute/pool.ts';
import { OverlongComputation } from '../../src/domain/api/overlong-computation.ts';
import { Problem } from '../../src/domain/api/problem.ts';
import { createHealthApp } from '../../src/http/app.ts';
import { readBodyBytes } from '../../src/http/body.ts';
import { AlreadyAnsweredError } from '../../src/http/given-up.ts';
import { OPEN_BODY_LIMITS } from '../../src/http/open-bodies.ts';
import { createAnswerGuard, createProblemHandler } from '../../src/http/problems.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';
import { OWN_LOCKS } from '../support/database.ts';
import { RecordingLog } from '../support/secret-leaks.ts';

// What becomes of a request that is answered, or whose client goes, while its handler still waits for something.

let printed: MockInstance<typeof console.error>;
beforeEach(() => {
  // Under NODE_ENV=test Express keeps to itself what it prints elsewhere.
  vi.stubEnv('NODE_ENV', 'production');
  printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

function send(baseUrl: string, line: string, headers: readonly string[], body = ''): Socket {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  socket.write([`${line} HTTP/1.1`, 'Host: a', ...headers, '', body].join('\r\n'));
  return socket;
}

describe('a request whose body the guard of open bodies ends', () => {
  const compute = new ComputePool({ threads: 1 });
  let api: Api;
  beforeAll(async () => {
    vi.stubEnv('NODE_ENV', 'production');
    api = await startApi({
      services: { compute },
      bodyInTurnMs: 600_000,
      openBodyLimits: { ...OPEN_BODY_LIMITS, idleMs: 600_000, maxOfAddress: 1 },
    });
  });
  afterAll(async () => {
    await api.close();
    await compute.stop();
  });

  const upload = (body = ''): Socket =>
    send(
      api.baseUrl,
      `PATCH /api/partners/v2.0/org/${api.own.orgId}/trading/dayahead/prices`,
      [
        `Authorization: Bearer ${api.own.admin.token}`,
        'Content-Type: application/json',
        'Content-Length: 200000',
        'Connection: close',
      ],
      body,
    );

  test.each([
    ['/oauth2/token/', 'application/x-www-form-urlencoded'],
    ['/oauth2/revoke_token/', 'application/x-www-form-urlencoded'],
    ['/api/partners/v2.0/auth/token', 'application/json'],
    ['/api/partners/v2.0/auth/signup-request', 'application/json'],
    ['/accounts/login/', 'application/x-www-form-urlencoded'],
  ])('is answered once, and neither logged as a failure nor printed (POST %s)', async (path, type) => {
    // Refusals of partners whom the process knows have a line each.
    const { token } = api.own.staff;
    await api.call('listUsers', { token });
    const bearer = `Authorization: Bearer ${token}`;
    const open = (): Socket =>
      send(api.baseUrl, `POST ${path}`, [bearer, `Content-Type: ${type}`, 'Content-Length: 100']);
    // The second makes the first end.
    const bodies = [open(), open()];
    expect(await Promise.race(bodies.map((body) => text(body)))).toMatch(/^HTTP\/1\.1 408 /);
    for (const body of bodies) body.destroy();
    expect((await api.fetch('get', '/livez')).status).toBe(200);
    expect(api.log.text).toContain(`"path":"${path}","status":408`);
    expect(api.log.text).not.toContain('"level":"error"');
    expect(printed).not.toHaveBeenCalled();
  });

  test('while its caller is looked up takes no turn afterwards', async () => {
    const acquire = vi.spyOn(compute, 'acquireTurn');
    const client = await api.pool.connect();
    try {
      await client.query('begin; lock table access_tokens in access exclusive mode');
      const late = upload();
      await vi.waitUntil(() => isWaitingForLock(api), { interval: 1 });
      const other = send(api.baseUrl, 'POST /oauth2/token/', [
        'Content-Type: application/json',
        'Content-Length: 100',
      ]);
      expect(await text(late)).toMatch(/^HTTP\/1\.1 408 /);
      await client.query('rollback');
      // Its partner's next one has the turn that the late one would hold.
      expect(await text(upload(' '.repeat(200_000)))).toMatch(/^HTTP\/1\.1 400 /);
      other.destroy();
    } finally {
      client.release();
    }
    expect(acquire).toHaveBeenCalledOnce();
    expect(compute.usage.turns.held).toBe(0);
    expect(api.log.text).not.toContain('"level":"error"');
    expect(printed).not.toHaveBeenCalled();
  });
});

async function isWaitingForLock(api: Api): Promise<boolean> {
  const { rowCount } = await api.pool.query(`select 1 from ${OWN_LOCKS} where not granted`);
  return rowCount !== 0;
}

test.each<[why: string, end: (response: express.Response, client: Socket) => unknown]>([
  ['was answered', (response) => response.status(408).set('Connection', 'close').end()],
  ['has lost its client', (_response, client) => client.destroy()],
])('of a request that %s no body is read', async (_why, end) => {
  const given = Promise.withResolvers<[express.Request, express.Response]>();
  const app = express().post('/', (request, response) => given.resolve([request, response]));
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = send(`http://127.0.0.1:${port}`, 'POST /', ['Content-Length: 100']);
  try {
    const [request, response] = await given.promise;
    const closed = once(response, 'close');
    end(response, client);
    await closed;
    await expect(readBodyBytes(request, 1_000)).rejects.toThrow(AlreadyAnsweredError);
  } finally {
    client.destroy();
    server.close();
  }
});

test('an error that cannot be answered is a line of the log, and ends the connection', async () => {
  const log = new RecordingLog();
  const fail = (): never => {
    throw new Error('Nobody knows.');
  };
  const app = createHealthApp({
    registry: new Registry(),
    monotonicMs: () => 0,
    findNotReadyReason: () => Promise.reject(new Error('Not known.')),
    baseUrl: 'http://localhost',
    log,
    isUnavailable: fail,
    isOrganizationGone: fail,
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    expect(await text(send(`http://127.0.0.1:${port}`, 'GET /readyz', []))).toBe('');
    expect(log.text).toContain('"message":"Request failed."');
    expect(printed).not.toHaveBeenCalled();
  } finally {
    server.close();
  }
});

/** A server whose only answer is made by `handle`. */
async function serve(log: RecordingLog, handle: express.RequestHandler) {
  const settings = {
    baseUrl: 'http://localhost',
    isUnavailable: () => false,
    isOrganizationGone: () => false,
  };
  const app = express()
    .use(createAnswerGuard(log))
    .get('/', handle)
    .use(createProblemHandler({ ...settings, log }));
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('a reader who leaves before a stream is over is no failure', async () => {
  const log = new RecordingLog();
  const left = Promise.withResolvers<undefined>();
  const { server, baseUrl } = await serve(log, (_request, response, next) =>
    pipeline(Readable.from(new Array(1_000).fill('x'.repeat(100_000))), response)
      .catch(next)
      .finally(() => left.resolve(undefined)),
  );
  const client = send(baseUrl, 'GET /', []);
  await once(client, 'data');
  client.destroy();
  await left.promise;
  server.close();
  expect(log.text).toBe('');
  expect(printed).not.toHaveBeenCalled();
});

const refusal = new Problem('overloaded', 'Too many.');
test.each([
  ['a refusal', 'is not', refusal, false],
  ['a refusal that cuts an answer off', 'is', refusal, true],
  ['a computation that took too long', 'is', new OverlongComputation(1_000, undefined), false],
])('%s %s a line of the log', async (_what, isLogged, error, hasBegun) => {
  const log = new RecordingLog();
  const { server, baseUrl } = await serve(log, (_request, response) => {
    if (hasBegun) response.write('It begins.');
    throw error;
  });
  await text(send(baseUrl, 'GET /', ['Connection: close']));
  server.close();
  expect(log.text.includes('"message":"Request failed."')).toBe(isLogged === 'is');
});
