import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ComputePool } from '../../src/compute/pool.ts';
import { recordProblemCode } from '../support/api-client.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

// Who may hold a partner's turn by a body that does not come, and how long.

const compute = new ComputePool({ threads: 1, waitMs: 600_000 });
let api: Api;
beforeAll(async () => {
  api = await startApi({ services: { compute }, bodyInTurnMs: 200 });
});
afterAll(async () => {
  await api.close();
  await compute.stop();
});

interface Head {
  readonly orgId?: string;
  readonly token: string;
  readonly length?: number;
}

const begin = ({ orgId = api.own.orgId, token, length = 8_000_000 }: Head, bytes = ''): Socket => {
  const { hostname, port } = new URL(api.baseUrl);
  const socket = connect(Number(port), hostname);
  const head = [
    `PATCH /api/partners/v2.0/org/${orgId}/trading/dayahead/prices HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${bytes}`);
  return socket;
};

test.each<[who: string, head: () => Head, code: string]>([
  ['a token that may only read', () => ({ token: api.own.admin.readToken }), 'insufficient_scope'],
  ['a role that may not call', () => ({ token: api.own.user.token }), 'role_forbidden'],
  [
    'a token of another organization',
    () => ({ token: api.own.admin.token, orgId: api.foreign.orgId }),
    'organization_forbidden',
  ],
  ['a body that is too large', () => ({ token: api.own.admin.token, length: 9e6 }), 'payload_too_large'],
])('%s waits for no turn and takes none', async (_who, head, code) => {
  const release = await compute.acquireTurn(api.own.orgId);
  try {
    expect(await text(begin(head()))).toContain(`"code":"${code}"`);
  } finally {
    release();
  }
});

test('of a small body it is said first that it is not JSON, whoever sends it', async () => {
  const socket = begin({ token: api.own.admin.readToken, length: 60_000 }, 'x'.repeat(60_000));
  const [answer] = await new Promise<[Buffer]>((resolve) =>
    socket.once('data', (data: Buffer) => resolve([data])),
  );
  socket.destroy();
  expect(answer.toString()).toContain('"code":"malformed_json"');
});

test('a body that brings some bytes all the time is given up in the end, and the turn with it', async () => {
  const socket = begin({ token: api.own.admin.token }, '{');
  const drip = setInterval(() => socket.write(' '), 20);
  try {
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 408 [^]*connection: close[^]*"code":"request_timeout"/i);
    recordProblemCode('request_timeout');
  } finally {
    clearInterval(drip);
  }
  expect(compute.usage.turns.held).toBe(0);
});
