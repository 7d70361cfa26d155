/** A window of a steered house as it went, and what it goes by. */
import type { HeatPumpRows } from './heat-pump-rows.ts';
import type { HouseState } from './house-state.ts';
import type { Interventions } from './interventions.ts';
import type { PlannedPrices } from './planned-prices.ts';
import type { UnsteeredHouse } from './unsteered-house.ts';

/**
 * What panels give beyond what the household uses without heat pump and car, by the quarter hours of a UTC day, mWh: at the
 * place where it is in quarter hour `known` (since 1970).
 */
export type SurplusOf = (day: number, known: number) => Int32Array;

/** The time of a window: quarter hours since 1970, the end exclusive. */
export interface WindowSpan {
  readonly first: number;
  readonly end: number;
  /** Whether the heat pump may be planned in it. */
  readonly plans: boolean;
}

/** A window as it went. */
export interface Window extends WindowSpan {
  readonly rows: HeatPumpRows;
  /** 1 where a plan gives no heat that the unsteered house would have. */
  readonly blocked: Uint8Array;
  /** What each quarter hour went by: 0 the thermostat, else 1 + 3 times the room's aim + the tank's. */
  readonly codes: Uint8Array;
  /** The state at its end. */
  readonly after: HouseState;
  readonly isHomeAfter: boolean;
}

/** What the walk of a window goes by. */
export interface WalkContext {
  readonly house: UnsteeredHouse;
  readonly interventions: Interventions;
  readonly prices: PlannedPrices;
  readonly surplusOf: SurplusOf;
}
