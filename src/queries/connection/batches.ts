// Calls that come at once and are done together: one connection and one statement for all of them.
import { setImmediate as endTurn } from 'node:timers/promises';
import { Problem } from '../../domain/api/problem.ts';
import { startTimer } from './bounded-client.ts';
import type { Db } from './database.ts';
import { DatabaseTimeoutError, mayConcernOneRow } from './database-errors.ts';
import {
  assignRequestToPartner,
  findRequestScope,
  REQUEST_DATABASE_MS,
  runInRequestScope,
  runInScope,
} from './request-scope.ts';
import type { RequestScope } from './request-scope.ts';

export interface BatchedWork<Item, Result> {
  /**
   * Does what it can of all items in one transaction; resolves, after its commit, to the result of each by its place, or
   * undefined for one that is to be done alone.
   */
  readonly doTogether: (db: Db, items: readonly Item[]) => Promise<readonly (Result | undefined)[]>;
  readonly doAlone: (db: Db, item: Item) => Promise<Result>;
}

export interface BatchBounds {
  /** Items of a batch. */
  readonly items: number;
  /** Batches of one key that are under way at the same time. */
  readonly underWay: number;
  /** Calls of one key that wait for their batch. */
  readonly waiting: number;
  /** Milliseconds that a call must have left when its batch begins: all of it has no more time than any of its calls. */
  readonly leastMs: number;
}

/** While one batch is written to the disk, another one has the processor. */
const BOUNDS: BatchBounds = { items: 100, underWay: 2, waiting: 1_000, leastMs: 500 };

const RETRY_AFTER_SECONDS = 2;

/** Does one item for the present request; rejects with the item's own error. */
export type BatchedCall<Item, Result> = (db: Db, key: string, item: Item) => Promise<Result>;

/**
 * Batches work by key. A call goes at once, with those that come in the same turn of the event loop, unless as many batches of its
 * key are under way as may be; who comes meanwhile is the next batch. A batch begins when it has its connection, a unit of its
 * partner's share, and ends in the time of each of its calls; one that has too little left by then is refused and not done. When
 * no connection is had, the calls that have waited for it from the beginning fail. What a batch leaves over is done alone, each
 * for its own request; so is all of a batch that fails, unless the database is what failed it. A batch holds calls of one partner
 * alone, or of one address of which no partner is known yet: nobody waits in the turn of another.
 * @throws Problem overloaded (503) with Retry-After when too many calls of the key wait; DatabaseTimeoutError when the time of
 * the request is over, which leaves open whether a batch under way has done its item.
 */
export function inBatches<Item, Result>(
  work: BatchedWork<Item, Result>,
  bounds: BatchBounds = BOUNDS,
): BatchedCall<Item, Result> {
  const databases = new WeakMap<Db, Map<string, Batches<Item, Result>>>();
  return (db, key, item) => {
    const byKey = databases.get(db) ?? new Map<string, Batches<Item, Result>>();
    databases.set(db, byKey);
    const partyKey = `${findRequestScope()?.party ?? ''}\n${key}`;
    const batches = byKey.get(partyKey) ?? new Batches(db, work, bounds, () => byKey.delete(partyKey));
    byKey.set(partyKey, batches);
    return batches.add(item);
  };
}

/** One item with the request that waits for it. */
interface Call<Item, Result> {
  readonly item: Item;
  readonly scope: RequestScope | undefined;
  /** How many calls of the key had come before. */
  readonly place: number;
  /** When its time is over, in milliseconds of `performance.now()`. */
  readonly untilMs: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  hasLeft: boolean;
}

/** The batches of one key and party. */
class Batches<Item, Result> {
  readonly #db: Db;
  readonly #work: BatchedWork<Item, Result>;
  readonly #bounds: BatchBounds;
  readonly #forget: () => void;
  readonly #waiting = new Set<Call<Item, Result>>();
  /** The next batch waits for its connection. */
  #isGathering = false;
  #underWay = 0;
  #added = 0;

  constructor(db: Db, work: BatchedWork<Item, Result>, bounds: BatchBounds, forget: () => void) {
    this.#db = db;
    this.#work = work;
    this.#bounds = bounds;
    this.#forget = forget;
  }

  async add(item: Item): Promise<Result> {
    if (this.#waiting.size >= this.#bounds.waiting) throw overloadedProblem();
    const scope = findRequestScope();
    const leftMs = scope?.leftMs ?? REQUEST_DATABASE_MS;
    if (leftMs <= 0) throw timeoutError();
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const [place, untilMs] = [this.#added++, performance.now() + leftMs];
    const call: Call<Item, Result> = { item, scope, place, untilMs, resolve, reject, hasLeft: false };
    this.#waiting.add(call);
    const stopTimer = startTimer(leftMs, () => this.#leave(call));
    scope?.beginWait();
    this.#begin();
    try {
      return await promise;
    } finally {
      stopTimer();
      scope?.endWait();
    }
  }

  #leave(call: Call<Item, Result>): void {
    call.hasLeft = true;
    this.#waiting.delete(call);
    call.reject(timeoutError());
  }

  #begin(): void {
    const [first] = this.#waiting;
    if (first === undefined || this.#isGathering || this.#underWay >= this.#bounds.underWay) return;
    this.#isGathering = true;
    this.#underWay += 1;
    void this.#runNext(first.scope).finally(() => {
      this.#underWay -= 1;
      this.#begin();
      if (this.#underWay === 0) this.#forget();
    });
  }

  /** Never rejects. */
  async #runNext(scope: RequestScope | undefined): Promise<void> {
    const partnerId = scope?.partnerId;
    const address = partnerId === undefined ? scope?.address : undefined;
    await endTurn();
    const addedBefore = this.#added;
    let left: readonly Call<Item, Result>[] = [];
    try {
      await runInRequestScope(
        () => false,
        async () => {
          if (partnerId !== undefined) assignRequestToPartner(partnerId);
          await this.#db.connection().execute(async (connection) => {
            left = await this.#run(connection, this.#take());
          });
        },
        REQUEST_DATABASE_MS,
        address === undefined ? undefined : () => address,
      );
    } catch (error) {
      // No connection was had. Who came meanwhile has not waited for it as long as anybody may.
      this.#isGathering = false;
      for (const call of this.#waiting) {
        if (call.place >= addedBefore) break;
        this.#waiting.delete(call);
        call.reject(error);
      }
    }
    for (const call of left) {
      if (!call.hasLeft)
        void runInScope(call.scope, () => settle(call, () => this.#work.doAlone(this.#db, call.item)));
    }
  }

  #take(): Call<Item, Result>[] {
    this.#isGathering = false;
    const nowMs = performance.now();
    const calls: Call<Item, Result>[] = [];
    for (const call of this.#waiting) {
      if (calls.length >= this.#bounds.items) break;
      this.#waiting.delete(call);
      if (call.untilMs - nowMs < this.#bounds.leastMs) call.reject(timeoutError());
      else calls.push(call);
    }
    findRequestScope()?.limitTo(Math.min(...calls.map(({ untilMs }) => untilMs - nowMs)));
    this.#begin();
    return calls;
  }

  /** Resolves to the calls that are to be done alone. */
  async #run(connection: Db, calls: readonly Call<Item, Result>[]): Promise<readonly Call<Item, Result>[]> {
    const [first] = calls;
    if (first === undefined) return [];
    if (calls.length === 1) {
      await settle(first, () => this.#work.doAlone(connection, first.item));
      return [];
    }
    try {
      const results = await this.#work.doTogether(
        connection,
        calls.map(({ item }) => item),
      );
      return calls.filter((call, place) => {
        const result = results[place];
        if (result !== undefined) call.resolve(result);
        return result === undefined;
      });
    } catch (error) {
      if (mayConcernOneRow(error)) return calls;
      for (const call of calls) call.reject(error);
      return [];
    }
  }
}

async function settle<Item, Result>(call: Call<Item, Result>, work: () => Promise<Result>): Promise<void> {
  try {
    call.resolve(await work());
  } catch (error) {
    call.reject(error);
  }
}

const timeoutError = (): DatabaseTimeoutError =>
  new DatabaseTimeoutError('The request had no time left to wait for its batch.');

const overloadedProblem = (): Problem =>
  new Problem(
    'overloaded',
    `Too many requests of the same kind wait for the database; repeat it after ${RETRY_AFTER_SECONDS} s.`,
    { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } },
  );
