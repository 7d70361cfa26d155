import { QUARTER_HOUR_MS } from '../../domain/api/durations.ts';
import type { DeviceControl } from './household-control.ts';
import {
  DEFAULT_HEAT_PUMP_PREFERENCES,
  DEFAULT_INVERTER_PREFERENCES,
  DEFAULT_VEHICLE_PREFERENCES,
} from './preferences.ts';
import { isWithin, valueInForce } from './revisions.ts';
import { knownAtMs } from './steering.ts';
import type { Steering } from './steering.ts';

/** What decides about a device in a quarter hour, and why: open vocabularies, which the document lists. */
export interface ControlState {
  readonly mode: 'automatic' | 'schedule' | 'boost' | 'interrupted';
  readonly reason: string;
}

/** What decides about an electric vehicle at its plug beside what was asked of it. */
interface PluggedIn {
  /** It has less than its minimum charge, up to which it charges at once whatever it costs. */
  readonly isBelowMinimum: boolean;
  /** The quarter hour (since 1970) from which on it charges at once. */
  readonly deadline: number;
  /** Whether a price is known or expected of a quarter hour up to then. */
  readonly isPriced: boolean;
}

/** What decides about an electric vehicle in a quarter hour (since 1970). */
export function vehicleControlAt(steering: Steering, quarter: number, pluggedIn?: PluggedIn): ControlState {
  const { electricVehicle } = steering.control;
  const { charge_policy: policy } = valueInForce(
    electricVehicle.preferences,
    quarter,
    DEFAULT_VEHICLE_PREFERENCES,
  );
  const control = controlAt(steering, quarter, electricVehicle, policy === 'smart');
  const isByPrice = control.mode === 'schedule' || control.reason === 'no_prices';
  if (!isByPrice || pluggedIn === undefined) return control;
  const { isBelowMinimum, deadline, isPriced } = pluggedIn;
  const isPassed = quarter >= deadline;
  if (!isPassed && !isPriced) return control;
  if (isBelowMinimum) return { mode: 'schedule', reason: 'below_minimum' };
  if (isPassed) return { mode: 'schedule', reason: 'ready_by_passed' };
  return control.mode === 'schedule' ? control : { mode: 'schedule', reason: 'expected_prices' };
}

/** What decides about a heat pump in a quarter hour. */
export function heatPumpControlAt(steering: Steering, quarter: number): ControlState {
  const { heatPump } = steering.control;
  const inForce = valueInForce(heatPump.preferences, quarter, DEFAULT_HEAT_PUMP_PREFERENCES);
  return controlAt(steering, quarter, heatPump, inForce.price_response);
}

/** What decides about an inverter, and with it the battery, in a quarter hour. */
export function inverterControlAt(steering: Steering, quarter: number): ControlState {
  const { inverter } = steering.control;
  const inForce = valueInForce(inverter.preferences, quarter, DEFAULT_INVERTER_PREFERENCES);
  return controlAt(steering, quarter, inverter, inForce.price_response);
}

function controlAt(
  steering: Steering,
  quarter: number,
  { boosts, unsteered }: Pick<DeviceControl<unknown>, 'boosts' | 'unsteered'>,
  followsPrices: boolean,
): ControlState {
  if (isWithin(unsteered, quarter)) return { mode: 'interrupted', reason: 'not_steered' };
  if (isWithin(boosts, quarter)) return { mode: 'boost', reason: 'boost_requested' };
  if (!followsPrices) return { mode: 'automatic', reason: 'preference' };
  return steering.prices.priceAt(quarter * QUARTER_HOUR_MS, knownAtMs(steering, quarter)) === null
    ? { mode: 'automatic', reason: 'no_prices' }
    : { mode: 'schedule', reason: 'cheapest_quarters' };
}
