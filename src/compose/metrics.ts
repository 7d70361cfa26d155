import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import { errorClass } from '../domain/retry.ts';
import type { DeliveryMetrics } from '../webhooks/metrics.ts';

/** What the dispatcher counts, as Prometheus metrics. */
export function deliveryMetrics(registry: Registry): DeliveryMetrics {
  const registers = [registry];
  const duration = new Histogram({
    name: 'webhook_attempt_duration_seconds',
    help: 'Time of one delivery attempt, by how it ended.',
    labelNames: ['outcome'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5],
    registers,
  });
  const exhausted = new Counter({
    name: 'webhook_deliveries_exhausted_total',
    help: 'Deliveries given up after their last attempt.',
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
    exhausted: (count) => exhausted.inc(count),
    dropped: (reason, count) => dropped.inc({ reason }, count),
    superseded: (count) => superseded.inc(count),
  };
}
