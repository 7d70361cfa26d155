import { afterAll, expect, test } from 'vitest';
import { serversOn } from '../postgres/harness.ts';
import { startService } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';
import { fixedCredentials, PartnerApi, until } from './partner.ts';

const fixed = fixedCredentials();
let service: ServiceProcess | undefined;
afterAll(() => service?.remove());

/** So many that they are stored in batches. */
const WRITERS = 24;

test('every user whose 201 was sent is there after kill -9 of PostgreSQL under writes, and then of the service', async () => {
  service = await startService({ env: { ...fixed.env } });
  const api = await PartnerApi.open(service, fixed);
  const acknowledged: string[] = [];
  let begun = 0;
  const statuses = new Set<number>();
  const write = async (): Promise<void> => {
    for (;;) {
      const email = `user-${begun++}@example.com`;
      const created = await api.call('POST', '/users', { email, role: 'user' });
      statuses.add(created.status);
      if (created.status === 201) acknowledged.push(email);
    }
  };
  const writers = Array.from({ length: WRITERS }, () =>
    expect(write()).rejects.toThrow(/fetch failed|terminated/),
  );
  await until(
    () => acknowledged.length,
    (count) => count >= 200,
  );
  expect([...statuses]).toEqual([201]);
  for (const pid of serversOn(service.dataDir)) process.kill(pid, 'SIGKILL');
  const before = acknowledged.length;
  await until(
    () => acknowledged.length,
    (count) => count >= before + 200,
  );
  expect([...statuses]).toEqual([201, 503]);
  expect(await service.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
  await Promise.all(writers);

  service = await startService({ dataDir: service.dataDir });
  const listed = await api.at({ baseUrl: service.baseUrl }).call<{ email: string }[]>('GET', '/users');
  const present = new Set(listed.body.map(({ email }) => email));
  expect(acknowledged.filter((email) => !present.has(email))).toEqual([]);
  // The kills came while requests were under way; those may be there or not, and nothing else is.
  expect(begun).toBeGreaterThan(acknowledged.length);
  expect(present.size).toBeLessThanOrEqual(begun + 1);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});
