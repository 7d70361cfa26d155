/** What was set and when it counts; time is quarter hours since 1970. */
import { findFirst } from '../../domain/prices/price-revisions.ts';

/** A value and the quarter hour from which on it holds, up to the next revision. */
export interface Revision<T> {
  readonly from: number;
  readonly value: T;
}

/** Quarter hours since 1970. */
export interface QuarterSpan {
  readonly first: number;
  /** Exclusive; OPEN_END where none is known. */
  readonly end: number;
}

export const OPEN_END: number = Number.MAX_SAFE_INTEGER;

/** The value in force in a quarter hour; `before` until the first revision. The revisions are in order of time. */
export function valueInForce<T>(revisions: readonly Revision<T>[], quarter: number, before: T): T {
  const after = findFirst(revisions.length, (i) => (revisions[i]?.from ?? NaN) > quarter);
  const inForce = revisions[after - 1];
  return inForce === undefined ? before : inForce.value;
}

/** Whether a quarter hour lies in one of some spans, which are in order of time and disjoint. */
export function isWithin(spans: readonly QuarterSpan[], quarter: number): boolean {
  const next = spans[findFirst(spans.length, (i) => (spans[i]?.end ?? NaN) > quarter)];
  return next !== undefined && next.first <= quarter;
}

/** The parts of some spans that lie in one, in their order. */
export function clipSpans(spans: readonly QuarterSpan[], { first, end }: QuarterSpan): QuarterSpan[] {
  return spans
    .map((span) => ({ first: Math.max(span.first, first), end: Math.min(span.end, end) }))
    .filter((span) => span.first < span.end);
}

/** From the beginning of the first span to the end of the last, of which there is at least one. */
export function hullOf(spans: readonly QuarterSpan[]): QuarterSpan {
  const [first, last] = [spans[0], spans.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('There is no span.');
  return { first: first.first, end: last.end };
}
