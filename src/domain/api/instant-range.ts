import type { FieldError } from './problem.ts';
import { invalid } from './problem.ts';
import { parseInstant } from './instants.ts';

const DAY_MS = 86_400_000;

export interface Range {
  /** Inclusive. */
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
}

/**
 * The time range of two query parameters, each checked for its format already. Throws 422 `range_order` unless it
 * begins before it ends, `range_too_long` when it is longer than `maxDays`.
 */
export function readRange(
  [fromName, fromText]: readonly [string, string],
  [toName, toText]: readonly [string, string],
  maxDays: number,
): Range {
  const [from, to] = [parseInstant(fromText), parseInstant(toText)];
  const fault = (parameter: string, code: FieldError['code'], detail: string): FieldError[] => [
    { parameter, in: 'query', code, detail },
  ];
  if (from === undefined) throw invalid(fault(fromName, 'format', 'must be an ISO 8601 instant'));
  if (to === undefined) throw invalid(fault(toName, 'format', 'must be an ISO 8601 instant'));
  if (from >= to) throw invalid(fault(fromName, 'range_order', `must be before ${toName}`));
  if (to.getTime() - from.getTime() > maxDays * DAY_MS) {
    throw invalid(fault(toName, 'range_too_long', `must be at most ${maxDays} days after ${fromName}`));
  }
  return { from, to };
}
