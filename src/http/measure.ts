import type { RequestHandler } from 'express';
import { Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Log } from '../log/log.ts';
import { getLoggedPath, getRequestId } from './request-id.ts';
import { findWaitedMs } from './request-turns.ts';
import { toRequestLabels } from './route-label.ts';

const NANOSECONDS_PER_SECOND = 1e9;
const MS_PER_SECOND = 1_000;

/** One log line and one observation for every request, when its answer is out or its client has gone. */
export function createRequestMeasurement(registry: Registry, log: Log): RequestHandler {
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of the request to the last of the answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
    registers: [registry],
  });
  return (request, response, next) => {
    const startedAt = process.hrtime.bigint();
    response.once('close', () => {
      const seconds =
        Number(process.hrtime.bigint() - startedAt) / NANOSECONDS_PER_SECOND +
        findWaitedMs(response) / MS_PER_SECOND;
      duration.observe({ ...toRequestLabels(request, response.statusCode) }, seconds);
      log.info('request', {
        request_id: getRequestId(response),
        method: request.method,
        path: getLoggedPath(request),
        status: response.statusCode,
        duration_ms: Math.round(seconds * MS_PER_SECOND),
        complete: response.writableFinished,
      });
    });
    next();
  };
}
