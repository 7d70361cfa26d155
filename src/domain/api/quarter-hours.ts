import { QUARTER_HOUR_MS } from './durations.ts';

/**
 * From when something came in until everybody sees it: less than this. A request waits for the database for 4.5 s in all
 * (REQUEST_DATABASE_MS), a batch of a worker for 8 s (BATCH_DATABASE_MS); the rest is for what a process computes in between, and for
 * clocks that differ.
 */
export const COMMIT_MARGIN_MS = 10_000;

/**
 * The quarter hour from which on counts what came in at an instant: the next one, or the one after it where that might begin before
 * everybody sees it. So no quarter hour that has begun is ever another one.
 */
export function effectiveFrom(receivedAt: Date): Date {
  return nextQuarterHour(new Date(receivedAt.getTime() + COMMIT_MARGIN_MS));
}

/** The start of the quarter hour after the one that holds an instant. */
export function nextQuarterHour(now: Date): Date {
  return new Date((Math.floor(now.getTime() / QUARTER_HOUR_MS) + 1) * QUARTER_HOUR_MS);
}
