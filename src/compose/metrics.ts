import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { ComputePool } from '../compute/pool.ts';
import { errorClassOf } from '../domain/notifications/retry.ts';
import type { Db } from '../queries/connection/database.ts';
import { readDeliveryQueueStatus, type DeliveryQueueStatus } from '../queries/deliveries/deliveries.ts';
import type { DeliveryMetrics } from '../webhooks/metrics.ts';

/** What the dispatcher counts, as Prometheus metrics. */
export function createDeliveryMetrics(registry: Registry): DeliveryMetrics {
  const registers = [registry];
  const duration = new Histogram({
    name: 'webhook_attempt_duration_seconds',
    help: 'Duration of one delivery attempt, by outcome.',
    labelNames: ['outcome'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5],
    registers,
  });
  const finished = new Counter({
    name: 'webhook_deliveries_finished_total',
    help: 'Deliveries that have ended: delivered, or exhausted after the last attempt.',
    labelNames: ['state'],
    registers,
  });
  const latency = new Histogram({
    name: 'webhook_event_to_receipt_seconds',
    help: 'Time from the event to the 2xx answer of the endpoint, for first attempts and for retries.',
    labelNames: ['attempt'],
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300, 3600, 86_400],
    registers,
  });
  const reclaimed = new Counter({
    name: 'webhook_deliveries_reclaimed_total',
    help: 'Deliveries whose lease was released because its worker was gone or it had expired.',
    registers,
  });
  const cancelled = new Counter({
    name: 'webhook_deliveries_cancelled_total',
    help: 'Deliveries cancelled because their webhook does not want them any more.',
    labelNames: ['reason'],
    registers,
  });
  const superseded = new Counter({
    name: 'webhook_attempts_superseded_total',
    help: 'Attempts whose result came after their lease had been released; it was not recorded.',
    registers,
  });
  return {
    attemptEnded: (outcome, durationMs) =>
      duration.observe({ outcome: errorClassOf(outcome) ?? 'delivered' }, durationMs / 1000),
    deliveriesFinished: (state, count) => finished.inc({ state }, count),
    messageReceived: (sinceEventMs, attempt) =>
      latency.observe({ attempt: attempt === 1 ? 'first' : 'retry' }, Math.max(0, sinceEventMs) / 1000),
    leasesReleased: (count) => reclaimed.inc(count),
    deliveriesCancelled: (reason, count) => cancelled.inc({ reason }, count),
    resultsSuperseded: (count) => superseded.inc(count),
  };
}

/** What the threads of this process do; `nodejs_eventloop_lag_max_seconds` tells the longest hold since the last scrape. */
export function registerComputeMetrics(registry: Registry, compute: ComputePool): void {
  const gauge = (name: string, help: string, value: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect(): void {
        this.set(value());
      },
    });
  gauge('compute_threads', 'Threads for heavy computations.', () => compute.usage.threads.capacity);
  gauge('compute_jobs_running', 'Heavy computations that run.', () => compute.usage.threads.held);
  gauge('compute_requests_waiting', "Requests that wait for their partner's turn or for a thread.", () =>
    Object.values(compute.usage).reduce((sum, { waiting }) => sum + waiting, 0),
  );
}

/** Scrapes within this time share one count: counting a backlog of a million takes some 100 ms. */
const QUEUE_STATUS_MAX_AGE_MS = 5_000;

/** Gauges of what is left to deliver, over all processes: take the maximum of the processes' values, not the sum. */
export function registerQueueMetrics(registry: Registry, db: Db, clock: () => Date): void {
  let cached: { readonly at: number; readonly status: Promise<DeliveryQueueStatus | undefined> } | undefined;
  // The gauges are collected together and share one query. While the database is away they keep their last values.
  const read = (): Promise<DeliveryQueueStatus | undefined> => {
    const at = clock().getTime();
    if (cached === undefined || at - cached.at >= QUEUE_STATUS_MAX_AGE_MS)
      cached = { at, status: readDeliveryQueueStatus(db).catch(() => undefined) };
    return cached.status;
  };
  const gauge = (name: string, help: string, value: (status: DeliveryQueueStatus) => number): Gauge =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect(): Promise<void> {
        const status = await read();
        if (status !== undefined) this.set(value(status));
      },
    });
  gauge(
    'webhook_deliveries_pending',
    'Deliveries that are neither delivered nor cancelled nor exhausted, over all processes.',
    ({ pending }) => pending,
  );
  gauge(
    'webhook_deliveries_in_flight',
    'Deliveries with an attempt in flight, over all processes.',
    ({ inFlight }) => inFlight,
  );
  gauge(
    'webhook_oldest_due_age_seconds',
    'How long the oldest delivery that is due and not in flight has been due; 0 when there is none.',
    ({ oldestDueMs }) => oldestDueMs / 1000,
  );
}
