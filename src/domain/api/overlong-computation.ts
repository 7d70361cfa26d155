import { Problem } from './problem.ts';

/** Whether a problem says that its caller came while its share was in use, before anything was done: not that something took too long. */
export function isRefusal(problem: Problem): boolean {
  return problem.code === 'overloaded' && !(problem instanceof OverlongComputation);
}

/** A computation that took too long and was ended: `overloaded` (503) to whoever waits for it. */
export class OverlongComputation extends Problem {
  constructor(limitMs: number, cause: unknown) {
    const detail = `The computation took more than ${Math.ceil(limitMs / 1000)} s and was ended; repeat it later, or ask for less.`;
    super('overloaded', detail, { headers: { 'Retry-After': '5' }, cause });
  }
}
