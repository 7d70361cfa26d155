import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccountVerifier } from '../../src/accounts/sign-in.ts';
import { Problem } from '../../src/domain/api/problem.ts';
import { FairShare } from '../../src/shares/fair-share.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

test('passwords are hashed by turns, those of unknown accounts too, and who comes last in a flood is refused', async () => {
  const share = new FairShare({ capacity: 2, maxWaiting: 2 });
  let most = 0;
  const turns = {
    run: <Result>(caller: string, work: () => Promise<Result>): Promise<Result> =>
      share.run(caller, () => {
        most = Math.max(most, share.usage.held);
        return work();
      }),
  };
  const verify = createAccountVerifier(database.db, turns);
  const tried = await Promise.allSettled(
    Array.from({ length: 8 }, (_, index) => verify(`nobody-${index}@a.example`, 'a guess', '192.0.2.1')),
  );
  const refused = tried.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  // One at once, since the last unit is not borrowed, and two that wait.
  expect(most).toBe(1);
  expect(refused.length).toBeGreaterThanOrEqual(5);
  for (const reason of refused)
    expect(reason instanceof Problem && [reason.code, reason.headers]).toEqual([
      'overloaded',
      { 'Retry-After': '2' },
    ]);
});
