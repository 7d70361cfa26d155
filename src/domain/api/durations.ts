/** Lengths of time that several rooms share. */

/** A minute in milliseconds. */
export const MINUTE_MS = 60_000;
/** An hour in milliseconds. */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Prices, schedules and the simulator count time in quarter hours of UTC. */
export const QUARTER_HOUR_MS = 15 * 60_000;
export const QUARTER_HOURS_PER_DAY = DAY_MS / QUARTER_HOUR_MS;
