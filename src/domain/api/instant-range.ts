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
  const errorOf = (parameter: string, code: FieldError['code'], detail: string): FieldError[] => [
    { parameter, in: 'query', code, detail },
  ];
  if (from === undefined)
    throw validationProblem(errorOf(fromName, 'format', 'Must be an ISO 8601 instant.'));
  if (to === undefined) throw validationProblem(errorOf(toName, 'format', 'Must be an ISO 8601 instant.'));
  if (from >= to) throw validationProblem(errorOf(fromName, 'range_order', `Must be before ${toName}.`));
  if (to.getTime() - from.getTime() > maxDays * DAY_MS) {
    throw validationProblem(
      errorOf(toName, 'range_too_long', `Must be at most ${maxDays} days after ${fromName}.`),
    );
  }
  return { from, to };
}
