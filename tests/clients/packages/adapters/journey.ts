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
  const hours = [24, 25, 26].map((hour) =>
    new Date((Math.floor(Date.now() / HOUR_MS) + hour) * HOUR_MS).toISOString(),
  );
  const [from = '', second = '', to = ''] = hours;
  const prices = [
    { timestamp: from, price: 180 },
    { timestamp: second, price: 12.5 },
  ];
  assert.match(await client.uploadPrices(given.orgId, prices), /^(?:success|existing)$/);
  const fleet = await runFleet(client, given.orgId);
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

/** A second user with the same address is a problem with a code. */
async function createUserOnce(client: PartnerClient, orgId: string): Promise<void> {
  const email = `${randomUUID()}@example.com`;
  assert.ok('id' in (await client.createUser(orgId, email)));
  const again = await client.createUser(orgId, email);
  assert.equal('code' in again && again.code, 'email_taken');
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
