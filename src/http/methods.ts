import type { RequestHandler } from 'express';
import { Problem } from '../domain/api/problem.ts';

/** 405 with the methods that the path knows. */
export function methodNotAllowedProblem(method: string, allowed: readonly string[]): Problem {
  return new Problem('method_not_allowed', `This path does not support the method ${method}.`, {
    headers: { Allow: allowed.join(', ') },
  });
}

/** Ends the routes of a path that answers these methods alone. */
export function rejectOtherThan(...allowed: readonly string[]): RequestHandler {
  return ({ method }) => {
    throw methodNotAllowedProblem(method, allowed);
  };
}
