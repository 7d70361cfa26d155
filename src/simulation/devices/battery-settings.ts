/** What is asked of a battery in a quarter hour. */
import { findFirst } from '../../domain/prices/price-revisions.ts';
import type { HouseholdControl } from '../control/household-control.ts';
import { DEFAULT_INVERTER_PREFERENCES, DEFAULT_VEHICLE_PREFERENCES } from '../control/preferences.ts';
import type { InverterPreferences } from '../control/preferences.ts';
import { isWithin, valueInForce } from '../control/revisions.ts';
import type { QuarterSpan } from '../control/revisions.ts';

/** What holds from one change of what is asked up to the next. */
export interface BatterySettings extends QuarterSpan {
  /** Kept in the battery, mWh. */
  readonly reserve: number;
  readonly priceResponse: boolean;
  readonly gridCharging: boolean;
  /** Whether the household's car waits for a price. */
  readonly isCarSmart: boolean;
  readonly isBoosted: boolean;
  readonly isUnsteered: boolean;
}

/** Looks up what is asked, mostly without a look at the revisions. */
export class BatterySettingsLookup {
  readonly #control: HouseholdControl;
  readonly #capacity: number;
  /** Quarter hours from which on something else may be asked, in order. */
  readonly #changes: readonly number[];
  /** What holds before each of them and after the last, once it was asked for. */
  readonly #spans: (BatterySettings | undefined)[] = [];
  #last: BatterySettings | undefined;

  /** `capacity` in mWh. */
  constructor(control: HouseholdControl, capacity: number) {
    this.#control = control;
    this.#capacity = capacity;
    const { inverter, electricVehicle } = control;
    const spans = [...inverter.boosts, ...inverter.unsteered];
    const changes = [...inverter.preferences, ...electricVehicle.preferences].map(({ from }) => from);
    this.#changes = [...changes, ...spans.flatMap(({ first, end }) => [first, end])].sort((a, b) => a - b);
  }

  /** What holds in a quarter hour since 1970: one object for each span, so that it tells whether another one was asked for. */
  at(quarter: number): BatterySettings {
    const last = this.#last;
    if (last !== undefined && last.first <= quarter && quarter < last.end) return last;
    const next = findFirst(this.#changes.length, (i) => (this.#changes[i] ?? NaN) > quarter);
    return (this.#last = this.#spans[next] ??= this.#make(next, quarter));
  }

  /** The least that was ever asked to be kept, mWh; what holds without preferences counts too. */
  leastReserve(): number {
    const asked = this.#control.inverter.preferences.map(({ value }) => value);
    return Math.min(...[DEFAULT_INVERTER_PREFERENCES, ...asked].map((its) => this.#reserveOf(its)));
  }

  /** Whether a battery that holds `x` mWh has no more than what is kept in any quarter hour from `first` up to and without `end`. */
  keepsAll(first: number, end: number, x: number): boolean {
    for (let at = first; at < end;) {
      const settings = this.at(at);
      if (x > settings.reserve) return false;
      at = settings.end;
    }
    return true;
  }

  #reserveOf({ reserve_percent: percent }: InverterPreferences): number {
    return Math.round((this.#capacity * percent) / 100);
  }

  /** What holds in a quarter hour before change `next`. */
  #make(next: number, quarter: number): BatterySettings {
    const { inverter, electricVehicle } = this.#control;
    const preferences = valueInForce(inverter.preferences, quarter, DEFAULT_INVERTER_PREFERENCES);
    const ofCar = valueInForce(electricVehicle.preferences, quarter, DEFAULT_VEHICLE_PREFERENCES);
    return {
      first: this.#changes[next - 1] ?? -Infinity,
      end: this.#changes[next] ?? Infinity,
      reserve: this.#reserveOf(preferences),
      priceResponse: preferences.price_response,
      gridCharging: preferences.grid_charging,
      isCarSmart: ofCar.charge_policy === 'smart',
      isBoosted: isWithin(inverter.boosts, quarter),
      isUnsteered: isWithin(inverter.unsteered, quarter),
    };
  }
}
