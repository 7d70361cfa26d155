import { Router } from 'express';
import type { Registry } from 'prom-client';
import { readOnly } from './methods.ts';

export interface HealthParts {
  readonly registry: Registry;
  /** Why the process cannot serve now; undefined when it can. */
  readonly notReadyBecause: () => Promise<string | undefined>;
}

/** `/livez`: the process runs. `/readyz`: it can serve. `/metrics`: Prometheus text. */
export function healthRoutes(parts: HealthParts): Router {
  const router = Router({ caseSensitive: true });
  router.get('/livez', (_request, response) => {
    response.json({ status: 'live' });
  });
  router.get('/readyz', async (_request, response) => {
    const reason = await parts.notReadyBecause();
    response.set('Cache-Control', 'no-store');
    if (reason === undefined) response.json({ status: 'ready' });
    else response.status(503).json({ status: 'not ready', reason });
  });
  router.get('/metrics', async (_request, response) => {
    response.type(parts.registry.contentType).send(await parts.registry.metrics());
  });
  router.all(['/livez', '/readyz', '/metrics'], readOnly);
  return router;
}
