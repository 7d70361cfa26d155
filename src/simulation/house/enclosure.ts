/**
 * The coldest and the warmest house that there may be, between which the true one is whatever it was before and whatever was
 * planned: it goes by its thermostat and its boosts, which leave warmer houses warmer, or by a plan, which keeps its bounds.
 */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { CONTROL_MODE } from '../control/control-modes.ts';
import { OPEN_END } from '../control/revisions.ts';
import { fillBoostTargets } from './boost-targets.ts';
import type { Circumstances } from './circumstances.ts';
import { createDayForcing } from './day-forcing.ts';
import { packState, unpackState } from './house-state.ts';
import type { HouseState } from './house-state.ts';
import { COLD_TANK_MK } from './tank-goals.ts';
import type { Interventions } from './interventions.ts';
import { createCourse, createForcing, runThermostat } from './thermal-steps.ts';
import type { Forcing } from './thermal-steps.ts';
import { COLDEST } from './unsteered-house.ts';
import type { UnsteeredHouse } from './unsteered-house.ts';

/** Memory in which one day after the other is computed, of any house. */
const forcing = createDayForcing();
const { roomTarget, tankGoal } = createForcing(QUARTER_HOURS_PER_DAY);
const boosted: Forcing = { ...forcing, roomTarget, tankGoal };
const course = createCourse(QUARTER_HOURS_PER_DAY);

export class Enclosure {
  readonly #house: UnsteeredHouse;
  readonly #interventions: Interventions;
  #at: number;
  #coldest: HouseState = unpackState(COLDEST);
  #warmest: HouseState;

  /** Begins at a quarter hour (since 1970) before which nothing is known. */
  constructor(house: UnsteeredHouse, interventions: Interventions, from: number) {
    this.#house = house;
    this.#interventions = interventions;
    this.#at = from;
    this.#warmest = unpackState(house.warmestAt(from));
  }

  get coldest(): HouseState {
    return this.#coldest;
  }

  get warmest(): HouseState {
    return this.#warmest;
  }

  /** The state of the house, packed, where there is no other one left. */
  get met(): number | undefined {
    const coldest = packState(this.#coldest);
    return coldest === packState(this.#warmest) ? coldest : undefined;
  }

  /** Goes on to a quarter hour; `mayBePlanned` tells whether there may be plans until then. */
  follow(end: number, mayBePlanned: boolean): void {
    while (this.#at < end) {
      const day = Math.floor(this.#at / QUARTER_HOURS_PER_DAY);
      const start = day * QUARTER_HOURS_PER_DAY;
      const part = { from: this.#at - start, to: Math.min(QUARTER_HOURS_PER_DAY, end - start) };
      this.#house.fillForcing(day, OPEN_END, forcing, part);
      for (let i = part.from; i < part.to; i++) this.#step(start + i, i, mayBePlanned);
      this.#at = start + part.to;
    }
  }

  #step(quarter: number, i: number, mayBePlanned: boolean): void {
    const circumstances = this.#house.circumstancesAt(quarter);
    const mode = this.#interventions.modeAt(quarter);
    const part = { from: i, to: i + 1 };
    const isBoost = mode === CONTROL_MODE.boost;
    if (isBoost) fillBoostTargets(circumstances, forcing, part, boosted);
    const run = (state: HouseState): HouseState => {
      runThermostat(circumstances.house, isBoost ? boosted : forcing, part, state, course);
      return { room: course.room[i + 1] ?? 0, tank: course.tank[i + 1] ?? 0 };
    };
    this.#coldest = run(this.#coldest);
    this.#warmest = run(this.#warmest);
    const isAutomatic = mode === CONTROL_MODE.automatic && circumstances.preferences.price_response;
    if (mayBePlanned && isAutomatic) this.#widen(circumstances, (forcing.roomTarget[i] ?? 0) > 0);
  }

  /** Makes room for what a plan may do. */
  #widen({ house, preferences }: Circumstances, isHeated: boolean): void {
    const low = isHeated ? house.comfort - Math.round(1000 * preferences.setback_k) : Infinity;
    const high = isHeated ? house.comfort + Math.round(1000 * preferences.boost_k) : 0;
    this.#coldest = {
      room: Math.min(this.#coldest.room, low),
      tank: Math.min(this.#coldest.tank, COLD_TANK_MK),
    };
    this.#warmest = {
      room: Math.max(this.#warmest.room, high),
      tank: Math.max(this.#warmest.tank, house.tankTarget),
    };
  }
}
