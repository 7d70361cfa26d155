// Attacks by work that takes long, scaled down: it is done by threads, a partner has one turn, and the loop stays free.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startAttackedService } from './attacked-service.ts';
import type { AttackedService } from './attacked-service.ts';

let service: AttackedService;
beforeAll(async () => {
  service = await startAttackedService({ households: 50 });
});
afterAll(() => service.remove());

test.each(['valid-prices', 'faulty-prices', 'previews', 'schedules'])(
  '%s: who has no turn is refused at once, and the loop is held for less than 50 ms',
  async (name) => {
    await service.attack(name, 1);
    const { counts, holdMs } = await service.attack(name, 16, 16);
    expect(counts['503']).toBeGreaterThan(0);
    expect(counts['200'] ?? counts['422']).toBeGreaterThan(0);
    expect(holdMs).toBeLessThan(50);
  },
);
