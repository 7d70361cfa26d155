import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request } from 'express';
import type { OperationReply } from '../contract/handlers.ts';
import { Problem } from '../domain/api/problem.ts';
import type { FieldError } from '../domain/api/problem.ts';
import type { Context } from '../operations/context.ts';
import type { KeyedRequest } from '../operations/idempotency.ts';
import { isReplayed } from '../operations/stored-answers.ts';
import type { PortalContext } from './context.ts';
import { readFormField } from './forms.ts';
import type { FieldMessages } from './forms.ts';

/** The hidden field of a form that creates. */
const FIELD = 'idempotency_key';
/** How long a form that was sent twice at once waits for the first to be done. */
const PAUSE_MS = 100;
const MOST_PAUSES = 30;

/** A form that creates, as it is shown. */
export interface CreationForm<Values> {
  readonly status: number;
  readonly formKey: string;
  readonly values: Values;
  readonly errors: FieldMessages;
}

/** A key for a form that is shown: what it is sent with twice is done once. */
export function newFormKey(): string {
  return randomUUID();
}

/**
 * The key of a form that was refused: the one that it has, since the answer to it may have been lost, and another only where
 * something was done with that one, or where it has none.
 */
export function chooseFormKey(request: Request, refusal: unknown): string {
  const isUsed = refusal instanceof Problem && refusal.code === 'idempotency_key_reused';
  return isUsed ? newFormKey() : readFormField(request, FIELD) || newFormKey();
}

/** Takes a refusal through the transaction of a key, which is undone then. */
class Refusal extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/**
 * Runs an operation once for each form, for 24 hours: one that is sent again gets the first answer, which `run` therefore gives
 * without secrets (`isRepeat`). The same key with other values is refused. With what the operation refuses the key is not used.
 * @throws Problem idempotency_key_reused, idempotency_key_in_use (409) when the first takes longer than 3 s; what the operation
 * throws.
 */
export async function runOnce(
  { answerOnce }: PortalContext,
  request: Request,
  context: Context,
  asked: Omit<KeyedRequest, 'key' | 'query'>,
  run: (context: Context) => Promise<OperationReply>,
): Promise<{ readonly body: unknown; readonly isRepeat: boolean }> {
  const key = readFormField(request, FIELD);
  if (key === '') return { body: (await run(context)).body, isRepeat: false };
  for (let pauses = 0; ; pauses++) {
    try {
      const reply = await answerOnce(context, { ...asked, key, query: {} }, (once) =>
        run(once).catch(refuse),
      );
      // It may have run in a transaction that was undone, before another answer was found.
      return { body: reply.body, isRepeat: isReplayed(reply) };
    } catch (error) {
      if (error instanceof Refusal) throw error.problem;
      if (!(error instanceof Problem)) throw error;
      if (error.code === 'idempotency_key_reused') throw changedFormProblem();
      if (error.code !== 'idempotency_key_in_use' || pauses === MOST_PAUSES) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

function refuse(error: unknown): never {
  throw error instanceof Problem ? new Refusal(error) : error;
}

/** What a form says that was sent before, with other values or for what is gone; it is then shown with another key or `request_id`. */
export const SENT_BEFORE =
  'This form was sent before, and what it asked for was done. Send it again to do this too.';
/** What a form says whose hidden field is not what it was shown with. */
export const NO_REQUEST_ID =
  'The form came without its request_id, which is a UUID. It has one now: send it again.';
const REQUEST_ID_POINTER = '/request_id';

const changedFormProblem = (): Problem => new Problem('idempotency_key_reused', SENT_BEFORE);

/** Whether a form with a `request_id` was sent before, with other values, or what it did is gone. */
export function isRequestIdUsed(error: unknown): boolean {
  if (!(error instanceof Problem)) return false;
  return error.code === 'request_purged' || error.errors.some(({ code }) => code === 'request_id_reused');
}

/** Whether an error of a field is that of the hidden `request_id`. */
export const isOfRequestId = ({ pointer }: FieldError): boolean => pointer === REQUEST_ID_POINTER;

/**
 * The `request_id` of a form that was refused: the one that it has, since the answer to it may have been lost, and another
 * only where that one stands for something else or is none.
 */
export function chooseRequestId(requestId: string, refusal: unknown): string {
  const isWrong =
    isRequestIdUsed(refusal) || (refusal instanceof Problem && refusal.errors.some(isOfRequestId));
  return isWrong ? randomUUID() : requestId;
}
