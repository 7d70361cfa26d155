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
  /** And while all strangers have `many`: callers who have not shown which partner they belong to. */
  readonly maxOfAddressOfMany: number;
  readonly many: number;
}

export const OPEN_BODY_LIMITS: OpenBodyLimits = {
  idleMs: 10_000,
  // Half of an address's connections, so that bodies without an end leave room for whole requests.
  maxOfAddress: 64,
  // An open body keeps some 30 kB. A few never make room: 512 addresses with one each would have those ended that have two.
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
  readonly address: string;
  /** Bytes of the connection when it was looked at last, and how often it had brought none since. */
  bytesSeen: number;
  silentTicks: number;
  /** Answers that the body took too long, and ends the connection; once. */
  readonly end: () => void;
}

/**
 * Bounds the requests whose bodies have begun and not ended: of an address that has as many as it may, the one that has
 * been silent the longest makes room for the next, so that whoever opens bodies without end does so at his own expense. While
 * strangers have many in all, the address that has most makes room if it has more than it may then. One that brings no byte for a
 * while is ended too: `sendTimeout` answers them.
 */
export function createOpenBodyGuard(options: OpenBodyOptions): RequestHandler {
  const { sendTimeout, isPartner, limits = OPEN_BODY_LIMITS } = options;
  const [all, ofStrangers] = [new OpenBodies(), new OpenBodies()];
  return (request, response, next) => {
    if (!hasBody(request)) {
      next();
      return;
    }
    const address = toCountedAddress(request.ip);
    const isStranger = !isPartner(request);
    if (all.countOf(address) >= limits.maxOfAddress) all.makeRoom(address, limits.maxOfAddress);
    if (isStranger && ofStrangers.count >= limits.many) ofStrangers.makeRoomOfMany(limits);
    const body: OpenBody = {
      request,
      address,
      bytesSeen: request.socket.bytesRead,
      silentTicks: 0,
      end: () => {
        ofStrangers.delete(body);
        if (!all.delete(body)) return;
        giveUp(response);
        if (response.headersSent) request.destroy();
        else sendTimeout(request, response);
      },
    };
    all.add(body);
    if (isStranger) ofStrangers.add(body);
    const stopWatching = watchForBytes(body, limits.idleMs);
    response.once('close', () => {
      stopWatching();
      all.delete(body);
      ofStrangers.delete(body);
    });
    next();
  };
}

/** Those of each address, the first one first. What has come whole is forgotten where room is needed. */
class OpenBodies {
  readonly #byAddress = new Map<string, Set<OpenBody>>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  countOf(address: string): number {
    return this.#byAddress.get(address)?.size ?? 0;
  }

  add(body: OpenBody): void {
    const ofAddress = this.#byAddress.get(body.address) ?? new Set();
    this.#byAddress.set(body.address, ofAddress.add(body));
    this.#count += 1;
  }

  /** False where it is not among them. */
  delete(body: OpenBody): boolean {
    const ofAddress = this.#byAddress.get(body.address);
    if (ofAddress?.delete(body) !== true) return false;
    if (ofAddress.size === 0) this.#byAddress.delete(body.address);
    this.#count -= 1;
    return true;
  }

  /** Ends the body of the address that has been silent the longest, unless fewer than `max` are open. */
  makeRoom(address: string, max: number): void {
    this.#forgetWhole(address);
    if (this.countOf(address) >= max) findMostSilent(this.#byAddress.get(address) ?? [])?.end();
  }

  /** Ends one of the address that has most, unless fewer than `many` are open, or that has no more than it may then. */
  makeRoomOfMany({ many, maxOfAddressOfMany }: OpenBodyLimits): void {
    for (const address of this.#byAddress.keys()) this.#forgetWhole(address);
    if (this.#count < many) return;
    let most: ReadonlySet<OpenBody> = new Set();
    for (const each of this.#byAddress.values()) if (each.size > most.size) most = each;
    if (most.size > maxOfAddressOfMany) findMostSilent(most)?.end();
  }

  #forgetWhole(address: string): void {
    for (const body of this.#byAddress.get(address) ?? []) if (body.request.complete) this.delete(body);
  }
}

/** What has brought a byte since it was looked at comes last; of equals the one that was opened first is taken. */
function findMostSilent(bodies: Iterable<OpenBody>): OpenBody | undefined {
  const silence = ({ request, bytesSeen, silentTicks }: OpenBody): number =>
    request.socket.bytesRead > bytesSeen ? -1 : silentTicks;
  let found: OpenBody | undefined;
  for (const body of bodies) if (found === undefined || silence(body) > silence(found)) found = body;
  return found;
}

/** Whether the request declares a body (RFC 9112, 6.3). */
export function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
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
