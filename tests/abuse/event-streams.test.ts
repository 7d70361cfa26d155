// More event streams than a partner may have, scaled down.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../process/partner.ts';
import { startAttackedService } from './attacked-service.ts';
import type { AttackedService } from './attacked-service.ts';

let service: AttackedService;
beforeAll(async () => {
  service = await startAttackedService();
});
afterAll(() => service.remove());

test('of 60 event streams 50 are opened, and none holds a connection to the database', async () => {
  const attack = service.begin('event-streams', 60);
  const answers = await until(
    attack.counts,
    ({ opened = 0, ...answered }) => opened === 60 && sum(answered) >= 60,
  );
  expect(answers['200']).toBe(50);
  await until(service.countBusyConnections, (busy) => busy === 0);
  await attack.end();
});

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((a, b) => a + b, 0);
}
