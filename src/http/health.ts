import { Router } from 'express';
import type { RequestHandler } from 'express';
import type { Registry } from 'prom-client';
import { shareAnswer } from '../domain/api/shared-answer.ts';
import { rejectOtherThan } from './methods.ts';

/** Scrapes within this time get the same text: making it takes some milliseconds of the event loop. */
const METRICS_MAX_AGE_MS = 1_000;

export interface HealthOptions {
  readonly registry: Registry;
  readonly monotonicMs: () => number;
  /** Why the process cannot serve now; undefined when it can. */
  readonly findNotReadyReason: () => Promise<string | undefined>;
  /** Whether `/metrics` stands on another port, and is not known here. */
  readonly hasMetricsElsewhere?: boolean;
}

/**
 * `/livez`: 200 while the process runs. `/readyz`: 200 when it can serve, else 503. `/metrics`: Prometheus text. The last two
 * cost more than an answer, and pass `count` before, which may refuse.
 */
export function createHealthRoutes(options: HealthOptions, ...count: readonly RequestHandler[]): Router {
  const paths = ['/livez', '/readyz', ...(options.hasMetricsElsewhere === true ? [] : ['/metrics'])];
  const readMetrics = shareAnswer(async () => Buffer.from(await options.registry.metrics()), {
    maxAgeMs: METRICS_MAX_AGE_MS,
    monotonicMs: options.monotonicMs,
  });
  // By these names alone: a proxy keeps them from the world by name.
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/livez', (_request, response) => {
    response.json({ status: 'live' });
  });
  router.get('/readyz', ...count, async (_request, response) => {
    const reason = await options.findNotReadyReason();
    response.set('Cache-Control', 'no-store');
    if (reason === undefined) response.json({ status: 'ready' });
    else response.status(503).json({ status: 'not ready', reason });
  });
  if (paths.includes('/metrics')) {
    router.get('/metrics', ...count, async (_request, response) => {
      response.type(options.registry.contentType).send(await readMetrics());
    });
  }
  router.all(paths, rejectOtherThan('GET', 'HEAD'));
  return router;
}
