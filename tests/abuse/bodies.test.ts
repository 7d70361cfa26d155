// Attacks by what a request says, scaled down: bodies of megabytes, long queries.
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiPath, bearerJson } from '../../bench/abuse/attack.ts';
import { OF_AN_ADDRESS, requestText, statusesOf } from '../../bench/abuse/wire.ts';
import { until } from '../process/partner.ts';
import { leastHoldMs, MAX_HOLD_MS, startAttackedService } from './attacked-service.ts';
import type { AttackedService } from './attacked-service.ts';

let service: AttackedService;
beforeAll(async () => {
  service = await startAttackedService();
});
afterAll(() => service.remove());

test('tiny-chunks: what reads them refuses them, what does not answers, and each connection ends', async () => {
  expect((await service.attack('tiny-chunks', 6, 1)).counts).toMatchObject({ 200: 3, 413: 3 });
});

test('tiny-chunks: from as many connections as an address has they hold the loop for less than 50 ms', async () => {
  const attack = service.begin('tiny-chunks', OF_AN_ADDRESS, Infinity);
  const hasAnswered = (count: number): Promise<unknown> =>
    until(attack.counts, ({ 200: answered = 0, 413: refused = 0 }) => answered + refused >= count);
  // What is compiled on the way is not the attack's.
  await hasAnswered(100);
  expect(
    await leastHoldMs(
      service,
      [175, 250].map((count) => () => hasAnswered(count)),
    ),
  ).toBeLessThan(MAX_HOLD_MS);
  expect(await service.ask('GET')).toBe(200);
  await attack.end();
});

/** The longest hold of the loop by an attack that sends everything in one moment, every few seconds, from so many addresses. */
async function holdOfMoments(name: string, atOnce: number, addresses: number): Promise<number> {
  const attack = service.begin(name, atOnce, Infinity);
  const sent = (count: number): Promise<unknown> =>
    until(attack.counts, ({ volley = 0 }) => volley >= count * addresses);
  // The first time connections are opened one after the other, and what is compiled on the way is not the attack's.
  await sent(2);
  const holdMs = await leastHoldMs(
    service,
    [4, 6].map((count) => () => sent(count)),
  );
  await attack.end();
  return holdMs;
}

test('pipelined-chunks: all that comes in a moment holds the loop for less than 50 ms', async () => {
  expect(await holdOfMoments('pipelined-chunks', OF_AN_ADDRESS, 1)).toBeLessThan(MAX_HOLD_MS);
});

test('many-addresses-chunks: all that comes in a moment holds the loop for less than 50 ms', async () => {
  expect(await holdOfMoments('many-addresses-chunks', 500, 250)).toBeLessThan(MAX_HOLD_MS);
});

/** A request of the other partner with a body of 3,000 one-byte chunks; resolves to its status. */
async function askInTokens({ target, victim }: AttackedService): Promise<number> {
  const body = JSON.stringify({ email: `${crypto.randomUUID()}@example.com`, role: 'user' }).padEnd(3_000);
  const head = requestText({
    method: 'POST',
    path: apiPath(victim.orgId, '/users'),
    headers: { ...bearerJson(victim.token), connection: 'close', 'transfer-encoding': 'chunked' },
  });
  const socket = connect(target.port, '127.0.0.1');
  socket.write(`${head}${body.replaceAll(/./g, '1\r\n$&\r\n')}0\r\n\r\n`);
  return Number(statusesOf(await buffer(socket))[0]);
}

test('tiny-chunks: a body that another partner writes token by token comes whole', async () => {
  const attack = service.begin('tiny-chunks', OF_AN_ADDRESS, Infinity);
  await until(attack.counts, ({ 200: answered = 0 }) => answered > OF_AN_ADDRESS);
  const statuses: number[] = [];
  for (let n = 0; n < 2; n++) statuses.push(await askInTokens(service));
  expect(statuses).toEqual([201, 201]);
  await attack.end();
});

test('empty-lines: each connection ends, and another partner is answered meanwhile', async () => {
  const attack = service.begin('empty-lines', OF_AN_ADDRESS / 2, Infinity);
  // Where connections do not end, each has one answer.
  await until(attack.counts, ({ 200: answered = 0 }) => answered > 2 * OF_AN_ADDRESS);
  expect(await service.ask('GET')).toBe(200);
  await attack.end();
});

test('bodies nested 500,000 deep or of 70,000 keys are refused as JSON', async () => {
  const { counts } = await service.attack('nesting', 4);
  expect(counts).toEqual({ 400: 4 });
});

test('8 MB of faulty prices are refused for at most 1 s of processor time each', async () => {
  await service.attack('faulty-prices', 1);
  // One after the other: a second one at once waits for its turn no longer than 2 s.
  let least = Infinity;
  for (let upload = 0; upload < 3; upload += 1) {
    const { counts, processorMs } = await service.attack('faulty-prices', 1);
    expect(counts).toEqual({ 422: 1 });
    least = Math.min(least, processorMs);
  }
  expect(least).toBeLessThan(1000);
});

test.each([
  ['many-codes', 400],
  ['deep-offsets', 422],
])('%s: what is within the bounds is answered, what is beyond is refused', async (name, refused) => {
  expect((await service.attack(name, 20)).counts).toEqual({ 200: 10, [refused]: 10 });
});
