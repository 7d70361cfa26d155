import type { Request, RequestHandler, Response } from 'express';
import { Problem } from '../domain/api/problem.ts';
import { toCountedAddress } from '../domain/security/quota-subjects.ts';

export interface OpenBodyLimits {
  /** How long the body of a request may bring no byte. */
  readonly idleMs: number;
  /** How many requests of one address may wait for the rest of their bodies. */
  readonly maxOfAddress: number;
}

export const OPEN_BODY_LIMITS: OpenBodyLimits = { idleMs: 10_000, maxOfAddress: 256 };

const RETRY_SECONDS = '2';
/** How often a body is looked at within the time in which it must bring a byte. */
const TICKS = 4;

/**
 * Bounds the requests whose bodies have begun and not ended: an address may have so many, more are refused; one that
 * brings no byte for a while is answered by `sendTimeout`, which ends its connection.
 * @throws Problem overloaded (503).
 */
export function createOpenBodyGuard(
  sendTimeout: (request: Request, response: Response) => void,
  { idleMs, maxOfAddress }: OpenBodyLimits = OPEN_BODY_LIMITS,
): RequestHandler {
  const byAddress = new Map<string, Set<Request>>();
  return (request, response, next) => {
    if (!hasBody(request)) {
      next();
      return;
    }
    const address = toCountedAddress(request.ip);
    const open = byAddress.get(address) ?? new Set<Request>();
    if (open.size >= maxOfAddress) dropComplete(open);
    if (open.size >= maxOfAddress) {
      throw new Problem(
        'overloaded',
        `More than ${maxOfAddress} requests of this address wait for their bodies.`,
        {
          headers: { 'Retry-After': RETRY_SECONDS, Connection: 'close' },
        },
      );
    }
    open.add(request);
    byAddress.set(address, open);
    const stopWatching = watchForBytes(request, idleMs, () => {
      if (response.headersSent) request.destroy();
      else sendTimeout(request, response);
    });
    response.once('close', () => {
      stopWatching();
      open.delete(request);
      if (open.size === 0 && byAddress.get(address) === open) byAddress.delete(address);
    });
    next();
  };
}

/** Whether the request declares a body (RFC 9112, 6.3). */
export function hasBody(request: Request): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** A body that has come whole is not open, also when it was not read yet. */
function dropComplete(open: Set<Request>): void {
  for (const request of open) if (request.complete) open.delete(request);
}

/** Calls `onIdle` once when the rest of the body has brought no byte for `idleMs`; returns how to stop. */
function watchForBytes(request: Request, idleMs: number, onIdle: () => void): () => void {
  let seen = request.socket.bytesRead;
  let silentTicks = 0;
  const timer = setInterval(() => {
    silentTicks = request.socket.bytesRead === seen ? silentTicks + 1 : 0;
    seen = request.socket.bytesRead;
    if (!request.complete && silentTicks < TICKS) return;
    clearInterval(timer);
    if (!request.complete) onIdle();
  }, idleMs / TICKS);
  return () => clearInterval(timer);
}
