import type { FieldError } from './problem.ts';
import { validationProblem } from './problem.ts';
import { tryParseInstant } from './instants.ts';
import { DAY_MS } from './durations.ts';

export interface InstantRange {
  /** Inclusive. */
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
}

/**
 * The time range of two query parameters, each checked for its format already. Throws 422 `range_order` unless it
 * begins before it ends, `range_too_long` when it is longer than `maxDays`.
 */
export function parseInstantRange(
  [fromName, fromText]: readonly [string, string],
  [toName, toText]: readonly [string, string],
  maxDays: number,
): InstantRange {
  const [from, to] = [tryParseInstant(fromText), tryParseInstant(toText)];
  const fault = (parameter: string, code: FieldError['code'], detail: string): FieldError[] => [
    { parameter, in: 'query', code, detail },
  ];
  if (from === undefined) throw validationProblem(fault(fromName, 'format', 'must be an ISO 8601 instant'));
  if (to === undefined) throw validationProblem(fault(toName, 'format', 'must be an ISO 8601 instant'));
  if (from >= to) throw validationProblem(fault(fromName, 'range_order', `must be before ${toName}`));
  if (to.getTime() - from.getTime() > maxDays * DAY_MS) {
    throw validationProblem(
      fault(toName, 'range_too_long', `must be at most ${maxDays} days after ${fromName}`),
    );
  }
  return { from, to };
}
