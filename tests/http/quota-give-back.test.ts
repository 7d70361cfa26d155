import { describe, expect, test } from 'vitest';
import type { QuotaSubject } from '../../src/domain/security/quota-subjects.ts';
import { useQuotaProcesses } from './quota-processes.ts';

const { db, clock, newSubject, throughDatabase, startProcess } = useQuotaProcesses();

describe('a use that is given back', () => {
  const quota = { quota: 3, windowSeconds: 60 };
  const storedUses = async (subject: QuotaSubject): Promise<number | undefined> =>
    (await db().selectFrom('rate_limits').select('used').where('subject', '=', subject).executeTakeFirst())
      ?.used;

  test('is free at once here and after the exchange in the other processes, once', async () => {
    const [here, there] = [startProcess(), startProcess()];
    const subject = newSubject();
    const [first] = [await here.use('login', subject, quota), await here.use('login', subject, quota)];
    expect(await there.use('login', subject, quota)).toMatchObject({ used: 3 });
    here.giveBack(first);
    here.giveBack(first);
    await here.exchange();
    expect(await storedUses(subject)).toBe(2);
    expect(await there.use('login', subject, quota)).toMatchObject({ used: 4 });
    clock.advance(1_000);
    expect(await there.use('login', subject, quota)).toMatchObject({ used: 3 });
    expect(await here.use('login', subject, quota)).toMatchObject({ used: 4 });
  });

  test('while a statement is under way is told by the next one', async () => {
    const entered = Promise.withResolvers<undefined>();
    const gate = Promise.withResolvers<undefined>();
    let isHeld = false;
    const [process, other] = [
      startProcess({
        exchange: async (uses) => {
          if (isHeld) {
            entered.resolve(undefined);
            await gate.promise;
          }
          return throughDatabase(uses);
        },
      }),
      startProcess(),
    ];
    const subject = newSubject();
    const first = await process.use('login', subject, quota);
    for (const used of [2, 3]) expect(await other.use('login', subject, quota)).toMatchObject({ used });
    isHeld = true;
    const second = process.use('login', subject, quota);
    await entered.promise;
    process.giveBack(first);
    gate.resolve(undefined);
    // Not the fourth of three: the first is free again.
    expect(await second).toMatchObject({ used: 3 });
    await process.exchange();
    expect(await storedUses(subject)).toBe(3);
  });

  test('is told also when it is a small share of its quota', async () => {
    const process = startProcess();
    const subject = newSubject();
    process.giveBack(await process.use('login', subject, { ...quota, quota: 1_000 }));
    await process.exchange();
    expect(await storedUses(subject)).toBe(0);
  });

  test('leaves nothing counted of processes that used the quota up at once and gave all back', async () => {
    const processes = [startProcess(), startProcess(), startProcess()];
    const subject = newSubject();
    const states = await Promise.all(
      processes.map((process) =>
        Promise.all(Array.from({ length: 3 }, () => process.use('login', subject, quota))),
      ),
    );
    for (const [index, process] of processes.entries())
      for (const state of states[index] ?? []) if (state.used <= quota.quota) process.giveBack(state);
    for (const process of processes) await process.exchange();
    expect(await storedUses(subject)).toBe(0);
  });

  test('is not taken from the newer window that a process whose clock is behind has come to', async () => {
    const ahead = startProcess({ clock: () => clock.now().getTime() + 60_000 });
    const behind = startProcess();
    const subject = newSubject();
    const late = await behind.use('login', subject, quota);
    await ahead.use('login', subject, quota);
    expect(await behind.use('login', subject, quota)).toMatchObject({ used: 2 });
    behind.giveBack(late);
    await behind.exchange();
    expect(await storedUses(subject)).toBe(2);
  });

  test('is of no use in the next window, nor to a subject whose uses are lost', async () => {
    const process = startProcess();
    const subject = newSubject();
    const late = await process.use('login', subject, quota);
    clock.advance(60_000);
    await process.use('login', subject, quota);
    process.giveBack(late);
    await process.exchange();
    expect(await storedUses(subject)).toBe(1);
    const states = [await process.use('login', subject, quota), await process.use('login', subject, quota)];
    // The table is not logged: a crash of the database empties it.
    await db().deleteFrom('rate_limits').where('subject', '=', subject).execute();
    for (const state of states) process.giveBack(state);
    await process.exchange();
    for (const used of [1, 2, 3, 4])
      expect(await startProcess().use('login', subject, quota)).toMatchObject({ used });
  });
});
