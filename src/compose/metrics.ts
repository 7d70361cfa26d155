import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import { errorClass } from '../domain/notifications/retry.ts';
import type { Db } from '../queries/connection/database.ts';
import { readBacklog, type Backlog } from '../queries/deliveries/deliveries.ts';
import type { DeliveryMetrics } from '../webhooks/metrics.ts';

/** What the dispatcher counts, as Prometheus metrics. */
export function createDeliveryMetrics(registry: Registry): DeliveryMetrics {
  const registers = [registry];
  const duration = new Histogram({
    name: 'webhook_attempt_duration_seconds',
    help: 'Time of one delivery attempt, by how it ended.',
    labelNames: ['outcome'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5],
    registers,
  });
  const finished = new Counter({
    name: 'webhook_deliveries_finished_total',
    help: 'Messages that have come to their end, delivered or given up after the last attempt.',
    labelNames: ['state'],
    registers,
  });
  const latency = new Histogram({
    name: 'webhook_event_to_receipt_seconds',
    help: 'Time from the event to the 2xx answer of the endpoint, by whether the first attempt brought it.',
    labelNames: ['attempt'],
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300, 3600, 86_400],
    registers,
  });
  const reclaimed = new Counter({
    name: 'webhook_deliveries_reclaimed_total',
    help: 'Deliveries taken over from workers that died or outlasted their lease.',
    registers,
  });
  const dropped = new Counter({
    name: 'webhook_deliveries_dropped_total',
    help: 'Deliveries dropped because nobody wants them any more.',
    labelNames: ['reason'],
    registers,
  });
  const superseded = new Counter({
    name: 'webhook_attempts_superseded_total',
    help: 'Attempts whose lease had run out before their result came.',
    registers,
  });
  return {
    attempted: (outcome, durationMs) =>
      duration.observe({ outcome: errorClass(outcome) ?? 'delivered' }, durationMs / 1000),
    finished: (state, count) => finished.inc({ state }, count),
    received: (sinceEventMs, attempt) =>
      latency.observe({ attempt: attempt === 1 ? 'first' : 'retry' }, Math.max(0, sinceEventMs) / 1000),
    reclaimed: (count) => reclaimed.inc(count),
    dropped: (reason, count) => dropped.inc({ reason }, count),
    superseded: (count) => superseded.inc(count),
  };
}

/** A scrape counts at most this often: a backlog of a million takes some 100 ms. */
const BACKLOG_CACHE_MS = 5_000;

/** How much is left to deliver and for how long it has waited, over all processes: take the maximum, not the sum. */
export function registerBacklogMetrics(registry: Registry, db: Db, clock: () => Date): void {
  let kept: { readonly at: number; readonly backlog: Promise<Backlog | undefined> } | undefined;
  // The gauges are collected at once: they share one reading. Without a database the last values stay.
  const read = (): Promise<Backlog | undefined> => {
    const at = clock().getTime();
    if (kept === undefined || at - kept.at >= BACKLOG_CACHE_MS)
      kept = { at, backlog: readBacklog(db).catch(() => undefined) };
    return kept.backlog;
  };
  const gauge = (name: string, help: string, value: (backlog: Backlog) => number): Gauge =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect(): Promise<void> {
        const backlog = await read();
        if (backlog !== undefined) this.set(value(backlog));
      },
    });
  gauge(
    'webhook_deliveries_pending',
    'Deliveries not yet delivered, dropped or given up, over all processes.',
    ({ pending }) => pending,
  );
  gauge(
    'webhook_deliveries_under_way',
    'Delivery attempts under way, over all processes.',
    ({ underWay }) => underWay,
  );
  gauge(
    'webhook_oldest_due_age_seconds',
    'How long the oldest delivery that could be sent has waited; 0 when none could.',
    ({ oldestDueAt }) =>
      oldestDueAt === undefined ? 0 : Math.max(0, clock().getTime() - oldestDueAt.getTime()) / 1000,
  );
}
