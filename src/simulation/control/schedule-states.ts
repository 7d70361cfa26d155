/** What a schedule may ask of a heat pump in a quarter hour. */

export const SCHEDULE_STATES = ['min', 'low', 'mid', 'max'] as const;
/** min: blocked; low: set back; mid: normal; max: boosted. */
export type ScheduleState = (typeof SCHEDULE_STATES)[number];

/** Part of the need of a quarter hour that a plan counts on in each state (assumption); what is given follows from the house. */
export const PLANNED_HEAT_FRACTION: Readonly<Record<ScheduleState, number>> = {
  min: 0,
  low: 0.6,
  mid: 1,
  max: 1.5,
};
