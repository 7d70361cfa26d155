import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostileDefinitions } from '../operations/hostile-definitions.ts';
import { Inspector, INSPECTOR_ENV } from '../support/inspector.ts';
import { startServiceOnSharedServer } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';
import { PartnerApi, fixedCredentials } from './partner.ts';

// At a service as its users run it: neither the time nor the memory of the test runner takes part.

/** Rounds in which code is compiled and what has a fixed size fills. */
const WARM_UP = 3;
const MEASURED = 4;

const fixed = fixedCredentials();
let service: ServiceProcess;
let inspector: Inspector;
let url: string;
let headers: Record<string, string>;
beforeAll(async () => {
  service = await startServiceOnSharedServer({
    env: { ...fixed.env, ...INSPECTOR_ENV, RATE_LIMITS: 'off', LOG_LEVEL: 'error' },
  });
  inspector = await Inspector.open(service);
  const { token } = await PartnerApi.open(service, fixed);
  url = `${service.baseUrl}/api/partners/v2.0/org/${fixed.orgId}/device-simulator/fleets`;
  headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
});
afterAll(async () => {
  inspector.close();
  await service.remove();
});

/** Milliseconds of processor time that the service spent on each refusal. */
async function sendAll(): Promise<number[]> {
  const times: number[] = [];
  for (const { title, text } of hostileDefinitions) {
    const before = await inspector.processorMs();
    const answer = await fetch(url, { method: 'POST', headers, body: text });
    await answer.arrayBuffer();
    times.push((await inspector.processorMs()) - before);
    expect([title, answer.status]).toEqual([title, 422]);
  }
  return times;
}

test('hostile definitions are refused within 200 ms of processor time each, and memory returns to where it was', async () => {
  for (let round = 0; round < WARM_UP; round++) await sendAll();
  const times: number[][] = [];
  const bytes: number[] = [];
  for (let round = 0; round < MEASURED; round++) {
    times.push(await sendAll());
    bytes.push(await inspector.bytesInUse());
  }
  // The quickest of the rounds, since what is compiled or collected meanwhile is not what is measured here.
  const quickest = hostileDefinitions.map((_, i) => Math.min(...times.map((round) => round[i] ?? 0)));
  expect(Math.max(...quickest)).toBeLessThan(200);
  // Two rounds later not half of the largest body is kept, some 500 bytes of each refusal. Rounds differ by chance by
  // less than that, hence the least of two.
  const [earlier, later] = [bytes.slice(0, MEASURED / 2), bytes.slice(MEASURED / 2)];
  const largest = Math.max(...hostileDefinitions.map(({ text }) => text.length));
  expect(Math.min(...later) - Math.min(...earlier)).toBeLessThan(largest / 2);
});
