// Attacks that need the database, scaled down: their statements wait for a lock, and another caller still has a connection.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../process/partner.ts';
import { startAttackedService } from './attacked-service.ts';
import type { AttackedService } from './attacked-service.ts';

const CONNECTIONS = 10;
const AT_ONCE = 16;
/** What a partner may have of the connections beside another one that is at work. */
const OF_A_PARTNER = 2;
/** What an address may have of them: those of whom nobody is known have three, and the last of these is not lent. */
const OF_AN_ADDRESS = 2;
/** Pages of lists that a partner may make at once beside another one. */
const PAGES = 1;

/** A pool of which everybody may have more than two by their share: strangers 13, a partner nine beside another one. */
const LARGE_POOL = 40;

let service: AttackedService;
let large: AttackedService;
beforeAll(async () => {
  service = await startAttackedService({}, { DATABASE_POOL_SIZE: String(CONNECTIONS) });
});
// Each has its own time to begin.
beforeAll(async () => {
  large = await startAttackedService({ households: 1 }, { DATABASE_POOL_SIZE: String(LARGE_POOL) });
});
afterAll(() => Promise.all([service.remove(), large.remove()]));

const table = (name: string): string => `lock table ${name} in access exclusive mode`;
const ATTACKER_ITSELF = 'select lock_organization($1)';

test.each<[name: string, lock: string, waiting: number, most?: number]>([
  ['unknown-tokens', table('access_tokens'), OF_AN_ADDRESS],
  ['unknown-sessions', table('portal_sessions'), OF_AN_ADDRESS],
  ['unknown-clients', table('client_ids'), OF_AN_ADDRESS],
  ['victims-client', table('applications'), OF_AN_ADDRESS],
  ['sign-up', table('signup_requests'), OF_AN_ADDRESS],
  // Whether the fleet is there is looked up before its page has a turn.
  ['device-pages', table('devices'), PAGES, OF_A_PARTNER],
  ['user-flood', 'lock table users in share mode', OF_A_PARTNER],
  ['fleet-flood', ATTACKER_ITSELF, OF_A_PARTNER],
  ['expand-purge', ATTACKER_ITSELF, OF_A_PARTNER],
])(
  '%s (%s): holds %i of 10 connections at most, and others are left',
  (name, lock, waiting, most = waiting) => expectLeft(service, name, lock, waiting, most),
);

test.each([
  ['unknown-tokens', table('access_tokens'), OF_AN_ADDRESS],
  ['unknown-sessions', table('portal_sessions'), OF_AN_ADDRESS],
  ['deep-offsets', table('notification_items'), PAGES],
  ['long-lists', table('notification_items'), PAGES],
])('%s (%s): has %i at once, however many connections there are', (name, lock, waiting) =>
  // Without an end: what waits while the partner is not alone yet may be refused.
  expectLeft(large, name, lock, waiting, waiting, Infinity),
);

/** While `lock` is held an attack comes to have `waiting` connections, `most` at most, and others are left. */
async function expectLeft(
  attacked: AttackedService,
  name: string,
  lock: string,
  waiting: number,
  most: number,
  requests = AT_ONCE,
): Promise<void> {
  // The victim is at work, so that the attacker is not alone.
  expect(await attacked.ask('GET')).toBe(200);
  const release = await attacked.lock(lock);
  const received = await attacked.countReceived();
  const attack = attacked.begin(name, AT_ONCE, requests);
  try {
    await until(attacked.countReceived, (count) => count >= received + AT_ONCE);
    await until(attacked.countBlockedConnections, (blocked) => blocked >= waiting);
    // A question of readiness takes a connection as a partner would.
    const { status } = await fetch(`http://127.0.0.1:${attacked.target.port}/readyz`);
    expect(status).toBe(200);
    expect(await attacked.countBlockedConnections()).toBeLessThanOrEqual(most);
  } finally {
    await release();
    await attack.end();
    // No case inherits the requests of another one.
    await until(attacked.countBusyConnections, (busy) => busy === 0);
  }
}
