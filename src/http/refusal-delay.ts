import type { Request, Response } from 'express';
import { PROBLEMS } from '../../generated/problems.ts';
import { Problem } from '../domain/api/problem.ts';
import { toCountedAddress } from '../domain/security/quota-subjects.ts';
import { SERVER_LIMITS } from './bounded-server.ts';
import { holdBack } from './held-back.ts';
import { isOfPartner } from './known-callers.ts';

/** Whether an answer of this status says that the request is wrong, and nothing of the service. */
export function isStatusOfCaller(status: number): boolean {
  return status >= BAD_REQUEST && status < INTERNAL_SERVER_ERROR;
}

/** Whether an error says that the request is wrong, and nothing of the service. */
export function isRefusalOfCaller(error: unknown): boolean {
  if (error instanceof Problem) return isStatusOfCaller(PROBLEMS[error.code].status);
  return error instanceof URIError;
}

export interface RefusalDelayOptions {
  /** Whether this process has found the request's token, session or client right within a minute. */
  readonly isPartner: (request: Request) => boolean;
  /** Milliseconds that never run backwards. */
  readonly monotonicMs: () => number;
  /** Refusals of one address that are answered at once in a second; 20 unless it is given. */
  readonly atOnce?: number | undefined;
  /** How long the next one waits; a second unless it is given. */
  readonly waitMs?: number | undefined;
  /** Refusals of one address that wait at once; as many as an address has connections unless it is given. */
  readonly maxHeldOfAddress?: number | undefined;
}

/** More than a person causes, or a program that tells its mistakes to somebody. */
const AT_ONCE = 20;
const SECOND_MS = 1_000;
const BAD_REQUEST = 400;
const INTERNAL_SERVER_ERROR = 500;
/** Of those that wait each is answered a little later than the one before, so that they do not all come again together. */
const APART_MS = 5;
const MOST_LATER_MS = 500;

/**
 * Lets strangers wait who are refused again and again: what is wrong costs as much as what is right, and whoever asks again at
 * once would have the core to himself. A connection waits for its answer before it is used again, and an address has a limited
 * number of connections: thereby whoever keeps to these has a limited number of refusals a second. What is right from the same
 * address never waits, and a connection whose answer is held back is the first to make room (shareConnections).
 */
export class RefusalDelay {
  readonly #options: RefusalDelayOptions;
  /** Refusals by address since the present second began. */
  #counts = new Map<string, number>();
  #beganMs = -Infinity;
  /** Refusals that wait, by address. */
  readonly #held = new Map<string, number>();

  constructor(options: RefusalDelayOptions) {
    this.#options = options;
  }

  /** Resolves when a refusal may be answered, or its client has gone. A caller whose partner is known never waits. */
  wait(request: Request, response: Response): Promise<void> {
    if (isOfPartner(response) || this.#options.isPartner(request)) return Promise.resolve();
    const address = toCountedAddress(request.ip);
    const beyond = this.#count(address) - (this.#options.atOnce ?? AT_ONCE);
    if (beyond <= 0) return Promise.resolve();
    const waitMs = (this.#options.waitMs ?? SECOND_MS) + Math.min(MOST_LATER_MS, APART_MS * beyond);
    return this.#hold(address, response, waitMs);
  }

  async #hold(address: string, response: Response, waitMs: number): Promise<void> {
    const held = this.#held.get(address) ?? 0;
    // Through a trusted proxy an address may have more connections, and would use up the proxy's.
    if (held >= (this.#options.maxHeldOfAddress ?? SERVER_LIMITS.maxConnectionsOfAddress)) return;
    this.#held.set(address, held + 1);
    await holdBack(response, waitMs);
    const left = (this.#held.get(address) ?? 0) - 1;
    if (left > 0) this.#held.set(address, left);
    else this.#held.delete(address);
  }

  #count(address: string): number {
    const nowMs = this.#options.monotonicMs();
    if (nowMs - this.#beganMs >= SECOND_MS) {
      this.#counts = new Map();
      this.#beganMs = nowMs;
    }
    const count = (this.#counts.get(address) ?? 0) + 1;
    this.#counts.set(address, count);
    return count;
  }
}
