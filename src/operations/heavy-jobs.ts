import type { JobInput, JobName, JobOutput } from '../compute/jobs.ts';
import type { Context } from './context.ts';

/** Does work in the partner's turn, which the request has already where its body is large. Throws the problem overloaded (503). */
export function workInTurn<Result>(
  { compute, actor }: Context,
  hasTurn: boolean,
  work: () => Promise<Result>,
): Promise<Result> {
  return hasTurn ? work() : compute.inTurn(actor.partnerId, work);
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
