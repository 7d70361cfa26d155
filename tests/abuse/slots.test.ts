// Attacks by work of which the service does little at once, scaled down: most are refused before anything is done.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../process/partner.ts';
import { startAttackedService } from './attacked-service.ts';
import type { AttackedService } from './attacked-service.ts';

let service: AttackedService;
beforeAll(async () => {
  service = await startAttackedService();
});
afterAll(() => service.remove());

test.each([
  // One is hashed and six wait; the second hash at once is another address's.
  ['login', 24, 17],
  ['password-grant', 24, 17],
  // Of the 32 at once a partner has all but the last, and 32 wait.
  ['webhook-tests', 80, 17],
])('%s: of %i at once %i are refused first', async (name, atOnce, refused) => {
  const attack = service.begin(name, atOnce);
  const answers = await until(attack.counts, (counts) => sum(counts) >= refused);
  expect(answers['503'] ?? 0).toBeGreaterThanOrEqual(refused);
  expect(await service.ask('GET')).toBe(200);
  await attack.end();
});

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((a, b) => a + b, 0);
}
