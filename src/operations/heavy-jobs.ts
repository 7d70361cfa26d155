import type { JobInput, JobName, JobOutput } from '../compute/jobs.ts';
import { isRefusal } from '../domain/api/overlong-computation.ts';
import type { Context } from './context.ts';

/** How often an answer that has begun gets back in line when its partner's share of the threads is in use, 1 to 2 s each time. */
const MOST_TURNS_MISSED = 30;

/** Does work in the partner's turn, which the request has already where its body is large. Throws the problem overloaded (503). */
export function workInTurn<Result>(
  { compute, actor, stepAside }: Context,
  hasTurn: boolean,
  work: () => Promise<Result>,
): Promise<Result> {
  stepAside?.();
  return hasTurn ? work() : compute.inTurn(actor.partnerId, work);
}

/** Does a short job when all of the partner before it are done. Throws the problem overloaded (503). */
export function workInOrder<Result>(
  { compute, actor, stepAside }: Context,
  work: () => Promise<Result>,
): Promise<Result> {
  stepAside?.();
  return compute.inOrder(actor.partnerId, work);
}

/**
 * Does in a turn what a part of an answer takes, with what it reads: who is refused has cost the database nothing. The first part may be
 * refused; later the answer has begun, and a refusal would cut it off: it gets back in line. The work is done anew where a refusal comes
 * behind it, so it changes nothing that it does not return.
 */
export async function workInNextTurn<Result>(
  context: Context,
  hasBegun: boolean,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let missed = 0; ; missed++) {
    try {
      return await workInTurn(context, false, work);
    } catch (error) {
      if (!isRefusal(error) || !hasBegun || missed >= MOST_TURNS_MISSED) throw error;
    }
  }
}

/** Runs a job on a thread in the partner's turn. */
export function runHeavyJob<Name extends JobName>(
  context: Context,
  hasTurn: boolean,
  name: Name,
  input: JobInput<Name>,
): Promise<JobOutput<Name>> {
  const { compute, actor } = context;
  return workInTurn(context, hasTurn, () => compute.run(actor.partnerId, name, input));
}
