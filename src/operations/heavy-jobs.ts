import type { JobInput, JobName, JobOutput } from '../compute/jobs.ts';
import { isRefusal } from '../domain/api/overlong-computation.ts';
import type { Context, WhileWanted } from './context.ts';

/** How often an answer that has begun gets back in line when its partner's share of the threads is in use, 1 to 2 s each time. */
const MOST_TURNS_MISSED = 30;

/**
 * Does work in the partner's turn, which the request has already where its body is large. It is not begun for a reader who has left.
 * Throws the problem overloaded (503), and what a wait throws that nobody wants.
 */
export function workInTurn<Result>(
  { compute, actor, stepAside, whileWanted = inAnyCase }: Context,
  hasTurn: boolean,
  work: () => Promise<Result>,
): Promise<Result> {
  stepAside?.();
  return hasTurn ? work() : whileWanted((signal) => compute.inTurn(actor.partnerId, work, signal));
}

/** Does a short job when all of the partner before it are done, under the same conditions. Throws the same. */
export function workInOrder<Result>(
  { compute, actor, stepAside, whileWanted = inAnyCase }: Context,
  work: () => Promise<Result>,
): Promise<Result> {
  stepAside?.();
  return whileWanted((signal) => compute.inOrder(actor.partnerId, work, signal));
}

/**
 * Does what is computed in slices of the event loop, with what it reads, once few enough of the partner's are under way. It is not begun for
 * a reader who has left, and ends at its next slice when he leaves (`yieldToEventLoop` of a context). Throws the same.
 */
export function workInSlices<Result>(
  { compute, actor, whileWanted = inAnyCase }: Context,
  work: () => Promise<Result>,
): Promise<Result> {
  return whileWanted((signal) => compute.inSlices(actor.partnerId, work, signal));
}

const inAnyCase: WhileWanted = (wait) => wait();

/**
 * Does in a turn what a part of an answer takes, with what it reads: who is refused has cost the database nothing. What an answer begins
 * with may be refused. Later its work would be lost, and one that is being sent would be cut off: it gets back in line. The work is done
 * anew where a refusal comes behind it, so it changes nothing that it does not return.
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
