import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccountVerifier } from '../../src/accounts/sign-in.ts';
import type { HashingTurns } from '../../src/accounts/sign-in.ts';
import { Problem } from '../../src/domain/api/problem.ts';
import { passwordHasher } from '../../src/domain/security/passwords.ts';
import { createTurns } from '../../src/shares/stranger-turns.ts';
import { addAccount, addOrganization } from '../oauth/fixture.ts';
import { until } from '../process/partner.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const unknown = (address: string) => ({ address, isKnownBrowser: false });

test('passwords are hashed by turns, those of unknown accounts too, and who comes last in a flood is refused', async () => {
  const share = createTurns({ capacity: 2, maxWaiting: 2 });
  let [held, most] = [0, 0];
  const turns: HashingTurns = {
    run: (caller, work) =>
      share.run(caller, () => {
        held += 1;
        most = Math.max(most, held);
        return work(passwordHasher).finally(() => {
          held -= 1;
        });
      }),
  };
  const verify = createAccountVerifier(database.db, turns);
  const tried = await Promise.allSettled(
    Array.from({ length: 8 }, (_, index) =>
      verify(`nobody-${index}@a.example`, 'a guess', unknown('192.0.2.1')),
    ),
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

test('however many strangers wait, a known browser, a session and a proven client have their turn', async () => {
  const orgId = await addOrganization(database.db);
  const password = 'the right password';
  await addAccount(database.db, orgId, 'known@a.example', password);
  const share = createTurns({ capacity: 2, maxWaiting: 6 });
  const strangersMayGoOn = Promise.withResolvers<undefined>();
  let strangers = 0;
  const verify = createAccountVerifier(database.db, {
    run: (caller, work) =>
      share.run(caller, async () => {
        if ('address' in caller) {
          strangers += 1;
          await strangersMayGoOn.promise;
        }
        return work(passwordHasher);
      }),
  });
  const guesses = Promise.allSettled(
    Array.from({ length: 30 }, (_, index) =>
      verify('known@a.example', 'a guess', unknown(`10.0.0.${index}`)),
    ),
  );
  try {
    await until(
      () => strangers,
      (count) => count > 0,
    );
    for (const caller of [{ address: '192.0.2.1', isKnownBrowser: true }, { partnerId: orgId }])
      expect(await verify('known@a.example', password, caller)).toMatchObject({ orgId });
    expect(strangers).toBe(1);
  } finally {
    strangersMayGoOn.resolve(undefined);
    await guesses;
  }
});
