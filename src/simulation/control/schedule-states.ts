/** What a schedule may ask of a heat pump in a quarter hour. */

export const SCHEDULE_STATES = ['min', 'low', 'mid', 'max'] as const;
/** min: blocked; low: set back; mid: normal; max: boosted. */
export type ScheduleState = (typeof SCHEDULE_STATES)[number];
