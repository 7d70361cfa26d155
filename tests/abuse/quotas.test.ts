// Attacks by sheer numbers, scaled down: quotas far below the defaults, and a few requests more than they allow.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startAttackedService } from './attacked-service.ts';
import type { AttackedService } from './attacked-service.ts';

const QUOTA = 400;
const MORE = 50;

let service: AttackedService;
beforeAll(async () => {
  service = await startAttackedService(
    {},
    {
      QUOTAS: 'fleets=5',
      RATE_LIMITS: `default=100000/3600,partner=${QUOTA}/3600,login_address=2/3600,signup=5/3600`,
    },
  );
});
afterAll(() => service.remove());

test('fleets beyond the quota of a partner are refused, and nothing is built for them', async () => {
  const { counts } = await service.attack('fleet-flood', 8);
  // Three it has already.
  expect(counts).toEqual({ 200: 2, 422: 6 });
});

test('ten applications of a partner share one quota, and another partner has its own', async () => {
  const { counts } = await service.attack('ten-applications', QUOTA + MORE);
  expect(counts['200']).toBeLessThanOrEqual(QUOTA);
  expect(counts['429']).toBeGreaterThanOrEqual(MORE);
  expect(await service.ask('GET')).toBe(200);
});

test('sign-up requests beyond the quota of an address are refused', async () => {
  const { counts } = await service.attack('sign-up', 20);
  expect(counts).toEqual({ 200: 5, 429: 15 });
});

test('logins beyond the quota of an address cost no password hash', async () => {
  const { counts } = await service.attack('login', 30);
  // The two that are left may wait too long for their turn at a hash on a busy machine.
  expect(counts['429']).toBe(28);
});
