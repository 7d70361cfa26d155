import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ComputePool } from '../../src/compute/pool.ts';
import { OPEN_BODY_LIMITS } from '../../src/http/open-bodies.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';
import { ManualTimers } from '../shares/manual-timers.ts';

const timers = new ManualTimers();
const compute = new ComputePool({ threads: 1, refuseAfterMs: 0, startTimer: timers.start });
let api: Api;
beforeAll(async () => {
  api = await startApi({
    services: { compute },
    bodyInTurnMs: 600_000,
    openBodyLimits: { ...OPEN_BODY_LIMITS, idleMs: 600_000, maxOfAddress: 256 },
  });
});
afterAll(async () => {
  await api.close();
  await compute.stop();
});

/** Sends the head of a request whose body does not come. */
function sendHead(path: string, method: string, to: Api = api, length = 800_000): Socket {
  const { hostname, port } = new URL(to.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.write(
    [
      `${method} /api/partners/v2.0/org/${to.own.orgId}/${path} HTTP/1.1`,
      `Host: ${hostname}`,
      `Authorization: Bearer ${to.own.admin.token}`,
      'Content-Type: application/json',
      `Content-Length: ${length}`,
      '\r\n',
    ].join('\r\n'),
  );
  return socket;
}

const sendUpload = (): Socket => sendHead('trading/dayahead/prices', 'PATCH');
const sendPreview = (to?: Api, length?: number): Socket =>
  sendHead('device-simulator/fleets/preview', 'POST', to, length);
const preview = { request_id: '6d7a2c1e-51a0-4d7e-9a0c-0f6a3f1b2c3d', count: 1 };

/** What the service answers until it closes the connection. */
async function readToEnd(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await once(socket, 'close');
  return text;
}

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
};
const waitingOf = (): number => compute.usage.turns.waiting;

test('eight requests of a partner wait for its turn, their bodies unread, and are refused in time, the ninth before them', async () => {
  const release = await compute.acquireTurn(api.own.orgId);
  const refused = Array.from({ length: 8 }, () => readToEnd(sendUpload()));
  await until(() => waitingOf() === 8);
  const ninth = await readToEnd(sendUpload());
  expect(ninth).toMatch(/^HTTP\/1.1 503 /);
  expect(ninth).toMatch(/^connection: close\r$/im);
  expect(ninth).toMatch(/^retry-after: 2\r$/im);
  const tenth = await api.call('previewFleet', { body: preview });
  expect(tenth).toMatchObject({ status: 503, body: { code: 'overloaded' } });
  expect(waitingOf()).toBe(8);
  timers.advance(2_000);
  for (const answer of await Promise.all(refused)) expect(answer).toMatch(/^HTTP\/1.1 503 /);
  release();
});

test('while a partner holds its turn with a body that does not come, another one is served', async () => {
  const socket = sendPreview();
  await until(() => compute.usage.turns.held === 1);
  const { orgId, admin } = api.foreign;
  const answer = await api.call('previewFleet', {
    path: { org_id: orgId },
    token: admin.token,
    body: preview,
  });
  expect(answer.status).toBe(200);
  expect(compute.usage.turns.held).toBe(1);
  socket.destroy();
  await until(() => compute.usage.turns.held === 0);
});

test('a body that is too large by its length waits for no turn', async () => {
  const release = await compute.acquireTurn(api.own.orgId);
  const refused = await readToEnd(sendHead('trading/dayahead/prices', 'PATCH', api, 8_388_609));
  expect(refused).toMatch(/^HTTP\/1.1 413 /);
  release();
});

test('a client that goes away gives its place in the queue back', async () => {
  const release = await compute.acquireTurn(api.own.orgId);
  // Of a body that is not declared to be long the connection is read on, so that its end is seen before the turn comes.
  const socket = sendPreview(api, 65_536);
  await until(() => waitingOf() === 1);
  socket.destroy();
  await until(() => waitingOf() === 0);
  release();
});

test('a client that goes away while what it has sent waits for its turn gives its place in the queue back', async () => {
  const release = await compute.acquireTurn(api.own.orgId);
  const gone = new AbortController();
  const asked = fetch(`${api.baseUrl}/api/partners/v2.0/org/${api.own.orgId}/device-simulator/fleets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.own.admin.token}`, 'content-type': 'application/json' },
    // A density is read on a thread.
    body: JSON.stringify({ ...preview, density: {} }),
    signal: gone.signal,
  });
  await until(() => waitingOf() === 1);
  gone.abort();
  await expect(asked).rejects.toThrow();
  await until(() => waitingOf() === 0);
  release();
});

test('a body that is ended because it brings nothing gives its turn back', async () => {
  const impatient = await startApi({
    services: { compute },
    bodyInTurnMs: 600_000,
    openBodyLimits: { ...OPEN_BODY_LIMITS, idleMs: 100, maxOfAddress: 256 },
  });
  try {
    expect(await readToEnd(sendPreview(impatient))).toMatch(/^HTTP\/1.1 408 /);
    await until(() => compute.usage.turns.held === 0);
  } finally {
    await impatient.close();
  }
});
