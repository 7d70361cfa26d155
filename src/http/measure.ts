import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Log } from '../log/log.ts';
import { findOwner, isOfPartner } from './known-callers.ts';
import { describeExchange } from './logged-exchange.ts';
import { getProblemCode } from './problems.ts';
import { isRefusal, RefusalLog } from './refusal-log.ts';
import { getLoggedPath, getRequestId } from './request-id.ts';
import type { RequestLog } from './request-log.ts';
import { findWaitedMs } from './request-turns.ts';
import { toRequestLabels } from './route-label.ts';

const NANOSECONDS_PER_SECOND = 1e9;
const MS_PER_SECOND = 1_000;

/** Where what is seen of requests goes. */
export interface MeasurementOptions {
  readonly registry: Registry;
  readonly log: Log;
  /** Requests of the API, for the developers of their partners. */
  readonly requestLog: RequestLog;
  /** Whether this process has seen the request's token, session or client. */
  readonly isPartner: (request: IncomingMessage) => boolean;
  readonly clock: () => Date;
}

/**
 * One observation and one log line for every request, when its answer is out or its client has gone; refusals of callers that
 * `isPartner` does not know, and that have proven nothing since, are counted together (RefusalLog). Health checks and scrapes
 * are logged when they fail alone.
 */
export function createRequestMeasurement({
  registry,
  log,
  requestLog,
  isPartner,
  clock,
}: MeasurementOptions): RequestHandler {
  const refusals = new RefusalLog(log, () => performance.now());
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
      const line = {
        request_id: getRequestId(response),
        method: request.method,
        path: getLoggedPath(request),
        status: response.statusCode,
        duration_ms: Math.round(seconds * MS_PER_SECOND),
        complete: response.writableFinished,
      };
      const owner = findOwner(response);
      // Without a head there was no answer: the client had gone.
      if (owner !== undefined && response.headersSent)
        requestLog.add(owner.orgId, response.statusCode >= 400, () => {
          const sentAt = new Date(clock().getTime() - line.duration_ms);
          return describeExchange(request, response, owner, { sentAt, durationMs: line.duration_ms });
        });
      const isCounted = isRefusal(response.statusCode) && !isOfPartner(response) && !isPartner(request);
      if (isQuietProbe(request, response.statusCode)) return;
      if (isCounted) refusals.add(response.statusCode, getProblemCode(response), line);
      else log.info('request', line);
    });
    next();
  };
}

const PROBES: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics']);

function isQuietProbe(request: Request, status: number): boolean {
  return status < 400 && PROBES.has(getLoggedPath(request));
}
