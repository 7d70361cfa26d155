import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { toCountedAddress } from '../domain/security/quota-subjects.ts';
import { endInTurn } from './end-turns.ts';
import { giveUp } from './given-up.ts';

export interface OpenBodyLimits {
  /** How long the body of a request may bring no byte. */
  readonly idleMs: number;
  /** How many requests of one address may wait for the rest of their bodies. */
  readonly maxOfAddress: number;
}

/** Half of an address's connections, so that bodies without an end leave room for whole requests. */
export const OPEN_BODY_LIMITS: OpenBodyLimits = { idleMs: 10_000, maxOfAddress: 64 };

/** How often a body is looked at within the time in which it must bring a byte. */
const TICKS = 4;

/** A request whose body has begun. */
interface OpenBody {
  readonly request: Request;
  /** Bytes of the connection when it was looked at last, and how often it had brought none since. */
  bytesSeen: number;
  silentTicks: number;
  /** Answers that the body took too long, and ends the connection; once. */
  readonly end: () => void;
}

/**
 * Bounds the requests whose bodies have begun and not ended: of an address that has as many as it may, the one that has
 * been silent the longest makes room for the next, so that whoever opens bodies without end does so at his own expense. One
 * that brings no byte for a while is ended too: `sendTimeout` answers both.
 */
export function createOpenBodyGuard(
  sendTimeout: (request: Request, response: Response) => void,
  { idleMs, maxOfAddress }: OpenBodyLimits = OPEN_BODY_LIMITS,
): RequestHandler {
  const byAddress = new Map<string, Set<OpenBody>>();
  return (request, response, next) => {
    if (!hasBody(request)) {
      next();
      return;
    }
    const address = toCountedAddress(request.ip);
    const open = byAddress.get(address) ?? new Set<OpenBody>();
    if (open.size >= maxOfAddress) makeRoom(open, maxOfAddress);
    const body: OpenBody = {
      request,
      bytesSeen: request.socket.bytesRead,
      silentTicks: 0,
      end: () => {
        if (!open.delete(body)) return;
        giveUp(response);
        if (response.headersSent) request.destroy();
        else sendTimeout(request, response);
      },
    };
    open.add(body);
    byAddress.set(address, open);
    const stopWatching = watchForBytes(body, idleMs);
    response.once('close', () => {
      stopWatching();
      open.delete(body);
      if (open.size === 0 && byAddress.get(address) === open) byAddress.delete(address);
    });
    next();
  };
}

/** Whether the request declares a body (RFC 9112, 6.3). */
export function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** Ends the body that has been silent the longest, unless some have come whole, which are not open any more. */
function makeRoom(open: Set<OpenBody>, maxOfAddress: number): void {
  for (const body of open) if (body.request.complete) open.delete(body);
  if (open.size < maxOfAddress) return;
  // What has brought a byte since it was looked at comes last; of equals the one that was opened first is ended.
  const silence = ({ request, bytesSeen, silentTicks }: OpenBody): number =>
    request.socket.bytesRead > bytesSeen ? -1 : silentTicks;
  const [first] = open;
  let ended = first;
  for (const body of open) if (ended === undefined || silence(body) > silence(ended)) ended = body;
  ended?.end();
}

/** Ends the body once its rest has brought no byte for `idleMs`, in a turn with few others; returns how to stop. */
function watchForBytes(body: OpenBody, idleMs: number): () => void {
  const timer = setInterval(() => {
    const { bytesRead } = body.request.socket;
    body.silentTicks = bytesRead === body.bytesSeen ? body.silentTicks + 1 : 0;
    body.bytesSeen = bytesRead;
    if (!body.request.complete && body.silentTicks < TICKS) return;
    clearInterval(timer);
    if (body.request.complete) return;
    endInTurn(body, () => {
      if (!body.request.complete) body.end();
    });
  }, idleMs / TICKS);
  return () => clearInterval(timer);
}
