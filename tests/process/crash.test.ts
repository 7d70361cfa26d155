import { afterAll, expect, test } from 'vitest';
import { serversOn } from '../postgres/harness.ts';
import { startService } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';
import { fixedCredentials, PartnerApi, requestToken, until } from './partner.ts';

const fixed = fixedCredentials();
let service: ServiceProcess | undefined;
afterAll(() => service?.remove());

/** So many that they are stored in batches. */
const WRITERS = 24;
/** Tokens that a process has not seen are looked up so many at a time for one address; those that wait for long are refused. */
const LOOKUPS = 2;

test('every user whose 201 and every token whose 200 was sent is there after kill -9 of PostgreSQL under writes, and then of the service', async () => {
  service = await startService({ env: { ...fixed.env, RATE_LIMITS: 'off' } });
  const { baseUrl } = service;
  const api = await PartnerApi.open(service, fixed);
  const acknowledged: string[] = [];
  const tokens: string[] = [];
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
  const issue = async (): Promise<void> => {
    for (;;) {
      const { status, body } = await requestToken(baseUrl, fixed);
      statuses.add(status);
      if (status === 200) tokens.push(body.access_token);
    }
  };
  const writers = Array.from({ length: WRITERS }, () => [write(), issue()])
    .flat()
    .map((writing) => expect(writing).rejects.toThrow(/fetch failed|terminated/));
  const countStored = (): number => Math.min(acknowledged.length, tokens.length);
  await until(countStored, (count) => count >= 200);
  expect(statuses).toEqual(new Set([200, 201]));
  for (const pid of serversOn(service.dataDir)) process.kill(pid, 'SIGKILL');
  const before = Math.max(acknowledged.length, tokens.length);
  await until(countStored, (count) => count >= before + 200);
  expect(statuses).toEqual(new Set([200, 201, 503]));
  expect(await service.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
  await Promise.all(writers);

  service = await startService({ dataDir: service.dataDir });
  const listed = await api
    .at({ baseUrl: service.baseUrl })
    .call<{ id: string; email: string }[]>('GET', '/users');
  const present = new Set(listed.body.map(({ email }) => email));
  expect(acknowledged.filter((email) => !present.has(email))).toEqual([]);
  const [{ id } = { id: '' }] = listed.body;
  expect(
    await listRefusals(`${service.baseUrl}/api/partners/v2.0/org/${fixed.orgId}/users/${id}`, tokens),
  ).toEqual([]);
  // The kills came while requests were under way; those may be there or not, and nothing else is.
  expect(begun).toBeGreaterThan(acknowledged.length);
  expect(present.size).toBeLessThanOrEqual(begun + 1);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});

/** What is answered to tokens that are not accepted. */
async function listRefusals(url: string, tokens: readonly string[]): Promise<readonly number[]> {
  const refusals: number[] = [];
  await Promise.all(
    Array.from({ length: LOOKUPS }, async (_, first) => {
      for (let i = first; i < tokens.length; i += LOOKUPS) {
        const answer = await fetch(url, { headers: { authorization: `Bearer ${tokens[i]}` } });
        await answer.text();
        if (answer.status !== 200) refusals.push(answer.status);
      }
    }),
  );
  return refusals;
}
