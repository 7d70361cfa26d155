// Refusals of the login are no flood of pages.
import { expect, test } from 'vitest';
import { until } from '../process/partner.ts';
import { ownPassword, startPortal } from './portal-site.ts';

test('what is refused by a quota waits as other refusals of strangers do, and a right password does not', async () => {
  const held = Promise.withResolvers<undefined>();
  let waiting = 0;
  const open = await startPortal({
    quota: 1_000,
    addressQuota: 1,
    slowDown: async () => {
      waiting += 1;
      await held.promise;
    },
  });
  try {
    const person = await open.addPerson(await open.addOrganization(), 'admin');
    expect((await open.visitor().login(person.username, ownPassword)).status).toBe(303);
    expect((await open.visitor().login(person.username, 'wrong password')).status).toBe(422);
    expect(waiting).toBe(0);
    const refused = open.visitor().login(person.username, ownPassword);
    await until(
      () => waiting,
      (count) => count === 1,
    );
    held.resolve(undefined);
    expect((await refused).status).toBe(429);
  } finally {
    held.resolve(undefined);
    await open.close();
  }
});
