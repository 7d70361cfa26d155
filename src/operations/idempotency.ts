import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { PROBLEMS } from '../../generated/problems.ts';
import type { SecuredOperationId } from '../../generated/routes.ts';
import type { OperationReply } from '../contract/handlers.ts';
import { KEY_MEMORY_MS, parseIdempotencyKey } from '../domain/api/idempotency-keys.ts';
import { Problem } from '../domain/api/problem.ts';
import { quotaReachedProblem } from '../domain/api/quotas.ts';
import type { Tx } from '../queries/connection/database.ts';
import { inTransaction, undoOnFailure } from '../queries/connection/in-transaction.ts';
import {
  deleteUsedKey,
  findUsedKey,
  tryLockKey,
  upsertUsedKey,
} from '../queries/accounts/idempotency-keys.ts';
import type { IdempotencyKey } from '../queries/accounts/idempotency-keys.ts';
import { countUse, findQuota } from '../queries/accounts/quotas.ts';
import { stringifyWithSortedKeys } from '../simulation/definition/definition-record.ts';
import type { Context } from './context.ts';
import { sealAnswer, toReply, unsealAnswer } from './stored-answers.ts';
import type { Answer } from './stored-answers.ts';

/** Operations whose effect is no row: a test message goes out. Their keys are taken by a transaction of their own before. */
const OUTSIDE_TRANSACTION: ReadonlySet<SecuredOperationId> = new Set(['testWebhook']);
/** When such a one has no answer after so long, its process has died. Several times what it may take. */
const LOST_AFTER_MS = 60_000;
/** For how long a process goes by what it has counted of a partner's keys, and adds its own. */
const COUNT_MEMORY_MS = 10_000;
const COUNTED_PARTNERS = 1_000;
const TOO_MANY_REQUESTS = 429;

/** A request with a key. */
export interface KeyedRequest {
  readonly operation: SecuredOperationId;
  /** The header as it was sent. */
  readonly key: string;
  /** Values that a repeat has alike. */
  readonly path: object;
  readonly query: object;
  readonly body: unknown;
}

interface Asked {
  readonly key: IdempotencyKey;
  /** SHA-256 of the request without its headers. */
  readonly requestHash: Buffer;
}

/** What a process goes by for some seconds. */
interface Count {
  readonly atMs: number;
  readonly quota: number;
  used: number;
}

type Run = (context: Context) => Promise<OperationReply>;

/**
 * Runs operations once for each key of a caller: the answer is stored in the transaction of the effect, and given again to
 * repeats for 24 hours. An answer of 500 and above, and one of 429, is not stored, and nothing of its operation stays.
 */
export class IdempotentAnswers {
  readonly #monotonicMs: () => number;
  readonly #countMemoryMs: number;
  readonly #counts = new LRUCache<string, Count>({ max: COUNTED_PARTNERS });

  constructor(monotonicMs: () => number, countMemoryMs = COUNT_MEMORY_MS) {
    this.#monotonicMs = monotonicMs;
    this.#countMemoryMs = countMemoryMs;
  }

  /**
   * Runs the operation or resolves to its first answer.
   * @throws Problem idempotency_key_in_use (409) while it runs, idempotency_key_reused (422) for another request,
   * quota_reached (422); what the operation throws or has thrown.
   */
  async answer(context: Context, request: KeyedRequest, run: Run): Promise<OperationReply> {
    const { actor } = context;
    // An operation without a body takes none or `{}`, which is the same request.
    const { operation, path, query, body = {} } = request;
    const asked: Asked = {
      key: {
        org_id: actor.partnerId,
        user_id: actor.userId,
        key_hash: hashText(parseIdempotencyKey(request.key)),
      },
      requestHash: hashText(stringifyWithSortedKeys({ operation, path, query, body })),
    };
    return OUTSIDE_TRANSACTION.has(operation)
      ? this.#answerOutside(context, asked, run)
      : this.#answerInside(context, asked, run);
  }

  async #answerInside(context: Context, asked: Asked, run: Run): Promise<OperationReply> {
    const { answer, isRepeat, afterCommit } = await this.#inCountedTransaction(
      context,
      async (tx, counted) => {
        const afterCommit: (() => void)[] = [];
        const first = await this.#takeKey(tx, context, asked, counted);
        if (first !== undefined) return { answer: first, isRepeat: true, afterCommit };
        const answer = await settle(() =>
          undoOnFailure(tx, () => run(asPartOf(tx, context, (work) => afterCommit.push(work)))),
        );
        await store(tx, context, asked, answer);
        return { answer, isRepeat: false, afterCommit };
      },
    );
    if ('reply' in answer) for (const work of afterCommit) work();
    return toReply(answer, isRepeat);
  }

  async #answerOutside(context: Context, asked: Asked, run: Run): Promise<OperationReply> {
    const first = await this.#inCountedTransaction(context, async (tx, counted) => {
      const found = await this.#takeKey(tx, context, asked, counted);
      if (found === undefined) await store(tx, context, asked, undefined);
      return found;
    });
    if (first !== undefined) return toReply(first, true);
    const answer = await settle(() => run(context)).catch(async (error: unknown) => {
      await deleteUsedKey(context.db, asked.key);
      const count = this.#findCount(context.actor.partnerId);
      if (count !== undefined) count.used -= 1;
      throw error;
    });
    await store(context.db, context, asked, answer);
    return toReply(answer, false);
  }

  /** A transaction that takes back what it has counted when it fails, and before it is repeated. */
  async #inCountedTransaction<Result>(
    { db }: Context,
    work: (tx: Tx, counted: Count[]) => Promise<Result>,
  ): Promise<Result> {
    const counted: Count[] = [];
    const giveBack = (): void => {
      for (const count of counted.splice(0)) count.used -= 1;
    };
    try {
      return await inTransaction(db, (tx) => {
        giveBack();
        return work(tx, counted);
      });
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /** Holds the key until the transaction ends; resolves to the answer that was given with it, undefined when there is none. */
  async #takeKey(
    tx: Tx,
    context: Context,
    { key, requestHash }: Asked,
    counted: Count[],
  ): Promise<Answer | undefined> {
    if (!(await tryLockKey(tx, key))) throw keyInUseProblem();
    const now = context.now.getTime();
    const used = await findUsedKey(tx, key, new Date(now - KEY_MEMORY_MS));
    if (used === undefined) {
      const count = await this.#requireRoom(tx, context);
      if (count !== undefined) counted.push(count);
      return undefined;
    }
    if (!used.request_hash.equals(requestHash)) throw keyReusedProblem();
    if (used.answer !== undefined) return unsealAnswer(context.keyring, key, used.answer);
    if (now - used.created_at.getTime() < LOST_AFTER_MS) throw keyInUseProblem();
    return undefined;
  }

  /**
   * Counting takes as long as there are keys, up to some milliseconds, so it is done once in ten seconds: several processes
   * may exceed the quota by what they let in meanwhile.
   */
  async #requireRoom(tx: Tx, { actor, quotas }: Context): Promise<Count | undefined> {
    const { partnerId } = actor;
    if (this.#findCount(partnerId) === undefined) {
      const quota = await findQuota(tx, partnerId, 'idempotency_keys', quotas.idempotency_keys);
      const used = await countUse(tx, partnerId, 'idempotency_keys');
      // Of those that have counted at the same time the first one has added its own already.
      if (this.#findCount(partnerId) === undefined)
        this.#counts.set(partnerId, { atMs: this.#monotonicMs(), quota, used });
    }
    const count = this.#findCount(partnerId);
    if (count === undefined) return undefined;
    const { quota, used } = count;
    if (used >= quota) throw quotaReachedProblem('idempotency_keys', { quota, used, more: 1 });
    count.used += 1;
    return count;
  }

  #findCount(partnerId: string) {
    const count = this.#counts.get(partnerId);
    const isFresh = count !== undefined && this.#monotonicMs() - count.atMs < this.#countMemoryMs;
    return isFresh ? count : undefined;
  }
}

/** What the operation answers, be it a refusal; throws what is not to be stored. */
async function settle(run: () => Promise<OperationReply>): Promise<Answer> {
  try {
    return { reply: await run() };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { status } = PROBLEMS[error.code];
    if (status >= 500 || status === TOO_MANY_REQUESTS) throw error;
    return { problem: error };
  }
}

async function store(
  db: Context['db'] | Tx,
  { keyring, now }: Context,
  { key, requestHash }: Asked,
  answer: Answer | undefined,
): Promise<void> {
  await upsertUsedKey(db, key, {
    request_hash: requestHash,
    answer: answer && sealAnswer(keyring, key, answer),
    created_at: now,
  });
}

/** The same context inside of the transaction; what is to be done after the commit is handed to `later`. */
function asPartOf(tx: Tx, context: Context, later: (work: () => void) => void): Context {
  return {
    ...context,
    db: tx,
    invalidateCachedTokensOf: (id) => later(() => context.invalidateCachedTokensOf(id)),
    countCancelled: (reason, count) => later(() => context.countCancelled(reason, count)),
    wakeDispatcher: (orgIds) => later(() => context.wakeDispatcher(orgIds)),
    announceChange: (orgIds) => later(() => context.announceChange(orgIds)),
    wakeFleets: () => later(() => context.wakeFleets()),
  };
}

const hashText = (text: string): Buffer => createHash('sha256').update(text).digest();

function keyInUseProblem(): Problem {
  return new Problem('idempotency_key_in_use', PROBLEMS.idempotency_key_in_use.detail, {
    headers: { 'Retry-After': '1' },
  });
}

const keyReusedProblem = (): Problem =>
  new Problem('idempotency_key_reused', PROBLEMS.idempotency_key_reused.detail);
