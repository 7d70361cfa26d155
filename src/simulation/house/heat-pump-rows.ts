/** What a heat pump does and what its house has of it, by the quarter hours of a day. */

/** In the order of the indexes in HeatPumpRows.mode. */
export const HEAT_MODES = ['off', 'heating', 'hot_water'] as const;
export type HeatMode = (typeof HEAT_MODES)[number];

/** A UTC day of a heat pump by its 96 quarter hours. */
export interface HeatPumpRows {
  /** Electricity, mWh. */
  readonly hp: Int32Array;
  /** Heat delivered, mWh. */
  readonly heat: Int32Array;
  /** Index in HEAT_MODES. */
  readonly mode: Uint8Array;
  /** What it is asked for: index in SCHEDULE_STATES. */
  readonly asked: Uint8Array;
  /** Indoor temperature before each quarter hour and after the last, mK over 0 C. */
  readonly indoor: Int32Array;
  /** Temperature of the hot-water tank, likewise. */
  readonly hotWater: Int32Array;
}
