// Attacks by work that takes long, scaled down: it is done by threads, a partner has one turn, and the loop stays free.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../process/partner.ts';
import { leastHoldMs, MAX_HOLD_MS, startAttackedService } from './attacked-service.ts';
import type { AttackedService } from './attacked-service.ts';

const HEAVY = ['valid-prices', 'faulty-prices', 'previews', 'series', 'schedules'] as const;

let service: AttackedService;
beforeAll(async () => {
  // On a busy machine the largest computation takes far longer than its default time.
  service = await startAttackedService({ households: 50 }, { COMPUTE_SECONDS: '3600' });
});
afterAll(() => service.remove());

test.each(HEAVY)(
  '%s: who has no turn is refused after a second, and the loop is held for less than 50 ms',
  async (name) => {
    await service.attack(name, 1);
    const startedMs = performance.now();
    const attack = service.begin(name, 12, Infinity);
    const refused = async (): Promise<void> => {
      await until(attack.counts, ({ 503: count = 0 }) => count > 0);
      expect(performance.now() - startedMs).toBeGreaterThan(990);
    };
    // Until one is done: on a busy machine some bodies do not arrive in the time of their turn.
    const countDone = ({ 200: done = 0, 422: faulty = 0 }: Partial<Record<string, number>>): number =>
      done + faulty;
    const oneMore = async (): Promise<unknown> => {
      const before = countDone(attack.counts());
      return until(attack.counts, (counts) => countDone(counts) > before);
    };
    const holdMs = await leastHoldMs(service, [() => Promise.all([refused(), oneMore()]), oneMore]);
    expect(holdMs).toBeLessThan(MAX_HOLD_MS);
    await attack.end();
  },
);

/**
 * Loading the threads takes half a second of the processor itself, or more, and begins ten seconds from the start unless somebody
 * needs them before: they are loaded when they have had the processor, and then not for a second.
 */
async function threadMsOnceLoaded(): Promise<number> {
  let [last, sinceMs] = [0, performance.now()];
  return until(service.threadMsThatGiveWay, (ms) => {
    if (ms !== last) [last, sinceMs] = [ms, performance.now()];
    return ms > 0 && performance.now() - sinceMs > 1_000;
  });
}

test.each(HEAVY)('%s: they are worked on by threads that give way', async (name) => {
  const before = await threadMsOnceLoaded();
  const attack = service.begin(name, 1, Infinity);
  await until(service.threadMsThatGiveWay, (ms) => ms - before > 500);
  await attack.end();
});

test('previews: their garbage is collected by one thread beside them, which gives way', async () => {
  await service.attack('previews', 1);
  expect(await service.nicenessOfV8Threads()).toEqual([5]);
});

test('device-pages: counters of a year are summed in slices, and the loop is held for less than 50 ms', async () => {
  await service.attack('device-pages', 1);
  const many = async (): Promise<void> => {
    const { counts } = await service.attack('device-pages', 6, 4);
    expect(counts).toMatchObject({ 200: expect.any(Number) });
  };
  expect(await leastHoldMs(service, [many, many])).toBeLessThan(MAX_HOLD_MS);
});
