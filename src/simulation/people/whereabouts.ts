/**
 * Where the people of a household are: at home or not, by blocks of the day, or all away for days. Days and blocks are those
 * of the household, whose day is later than the local one by its time shift.
 */
import type { Household } from '../household/household.ts';
import { dayTypeOf } from '../time/day-type.ts';
import type { DayType } from '../time/day-type.ts';
import { Absences } from './absences.ts';
import { Occupancy, occupancyPercents } from './occupancy.ts';

export class Whereabouts {
  readonly #absences: Absences;
  readonly #occupancy: Occupancy;
  readonly #country: string | null;
  readonly #profile: string;
  /** The day asked last: each is asked for several times. */
  #typedDay = NaN;
  #type: DayType = 'workday';

  constructor(household: Household) {
    this.#absences = new Absences(household);
    this.#occupancy = new Occupancy(household);
    this.#country = household.country;
    this.#profile = household.profile;
  }

  /** Type of a local day (days since 1970) where the household lives. */
  dayTypeOf(localDay: number): DayType {
    if (localDay !== this.#typedDay) {
      this.#type = dayTypeOf(localDay, this.#country);
      this.#typedDay = localDay;
    }
    return this.#type;
  }

  /** Whether nobody is at home on a whole local day (days since 1970). */
  isAway(localDay: number): boolean {
    return this.#absences.isAway(localDay);
  }

  /** The blocks (BLOCK_STARTS) of a local day in which somebody is at home: bit b for block b. */
  blocksAtHome(localDay: number): number {
    return this.isAway(localDay) ? 0 : this.#occupancy.blocksAtHome(localDay, this.dayTypeOf(localDay));
  }

  /** Probability that somebody is at home in a block of a local day, absences of whole days taken into account. */
  probabilityAtHome(localDay: number, block: number): number {
    const percents = occupancyPercents(this.#profile, this.dayTypeOf(localDay));
    return ((percents[block] ?? 0) / 100) * (1 - this.probabilityAway(localDay));
  }

  /** Probability that all are away on a local day, before the year's journeys got their dates. */
  probabilityAway(localDay: number): number {
    return this.#absences.probabilityAway(localDay);
  }
}
