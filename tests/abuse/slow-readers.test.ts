// Attacks by readers that take next to nothing of what they asked for, scaled down.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../process/partner.ts';
import { startAttackedService } from './attacked-service.ts';
import type { AttackedService } from './attacked-service.ts';

/** More than the service has connections to its database. */
const READERS = 20;

let service: AttackedService;
beforeAll(async () => {
  service = await startAttackedService({ households: 1_000, users: 30_000 });
});
afterAll(() => service.remove());

test('readers of locations hold no connection to the database, however much they ask for', async () => {
  const attack = service.begin('locations', READERS);
  await until(attack.counts, ({ 200: answered = 0 }) => answered >= READERS);
  expect(await service.ask('GET')).toBe(200);
  expect(await service.ask('POST')).toBe(201);
  await until(service.countBusyConnections, (busy) => busy === 0);
  await attack.end();
});

test('of 40 readers of a long list 16 are sent it at once', async () => {
  const attack = service.begin('users-slowly', 40);
  // 16 wait for their turn, in vain after 2 s.
  const answers = await until(
    attack.counts,
    ({ 200: sent = 0, 503: refused = 0 }) => sent >= 16 && sent + refused >= 24,
  );
  expect(answers['200']).toBe(16);
  await attack.end();
});
