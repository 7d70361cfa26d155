import type { KyselyPlugin } from 'kysely';
import { expect, test } from 'vitest';
import { Registry } from 'prom-client';
import { registerQueueMetrics, createDeliveryMetrics } from '../../src/compose/metrics.ts';
import { addMessage, addWebhook, webhookFixture, testDispatcher } from '../support/webhook-fixture.ts';

const fixture = webhookFixture();

/** Samples of webhook metrics, by name and labels. */
async function scrape(registry: Registry): Promise<Record<string, number>> {
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('webhook_'));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

test('a scrape tells the backlog, its age, outcomes, latencies and drops', async () => {
  const registry = new Registry();
  const metrics = createDeliveryMetrics(registry);
  registerQueueMetrics(registry, fixture.database.db, fixture.clock.now);
  await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
  await addMessage(fixture.database.db, fixture.orgId, fixture.clock.now());
  await addMessage(fixture.database.db, fixture.orgId, fixture.clock.now());
  fixture.clock.advance(40_000);
  await fixture.database.pool.query("update deliveries set due_at = now() - interval '40 s'");
  const before = performance.now();
  const backlog = await scrape(registry);
  expect(backlog).toMatchObject({ webhook_deliveries_pending: 2, webhook_deliveries_in_flight: 0 });
  expect(backlog['webhook_oldest_due_age_seconds']).toBeGreaterThanOrEqual(40);
  expect(backlog['webhook_oldest_due_age_seconds']).toBeLessThan(41 + (performance.now() - before) / 1000);
  fixture.receiver.answerNext({ status: 500 });
  await testDispatcher(fixture, { metrics }).processAll();
  fixture.clock.advance(1_000);
  metrics.deliveriesCancelled('disabled', 3);
  expect(await scrape(registry)).toMatchObject({
    webhook_deliveries_pending: 2,
    'webhook_deliveries_finished_total{state="delivered"}': 1,
    'webhook_attempt_duration_seconds_count{outcome="status"}': 1,
    'webhook_event_to_receipt_seconds_bucket{le="30",attempt="first"}': 0,
    'webhook_event_to_receipt_seconds_bucket{le="300",attempt="first"}': 1,
    'webhook_deliveries_cancelled_total{reason="disabled"}': 3,
  });
  fixture.clock.advance(10_000);
  await fixture.database.pool.query("update deliveries set due_at = now() + interval '1 hour'");
  expect(await scrape(registry)).toMatchObject({
    webhook_deliveries_pending: 1,
    webhook_oldest_due_age_seconds: 0,
  });
});

test('scrapes within five seconds share one count of the backlog', async () => {
  let counts = 0;
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => {
      counts += Number(JSON.stringify(node).includes('count(*)'));
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  const registry = new Registry();
  registerQueueMetrics(registry, fixture.database.db.withPlugin(counter), fixture.clock.now);
  const answers = await Promise.all(Array.from({ length: 10 }, () => scrape(registry)));
  expect([counts, new Set(answers.map((each) => JSON.stringify(each))).size]).toEqual([1, 1]);
  fixture.clock.advance(4_999);
  await addWebhook(fixture.database.db, fixture.orgId, fixture.receiver.url());
  await addMessage(fixture.database.db, fixture.orgId, fixture.clock.now());
  expect(await scrape(registry)).toMatchObject({ webhook_deliveries_pending: 0 });
  expect(counts).toBe(1);
  fixture.clock.advance(1);
  expect(await scrape(registry)).toMatchObject({ webhook_deliveries_pending: 1 });
  expect(counts).toBe(2);
});
