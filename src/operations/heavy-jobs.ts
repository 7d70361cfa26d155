import type { JobInput, JobName, JobOutput } from '../compute/jobs.ts';
import type { Context } from './context.ts';

/** Runs a job on a thread in the partner's turn, which the request has already where its body is large. */
export function runHeavyJob<Name extends JobName>(
  { compute, actor }: Context,
  hasTurn: boolean,
  name: Name,
  input: JobInput<Name>,
): Promise<JobOutput<Name>> {
  return hasTurn
    ? compute.run(actor.partnerId, name, input)
    : compute.runInTurn(actor.partnerId, name, input);
}
