/** All that moves a household's devices beside its own habits. */
import { QUARTER_HOUR_MS } from '../../domain/api/durations.ts';
import { COMMIT_MARGIN_MS } from '../../domain/api/quarter-hours.ts';
import { UNCONTROLLED } from './household-control.ts';
import type { HouseholdControl } from './household-control.ts';
import { NO_PRICES } from './price-book.ts';
import type { PriceBook } from './price-book.ts';

/**
 * What a household's values follow from beside itself and the instant. What is computed of a household is remembered with
 * this object: give the same one for as long as it means the same, and another one when anything in it is another.
 */
export interface Steering {
  readonly prices: PriceBook;
  /** Prices that came in later than this do not count, ms since 1970. */
  readonly knownUntilMs: number;
  readonly control: HouseholdControl;
}

/**
 * A quarter hour (since 1970) goes by the prices that had come in by then, ms since 1970: a moment before its beginning, so that those
 * that are still being stored as it begins never change it.
 */
export const knownAtMs = ({ knownUntilMs }: Steering, quarter: number): number =>
  Math.min(quarter * QUARTER_HOUR_MS - COMMIT_MARGIN_MS, knownUntilMs);

/** Later than any quarter hour that is asked for: each is planned with what was known as it began. */
const END_OF_TIME_MS = 8.64e15;

/** A household that neither prices nor people steer. Known by its identity. */
export const UNSTEERED: Steering = {
  prices: NO_PRICES,
  knownUntilMs: END_OF_TIME_MS,
  control: UNCONTROLLED,
};

/** Prices and what was asked of a household, each counting from when it was known. */
export function steeringOf(prices: PriceBook, control: HouseholdControl = UNCONTROLLED): Steering {
  return { prices, knownUntilMs: END_OF_TIME_MS, control };
}
