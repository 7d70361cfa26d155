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
])(
  '%s: of %i at once %i are refused first, none of them sooner than after a second',
  async (name, atOnce, refused) => {
    const startedMs = performance.now();
    const attack = service.begin(name, atOnce);
    await until(attack.counts, ({ 503: told = 0 }) => told > 0);
    // Timers of Node.js may be a millisecond early.
    expect(performance.now() - startedMs).toBeGreaterThan(990);
    await until(attack.counts, ({ 503: told = 0 }) => told >= refused);
    expect(await service.ask('GET')).toBe(200);
    await attack.end();
  },
);

test.each(['login', 'password-grant'])('%s: hashes are computed by threads that give way', async (name) => {
  const before = await service.threadMsThatGiveWay();
  const attack = service.begin(name, 3, Infinity);
  // More than loading both threads takes, and as long as a busy machine takes: the threads get what others leave.
  await until(service.threadMsThatGiveWay, (ms) => ms - before > 500);
  await attack.end();
});
