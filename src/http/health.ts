import { Router } from 'express';
import type { Registry } from 'prom-client';
import { rejectOtherThanGet } from './methods.ts';

export interface HealthOptions {
  readonly registry: Registry;
  /** Why the process cannot serve now; undefined when it can. */
  readonly findNotReadyReason: () => Promise<string | undefined>;
}

/** `/livez`: 200 while the process runs. `/readyz`: 200 when it can serve, else 503. `/metrics`: Prometheus text. */
export function createHealthRoutes(options: HealthOptions): Router {
  const router = Router({ caseSensitive: true });
  router.get('/livez', (_request, response) => {
    response.json({ status: 'live' });
  });
  router.get('/readyz', async (_request, response) => {
    const reason = await options.findNotReadyReason();
    response.set('Cache-Control', 'no-store');
    if (reason === undefined) response.json({ status: 'ready' });
    else response.status(503).json({ status: 'not ready', reason });
  });
  router.get('/metrics', async (_request, response) => {
    response.type(options.registry.contentType).send(await options.registry.metrics());
  });
  router.all(['/livez', '/readyz', '/metrics'], rejectOtherThanGet);
  return router;
}
