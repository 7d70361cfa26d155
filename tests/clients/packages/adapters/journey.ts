// The main journey of a partner, by a generated client: run with what it needs as JSON in JOURNEY.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { CreatePartnerClient, PartnerClient } from './partner-client.ts';

interface Given {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly orgId: string;
  /** An https address that takes messages. */
  readonly endpoint: string;
}

const HOUR_MS = 3_600_000;

export async function runJourney(create: CreatePartnerClient): Promise<void> {
  const given = JSON.parse(process.env['JOURNEY'] ?? '') as Given;
  const client = create(given.baseUrl);
  const token = await client.issueToken(given.clientId, given.clientSecret);
  assert.match(token, /^pat_/);
  await createUserOnce(client, given.orgId);
  const [from, second, to] = [hourFromNow(24), hourFromNow(25), hourFromNow(26)];
  const prices = [
    { timestamp: from, price: 180 },
    { timestamp: second, price: 12.5 },
  ];
  assert.match(await client.uploadPrices(given.orgId, prices), /^(?:success|existing)$/);
  const fleet = await runFleet(client, given.orgId);
  assert.equal(await client.readFleetData(given.orgId, fleet.job_id, hourFromNow(-3), hourFromNow(-1)), 8);
  const heatPump = await client.findHeatPump(given.orgId, fleet.job_id);
  assert.ok(heatPump);
  const path = {
    orgId: fleet.simulation_org_id,
    userId: heatPump.user_id,
    heatPumpId: heatPump.device_id,
  };
  assert.equal(typeof (await client.readHeat(path)), 'number');
  assert.equal((await client.readSchedule(path, from, to)).length, 8);
  await useWebhook(client, fleet.simulation_org_id, given.endpoint);
}

/** A repeat is answered as the first call; a second user with the same address is a problem with a code. */
async function createUserOnce(client: PartnerClient, orgId: string): Promise<void> {
  const email = `${randomUUID()}@example.com`;
  const key = randomUUID();
  const created = await client.createUser(orgId, email, key);
  assert.ok('id' in created);
  const repeated = await client.createUser(orgId, email, key);
  assert.equal('id' in repeated && repeated.id, created.id);
  const other = await client.createUser(orgId, email, randomUUID());
  assert.equal('code' in other && other.code, 'email_taken');
}

function hourFromNow(hours: number): string {
  return new Date((Math.floor(Date.now() / HOUR_MS) + hours) * HOUR_MS).toISOString();
}

async function runFleet(client: PartnerClient, orgId: string) {
  const fleet = await client.createFleet(orgId, randomUUID());
  for (let tries = 0; (await client.readFleetStatus(orgId, fleet.job_id)) !== 'running'; tries += 1) {
    assert.ok(tries < 100, 'The fleet does not run.');
    await wait(100);
  }
  return fleet;
}

async function useWebhook(client: PartnerClient, orgId: string, endpoint: string): Promise<void> {
  const webhook = await client.createWebhook(orgId, endpoint);
  assert.match(webhook.secret, /^whsec_/);
  assert.equal(await client.testWebhook(orgId, webhook.id), 'delivered');
  await client.deleteWebhook(orgId, webhook.id);
}
