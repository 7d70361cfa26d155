import { afterAll, expect, test } from 'vitest';
import { startService } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';
import { fixedCredentials, PartnerApi, until } from './partner.ts';

const fixed = fixedCredentials();
let service: ServiceProcess | undefined;
afterAll(() => service?.remove());

test('every user whose 201 was sent is there after kill -9 under writes', async () => {
  service = await startService({ env: { ...fixed.env } });
  const api = await PartnerApi.open(service, fixed);
  const acknowledged: string[] = [];
  let begun = 0;
  const write = async (): Promise<void> => {
    for (;;) {
      const email = `user-${begun++}@example.com`;
      const created = await api.call('POST', '/users', { email, role: 'user' });
      expect(created).toMatchObject({ status: 201 });
      acknowledged.push(email);
    }
  };
  const writers = Array.from({ length: 4 }, () => expect(write()).rejects.toThrow(/fetch failed|terminated/));
  await until(
    () => acknowledged.length,
    (count) => count >= 200,
  );
  expect(await service.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
  await Promise.all(writers);

  service = await startService({ dataDir: service.dataDir });
  const listed = await api.at({ baseUrl: service.baseUrl }).call<{ email: string }[]>('GET', '/users');
  const present = new Set(listed.body.map(({ email }) => email));
  expect(acknowledged.filter((email) => !present.has(email))).toEqual([]);
  // The kill came while requests were under way; those may be there or not, and nothing else is.
  expect(begun).toBeGreaterThan(acknowledged.length);
  expect(present.size).toBeLessThanOrEqual(begun + 1);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});
