import { Problem } from './problem.ts';

/** Whether an error says that its caller came while its share was in use, before anything was done: not that something took too long. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Problem && error.code === 'overloaded' && !(error instanceof OverlongComputation);
}

/** A computation that took too long and was ended: `overloaded` (503) to whoever waits for it. */
export class OverlongComputation extends Problem {
  constructor(limitMs: number, cause: unknown) {
    const detail = `The computation took more than ${Math.ceil(limitMs / 1000)} s and was ended; repeat it later, or ask for less.`;
    super('overloaded', detail, { headers: { 'Retry-After': '5' }, cause });
  }
}
