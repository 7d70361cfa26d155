// Attacks by what a request says, scaled down: bodies of megabytes, long queries.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OF_AN_ADDRESS } from '../../bench/abuse/wire.ts';
import { until } from '../process/partner.ts';
import { startAttackedService } from './attacked-service.ts';
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
  await service.takeHoldMs();
  await hasAnswered(250);
  expect(await service.takeHoldMs()).toBeLessThan(50);
  expect(await service.ask('GET')).toBe(200);
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
  const { counts, processorMs } = await service.attack('faulty-prices', 2, 1);
  expect(counts).toEqual({ 422: 2 });
  expect(processorMs / 2).toBeLessThan(1000);
});

test.each([
  ['many-codes', 400],
  ['deep-offsets', 422],
])('%s: what is within the bounds is answered, what is beyond is refused', async (name, refused) => {
  expect((await service.attack(name, 20)).counts).toEqual({ 200: 10, [refused]: 10 });
});
