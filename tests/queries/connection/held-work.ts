// Batches whose work waits until the test lets it go on.
import { expect } from 'vitest';
import { inBatches } from '../../../src/queries/connection/batches.ts';
import type { BatchBounds } from '../../../src/queries/connection/batches.ts';
import type { Db } from '../../../src/queries/connection/database.ts';
import {
  assignRequestToPartner,
  findRequestScope,
  runInRequestScope,
} from '../../../src/queries/connection/request-scope.ts';

const works: (readonly Begun[])[] = [];

/** What a test that fails has left under way would keep its connection. */
export function endHeldWork(): void {
  for (const { end } of works.splice(0).flat()) end();
}

/** A request of a partner that may wait `limitMs` for the database. */
export const request = <Result>(
  work: () => Promise<Result>,
  limitMs = 60_000,
  partnerId = 'a',
): Promise<Result> =>
  runInRequestScope(
    () => false,
    () => {
      assignRequestToPartner(partnerId);
      return work();
    },
    limitMs,
  );

export const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

export const until = <T>(read: () => T): ReturnType<typeof expect.poll<T>> =>
  expect.poll(read, { interval: 2 });

interface Begun {
  readonly items: readonly number[];
  readonly partnerId: string | undefined;
  readonly end: () => void;
}

export interface Rules {
  readonly bounds?: BatchBounds;
  /** What is done before the results of a batch are told. */
  readonly together?: (db: Db, items: readonly number[]) => Promise<unknown>;
  readonly alone?: (db: Db, item: number) => Promise<unknown>;
  /** Items that a batch leaves over. */
  readonly isLeftOver?: (item: number) => boolean;
}

/** Work that tells when it begins and goes on when it is told to; the result of 7 is "7". */
export function heldWork({ bounds, together, alone, isLeftOver = () => false }: Rules = {}) {
  const begun: Begun[] = [];
  works.push(begun);
  const hold = (items: readonly number[]): Promise<undefined> => {
    const held = Promise.withResolvers<undefined>();
    const partnerId = findRequestScope()?.partnerId;
    begun.push({ items, partnerId, end: () => held.resolve(undefined) });
    return held.promise;
  };
  const call = inBatches<number, string>(
    {
      doTogether: async (db, items) => {
        await hold(items);
        await together?.(db, items);
        return items.map((item) => (isLeftOver(item) ? undefined : String(item)));
      },
      doAlone: async (db, item) => {
        await hold([item]);
        await alone?.(db, item);
        return String(item);
      },
    },
    bounds,
  );
  /** Ends what has begun, and what begins then, until `count` were under way in all. */
  const endAll = async (count: number): Promise<void> => {
    for (let place = 0; place < count; place += 1) {
      await until(() => begun.length).toBeGreaterThan(place);
      begun[place]?.end();
    }
  };
  return { begun, call, endAll, items: () => begun.map(({ items }) => items) };
}

export const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => from + i);
export const many: BatchBounds = { items: 100, underWay: 1, waiting: 1_000, leastMs: 10 };
