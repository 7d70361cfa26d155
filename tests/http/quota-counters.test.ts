import { describe, expect, test, vi } from 'vitest';
import type { QuotaCounters } from '../../src/http/quota-counters.ts';
import type { QuotaSubject } from '../../src/domain/security/quota-subjects.ts';
import { useQuotaProcesses } from './quota-processes.ts';

const { clock, newSubject, throughDatabase, startProcess } = useQuotaProcesses();

/** How many of `uses` uses at once are within the quota. */
async function admit(
  process: QuotaCounters,
  subject: QuotaSubject,
  quota: number,
  uses: number,
): Promise<number> {
  const states = await Promise.all(
    Array.from({ length: uses }, () => process.use('partner', subject, { quota, windowSeconds: 60 })),
  );
  return states.filter(({ used }) => used <= quota).length;
}

/** Twice the quota within a minute at each of several processes, which exchange `rounds` times meanwhile. */
async function load(processes: readonly QuotaCounters[], quota: number, rounds: number): Promise<number> {
  const subject = newSubject();
  let admitted = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (const process of processes) admitted += await admit(process, subject, quota, (2 * quota) / rounds);
    await Promise.all(processes.map((process) => process.exchange()));
  }
  return admitted;
}

describe('several processes on one database', () => {
  test.each([2, 4])('%i of them admit one quota together, within 20 %%', async (count) => {
    const quota = 6_000;
    const admitted = await load(
      Array.from({ length: count }, () => startProcess()),
      quota,
      60,
    );
    expect(admitted).toBeGreaterThanOrEqual(quota);
    expect(admitted).toBeLessThanOrEqual(1.2 * quota);
  });

  test('without the exchange each would admit a quota of its own', async () => {
    const quota = 6_000;
    const alone = (): QuotaCounters => startProcess({ exchange: () => Promise.reject(new Error('away')) });
    expect(await load([alone(), alone()], quota, 60)).toBe(2 * quota);
  });

  test('thousands of requests are one statement, and a caller that comes once is none', async () => {
    const statements: number[] = [];
    const process = startProcess({
      exchange: (uses) => {
        statements.push(uses.length);
        return throughDatabase(uses);
      },
    });
    for (const subject of [newSubject(), newSubject(), newSubject()])
      await admit(process, subject, 60_000, 1_000);
    await admit(process, newSubject(), 60_000, 10);
    await process.exchange();
    expect(statements).toEqual([3]);
    await process.exchange();
    expect(statements).toEqual([3]);
  });

  test('a subject whose quota is used up costs no statement however it goes on', async () => {
    const statements: number[] = [];
    const process = startProcess({
      exchange: (uses) => {
        statements.push(uses.length);
        return throughDatabase(uses);
      },
    });
    const subject = newSubject();
    expect(await admit(process, subject, 100, 100)).toBe(100);
    await process.exchange();
    expect(await admit(process, subject, 100, 5_000)).toBe(0);
    await process.exchange();
    expect(statements).toEqual([1]);
  });

  test('the timer tells by itself, within the time between two exchanges', async () => {
    const told = Promise.withResolvers<unknown>();
    const process = startProcess({
      exchangeMs: 1,
      exchange: (uses) => {
        told.resolve(uses);
        return throughDatabase(uses);
      },
    });
    const subject = newSubject();
    await admit(process, subject, 1_000, 20);
    expect(await told.promise).toEqual([
      { policy: 'partner', subject, windowStartedAt: clock.now(), used: 20 },
    ]);
  });
});

describe('a small quota', () => {
  const quota = { quota: 10, windowSeconds: 60 };

  test('is exact over processes, also when all uses come at once', async () => {
    const subject = newSubject();
    const states = await Promise.all(
      [startProcess(), startProcess(), startProcess()].flatMap((process) =>
        Array.from({ length: 10 }, () => process.use('login', subject, quota)),
      ),
    );
    expect(states.filter(({ used }) => used <= 10)).toHaveLength(10);
  });

  test('is asked for in few statements, however many wait', async () => {
    let statements = 0;
    const process = startProcess({
      exchange: (uses) => {
        statements += 1;
        return throughDatabase(uses);
      },
    });
    await Promise.all(Array.from({ length: 300 }, () => process.use('signup', newSubject(), quota)));
    expect(statements).toBeLessThanOrEqual(2);
  });
});

describe('while the database is away', () => {
  test('each process counts for itself, says so once and tells afterwards', async () => {
    const failures: unknown[] = [];
    let isAway = true;
    const process = startProcess({
      exchange: (uses) => (isAway ? Promise.reject(new Error('away')) : throughDatabase(uses)),
      onExchangeFailed: (error) => failures.push(error),
    });
    const subject = newSubject();
    const quota = { quota: 3, windowSeconds: 60 };
    const used = [];
    for (let index = 0; index < 5; index += 1) used.push((await process.use('login', subject, quota)).used);
    expect(used).toEqual([1, 2, 3, 4, 4]);
    expect(failures).toEqual([new Error('away')]);
    isAway = false;
    await process.exchange();
    expect((await startProcess().use('login', subject, quota)).used).toBe(4);
  });

  test('a database that does not answer holds a use half a second, and the next ones not at all', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const process = startProcess({ exchange: () => new Promise(() => {}) });
      const quota = { quota: 3, windowSeconds: 60 };
      const first = process.use('login', newSubject(), quota);
      await vi.advanceTimersByTimeAsync(500);
      expect(await first).toMatchObject({ used: 1 });
      expect(await process.use('login', newSubject(), quota)).toMatchObject({ used: 1 });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a window', () => {
  const quota = { quota: 2, windowSeconds: 60 };

  test('ends with its minute, and tells how long that takes', async () => {
    const process = startProcess();
    const subject = newSubject();
    const use = async (advanceMs: number) => {
      clock.advance(advanceMs);
      const { used, resetSeconds } = await process.use('token', subject, quota);
      return [used, resetSeconds];
    };
    expect(await use(15_500)).toEqual([1, 45]);
    expect(await use(500)).toEqual([2, 44]);
    expect(await use(43_999)).toEqual([3, 1]);
    expect(await use(1)).toEqual([1, 60]);
  });

  test('belongs to one policy and one subject', async () => {
    const process = startProcess();
    const subject = newSubject();
    for (const [policy, who] of [
      ['token', subject],
      ['default', subject],
      ['token', newSubject()],
    ] as const)
      expect(await process.use(policy, who, quota)).toMatchObject({ used: 1 });
  });

  test('of a partner is not pushed out by however many addresses', async () => {
    const process = startProcess({ maxSubjects: 10 });
    const subject = newSubject();
    await process.use('partner', subject, quota);
    for (let index = 0; index < 100; index += 1)
      await process.use('token_address', `address 203.0.113.${index}`, quota);
    expect(await process.use('partner', subject, quota)).toMatchObject({ used: 2 });
    expect(await process.use('token_address', 'address 203.0.113.0', quota)).toMatchObject({ used: 1 });
  });

  test('of a process whose clock is far ahead is not taken over', async () => {
    const subject = newSubject();
    const day = clock.now().getTime() + 86_400_000;
    await startProcess({ clock: () => day }).use('login', subject, quota);
    const { used, resetSeconds } = await startProcess().use('login', subject, quota);
    expect([used, resetSeconds]).toEqual([1, 60]);
  });
});
