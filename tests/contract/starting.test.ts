import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROUTES } from '../../generated/routes.ts';
import { createBoundedServer } from '../../src/http/bounded-server.ts';
import { answerWhileStarting } from '../../src/http/starting.ts';
import { ApiClient } from '../support/api-client.ts';
import { blankCall, problem } from './operation-calls.ts';

// What every operation answers before the service is there.

const server = createBoundedServer();
const client = new ApiClient(server, { orgId: randomUUID(), admin: { token: 'pat_any' } });
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://localhost:${(server.address() as AddressInfo).port}`;
  server.on('request', (request, response) => answerWhileStarting(baseUrl, request, response));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test.each(ROUTES.map((route) => [route.operationId, route] as const))('%s', async (id, route) => {
  const answer = await client.call(id, blankCall(route));
  expect(answer).toMatchObject(problem(503, 'starting'));
  expect(answer.headers['retry-after']).toBe('1');
});
