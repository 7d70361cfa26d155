// Attacks by pages and forms of the portal, scaled down: they are made by turns, and the loop stays free.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leastHoldMs, MAX_HOLD_MS, startAttackedService } from './attacked-service.ts';
import type { AttackedService } from './attacked-service.ts';

let service: AttackedService;
beforeAll(async () => {
  service = await startAttackedService({}, { COMPUTE_SECONDS: '3600' });
});
afterAll(() => service.remove());

test.each([
  ['price-pages', 200],
  ['price-forms', 422],
])('%s: one is answered, and the loop is held for less than 50 ms', async (name, status) => {
  const { counts } = await service.attack(name, 1);
  expect(counts[status]).toBeGreaterThanOrEqual(1);
  const many = (): Promise<unknown> => service.attack(name, 12, 12);
  expect(await leastHoldMs(service, [many, many])).toBeLessThan(MAX_HOLD_MS);
  expect(await service.ask('GET')).toBe(200);
});
