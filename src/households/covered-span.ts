import { QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import type { InstantRange } from '../domain/api/instant-range.ts';
import type { QuarterSpan } from '../simulation/control/revisions.ts';

/** The quarter hours that begin in a range, not before a history, and are over at `until`; undefined when there are none. */
export function findCoveredSpan(
  since: Date,
  { from, to }: InstantRange,
  until: Date,
): QuarterSpan | undefined {
  const first = Math.ceil(Math.max(from.getTime(), since.getTime()) / QUARTER_HOUR_MS);
  const end = Math.min(
    Math.ceil(to.getTime() / QUARTER_HOUR_MS),
    Math.floor(until.getTime() / QUARTER_HOUR_MS),
  );
  return first < end ? { first, end } : undefined;
}
