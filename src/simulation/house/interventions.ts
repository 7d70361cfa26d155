/** What people and faults do to a heat pump's plan: boosts, interruptions, other preferences, another place. */
import { CONTROL_MODE } from '../control/control-modes.ts';
import type { HouseholdControl } from '../control/household-control.ts';
import { OPEN_END, isWithin } from '../control/revisions.ts';
import type { Revision } from '../control/revisions.ts';
import { findFirst } from '../../domain/prices/price-revisions.ts';

export class Interventions {
  readonly #control: HouseholdControl;
  /** The quarter hours at which one begins or ends, in order. */
  readonly #quarters: readonly number[];

  constructor(control: HouseholdControl) {
    this.#control = control;
    const { preferences, boosts, unsteered } = control.heatPump;
    const ends = [...boosts, ...unsteered].flatMap(({ first, end }) => [first, end]);
    const starts = [...listChanges<object>(preferences), ...listChanges<object>(control.places)];
    this.#quarters = [...new Set([...ends, ...starts])].sort((a, b) => a - b);
  }

  /** By what the heat pump goes in a quarter hour where it has no plan: index in CONTROL_MODES. */
  modeAt(quarter: number): number {
    const { boosts, unsteered } = this.#control.heatPump;
    if (isWithin(unsteered, quarter)) return CONTROL_MODE.interrupted;
    return isWithin(boosts, quarter) ? CONTROL_MODE.boost : CONTROL_MODE.automatic;
  }

  /** The first after a quarter hour. */
  next(quarter: number): number {
    return this.#quarters[this.#countUpTo(quarter)] ?? OPEN_END;
  }

  /** The last before a quarter hour; undefined where there is none. */
  lastBefore(quarter: number): number | undefined {
    return this.#quarters[this.#countUpTo(quarter - 1) - 1];
  }

  #countUpTo(quarter: number): number {
    return findFirst(this.#quarters.length, (i) => (this.#quarters[i] ?? NaN) > quarter);
  }
}

/** The quarter hours from which on something else holds than before: what is asked again is no reason to plan anew. */
function listChanges<Value extends object>(revisions: readonly Revision<Value>[]): number[] {
  return revisions
    .filter(({ value }, i) => !hasSameValues(value, revisions[i - 1]?.value))
    .map(({ from }) => from);
}

function hasSameValues(one: object, other: object | undefined): boolean {
  if (one === other || other === undefined) return one === other;
  const [names, values] = [Object.keys(one), Object.entries(other)];
  return (
    names.length === values.length && values.every(([name, value]) => one[name as keyof object] === value)
  );
}
