/** What steers a household in tests: prices that are known from the start. */
import { QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';
import { steeringOf } from '../../src/simulation/control/steering.ts';
import type { Steering } from '../../src/simulation/control/steering.ts';

/** Steered by a price for each quarter hour since 1970, null where there is none. */
export const steeredBy = (priceOf: (quarter: number) => number | null): Steering =>
  steeringOf({
    priceAt: (startMs) => priceOf(startMs / QUARTER_HOUR_MS),
    originAt: () => 'own',
    revisionAt: () => 1,
  });

/** Prices that change every 45 minutes and mean nothing. */
export const RESTLESS = steeredBy((quarter) => [80, 20, 200, -10][Math.floor(quarter / 3) % 4] ?? null);
