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
  /** And how many of strangers, who have not shown which partner they belong to, while all of these have `many` requests with bodies. */
  readonly maxOfAddressOfMany: number;
  readonly many: number;
}

export const OPEN_BODY_LIMITS: OpenBodyLimits = {
  idleMs: 10_000,
  // Half of an address's connections, so that bodies without an end leave room for whole requests.
  maxOfAddress: 64,
  // An open body keeps some 30 kB. A few of an address never make room for those of another.
  maxOfAddressOfMany: 16,
  many: 512,
};

export interface OpenBodyOptions {
  readonly sendTimeout: (request: Request, response: Response) => void;
  /** Whether this process has seen the request's token, session or client. */
  readonly isPartner: (request: IncomingMessage) => boolean;
  readonly limits?: OpenBodyLimits | undefined;
}

/** How often a body is looked at within the time in which it must bring a byte. */
const TICKS = 4;

/** A request whose body has begun. */
interface OpenBody {
  readonly request: Request;
  readonly isStranger: boolean;
  /** Bytes of the connection when it was looked at last, and how often it had brought none since. */
  bytesSeen: number;
  silentTicks: number;
  /** Answers that the body took too long, and ends the connection; once. */
  readonly end: () => void;
}

/**
 * Bounds the requests whose bodies have begun and not ended: of an address that has as many as it may, the one that has
 * been silent the longest makes room for the next, so that whoever opens bodies without end does so at his own expense. While
 * strangers have many requests with bodies, an address has fewer of them. One that brings no byte for a while is ended too:
 * `sendTimeout` answers them.
 */
export function createOpenBodyGuard(options: OpenBodyOptions): RequestHandler {
  const { sendTimeout, isPartner, limits = OPEN_BODY_LIMITS } = options;
  const { maxOfAddress, maxOfAddressOfMany, many, idleMs } = limits;
  const byAddress = new Map<string, Set<OpenBody>>();
  let strangers = 0;
  return (request, response, next) => {
    if (!hasBody(request)) {
      next();
      return;
    }
    const address = toCountedAddress(request.ip);
    const open = byAddress.get(address) ?? new Set<OpenBody>();
    const isStranger = !isPartner(request);
    if (open.size >= maxOfAddress) makeRoom(open, maxOfAddress);
    if (isStranger && strangers >= many) makeRoom(strangersOf(open), maxOfAddressOfMany);
    const body: OpenBody = {
      request,
      isStranger,
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
    if (isStranger) strangers += 1;
    const stopWatching = watchForBytes(body, idleMs);
    response.once('close', () => {
      stopWatching();
      open.delete(body);
      if (isStranger) strangers -= 1;
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

function strangersOf(open: ReadonlySet<OpenBody>): Set<OpenBody> {
  return new Set([...open].filter(({ isStranger }) => isStranger));
}

/** Ends the body that has been silent the longest, unless some have come whole, which are not open any more. */
function makeRoom(open: Set<OpenBody>, max: number): void {
  for (const body of open) if (body.request.complete) open.delete(body);
  if (open.size < max) return;
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
