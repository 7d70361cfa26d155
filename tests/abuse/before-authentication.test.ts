// Attacks of anybody who knows the address, scaled down.
import { get } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Tally } from '../../bench/abuse/attack.ts';
import { OF_AN_ADDRESS } from '../../bench/abuse/wire.ts';
import { SERVER_LIMITS } from '../../src/http/bounded-server.ts';
import { until } from '../process/partner.ts';
import { leastHoldMs, MAX_HOLD_MS, startAttackedService } from './attacked-service.ts';
import type { AttackedService } from './attacked-service.ts';

let service: AttackedService;
beforeAll(async () => {
  service = await startAttackedService();
});
afterAll(() => service.remove());

/** What the victim gets by so many requests from an address, each over a connection of its own: statuses and errors. */
async function countAnswersToNew(count: number, localAddress: string): Promise<Record<string, number>> {
  const { orgId, userId, token } = service.victim;
  const options = {
    port: service.target.port,
    host: '127.0.0.1',
    path: `/api/partners/v2.0/org/${orgId}/users/${userId}`,
    headers: { authorization: `Bearer ${token}` },
    localAddress,
    agent: false,
  };
  const tally = new Tally();
  for (let n = 0; n < count; n++) {
    const answer = await new Promise<number | string>((resolve) => {
      get(options, (response) => response.resume().once('end', () => resolve(response.statusCode ?? 0))).once(
        'error',
        (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message),
      );
    });
    tally.count(answer);
  }
  return tally.counts();
}

test.each(['query-string', 'long-paths'])('%s: addresses of 15 kB are refused', async (name) => {
  expect((await service.attack(name, 20)).counts).toEqual({ 414: 20 });
});

test('forms of 1 MiB are refused without being parsed', async () => {
  await service.attack('forms', 1);
  const { counts, processorMs } = await service.attack('forms', 8);
  expect(counts['413']).toBe(8);
  expect(processorMs / 8).toBeLessThan(50);
});

test.each([
  ['large-headers', 401],
  ['cookies', 200],
])('%s: headers of 60 kB are refused, those of 15 kB are read', async (name, read) => {
  expect((await service.attack(name, 20)).counts).toEqual({ [read]: 10, 431: 10 });
});

test('document: is made once, and sending it costs next to nothing', async () => {
  await service.attack('document', 20);
  const { counts, processorMs } = await service.attack('document', 60);
  expect(counts).toEqual({ 200: 60 });
  // Made anew for each it takes 18 ms.
  expect(processorMs / 60).toBeLessThan(10);
});

test('probes: scrapes of the metrics share one count of the queue', async () => {
  const release = await service.lock('lock table deliveries in access exclusive mode');
  const attack = service.begin('probes', 20);
  try {
    const asking = await until(service.countQueueQuestions, (count) => count > 0);
    expect(await service.ask('GET')).toBe(200);
    expect([asking, await service.countQueueQuestions()]).toEqual([1, 1]);
  } finally {
    await release();
    await attack.end();
  }
});

test('probes: scrapes within a second get the same text', async () => {
  const scrape = async () => {
    const answer = await fetch(`http://127.0.0.1:${service.target.port}/metrics`);
    return answer.text();
  };
  const texts = await Promise.all(Array.from({ length: 40 }, scrape));
  expect(new Set(texts).size).toBeLessThan(10);
});

test.each(['large-headers', 'cookies', 'unknown-tokens', 'unknown-clients', 'probes', 'churn'])(
  '%s: costs at most 50 ms of processor time a request',
  async (name) => {
    await service.attack(name, 20);
    const { processorMs } = await service.attack(name, 40);
    expect(processorMs / 40).toBeLessThan(50);
  },
);

test('of bodies that do not end an address has 64 open, and whoever sends a whole one is served', async () => {
  const attack = service.begin('half-open-burst', OF_AN_ADDRESS);
  await until(attack.counts, ({ 408: ended = 0 }) => ended === OF_AN_ADDRESS - 64);
  expect(await service.ask('POST')).toBe(201);
  await attack.end();
});

test('while somebody is refused on all connections of an address, others of it are served on new ones', async () => {
  const attack = service.begin('refused-everywhere', SERVER_LIMITS.maxConnectionsOfAddress, Infinity);
  // Behind those that are answered at once, so that the others are held back.
  await until(attack.counts, ({ 401: refused = 0 }) => refused > 30);
  const answers = await countAnswersToNew(20, '127.0.0.2');
  expect(answers).toEqual({ 200: 20 });
  await attack.end();
});

test.each(['many-connections', 'connection-burst'])(
  '%s: the loop is held for less than 50 ms while all connections of eight addresses send at once',
  async (name) => {
    const attacks = [2, 3, 4, 5, 6, 7, 8, 9].map((n) =>
      service.begin(name, SERVER_LIMITS.maxConnectionsOfAddress, Infinity, `127.0.0.${n}`),
    );
    const hasAnswered = (count: number) =>
      Promise.all(attacks.map(({ counts }) => until(counts, ({ 200: answered = 0 }) => answered >= count)));
    // What is compiled on the way is not the attack's.
    await hasAnswered(300);
    const waits = [600, 900].map((count) => () => hasAnswered(count));
    expect(await leastHoldMs(service, waits)).toBeLessThan(MAX_HOLD_MS);
    expect(await service.ask('POST')).toBe(201);
    await Promise.all(attacks.map((attack) => attack.end()));
  },
);

/** Asks for a token by the header of the victim's client; resolves to the status. */
async function askForToken(): Promise<number> {
  const { clientId, clientSecret } = service.victim;
  const answer = await fetch(`http://127.0.0.1:${service.target.port}/oauth2/token/`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
      'content-type': 'application/json',
    },
    body: '{"grant_type":"client_credentials"}',
  });
  await answer.arrayBuffer();
  return answer.status;
}

test.each([
  ['calls', () => service.ask('GET')],
  ['asks for tokens', askForToken],
])('many-addresses: a partner that %s is served beside 250 addresses as beside one', async (_name, ask) => {
  expect(await ask()).toBe(200);
  const attack = service.begin('many-addresses', 500, Infinity);
  await until(attack.counts, ({ 200: answered = 0 }) => answered > 1_000);
  // One of 251 turns would begin some 25 of them within the time that they wait, and refuse the others.
  const statuses = await Promise.all(Array.from({ length: 80 }, ask));
  await attack.end();
  expect(new Set(statuses)).toEqual(new Set([200]));
});

test('of requests that are sent without waiting 100 wait, and a connection with more is cut off', async () => {
  const attack = service.begin('pipelining', 2);
  // Without the bound a connection ends too, but behind answers: it is not read on, so that some request does not arrive in time.
  const hasDone = (times: number) =>
    until(
      attack.counts,
      ({ 404: answered = 0, 'cut off': cutOff = 0 }) => answered >= 10 * times && cutOff >= times,
    );
  // What is compiled on the way is not the attack's.
  await hasDone(2);
  await service.takeHoldMs();
  await hasDone(4);
  expect(await service.ask('GET')).toBe(200);
  await attack.end();
  expect(await service.takeHoldMs()).toBeLessThan(MAX_HOLD_MS);
});
