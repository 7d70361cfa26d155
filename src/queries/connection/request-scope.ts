// What a request may ask of the database, known to every statement that runs for it without being passed along.
import { AsyncLocalStorage } from 'node:async_hooks';

/** All that one request may wait for the database, in milliseconds: for a connection, its opening and every statement. */
export const REQUEST_DATABASE_MS = 4_500;

const scopes = new AsyncLocalStorage<RequestScope | undefined>();

/** The time that one request has left with the database, and the partner for which it runs. */
export class RequestScope {
  /** Undefined until the caller is known. */
  partnerId: string | undefined;
  /** Whether no request waits: then all pools are bounded by it. */
  readonly isOfProcess: boolean;
  readonly #isAnswering: () => boolean;
  readonly #addressOf: (() => string) | undefined;
  readonly #limitMs: number;
  #leftMs: number;
  #waiting = 0;
  #waitingSinceMs = 0;

  constructor(
    isAnswering: () => boolean,
    limitMs: number,
    {
      isOfProcess = false,
      addressOf,
    }: { readonly isOfProcess?: boolean; readonly addressOf?: () => string } = {},
  ) {
    this.isOfProcess = isOfProcess;
    this.#isAnswering = isAnswering;
    this.#addressOf = addressOf;
    this.#limitMs = limitMs;
    this.#leftMs = limitMs;
  }

  /** The address of the caller as it is counted; undefined where there is none. */
  get address(): string | undefined {
    return this.#addressOf?.();
  }

  /** Who waits for its turns of the database: a partner, or the address of somebody unknown. */
  get party(): string {
    return this.partnerId === undefined ? `address ${this.address ?? ''}` : `partner ${this.partnerId}`;
  }

  /** Zero or less when nothing is left. An answer that has begun can't be refused any more: each of its waits has the whole. */
  get leftMs(): number {
    if (this.#isAnswering()) return this.#limitMs;
    return this.#leftMs - (this.#waiting === 0 ? 0 : performance.now() - this.#waitingSinceMs);
  }

  /** Leaves no more than `limitMs` from now on. Only between waits. */
  limitTo(limitMs: number): void {
    this.#leftMs = Math.min(this.#leftMs, limitMs);
  }

  /** A wait for the database begins. Waits at the same time count once. */
  beginWait(): void {
    if (this.#waiting === 0) this.#waitingSinceMs = performance.now();
    this.#waiting += 1;
  }

  endWait(): void {
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#leftMs -= performance.now() - this.#waitingSinceMs;
  }
}

/**
 * Runs the handling of one request: whatever it awaits shares `limitMs` milliseconds of waiting for the database. What the
 * request does beside that (reading its body, computing) does not count. `isAnswering`: whether the answer has begun;
 * `addressOf`: the address of the caller, asked for as long as no more is known of it.
 */
export function runInRequestScope<Result>(
  isAnswering: () => boolean,
  work: () => Result,
  limitMs = REQUEST_DATABASE_MS,
  addressOf?: () => string,
): Result {
  return scopes.run(new RequestScope(isAnswering, limitMs, addressOf && { addressOf }), work);
}

/**
 * Runs work of the process itself, which may wait `limitMs` milliseconds for the database in all: less than its pool allows, and
 * whatever the request may do from which it was begun.
 */
export function runWithin<Result>(limitMs: number, work: () => Result): Result {
  return scopes.run(new RequestScope(() => false, limitMs, { isOfProcess: true }), work);
}

/** Goes on with the handling of a request, or without one. */
export function runInScope<Result>(scope: RequestScope | undefined, work: () => Result): Result {
  return scopes.run(scope, work);
}

/** The caller of the present request is known: from now on connections come from this partner's share. */
export function assignRequestToPartner(partnerId: string): void {
  const scope = scopes.getStore();
  if (scope !== undefined) scope.partnerId = partnerId;
}

/** The scope of the present request; for the work of the process itself undefined, or what bounds it. */
export function findRequestScope(): RequestScope | undefined {
  return scopes.getStore();
}
