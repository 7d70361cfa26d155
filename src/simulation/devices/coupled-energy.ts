/** Stored energy at the start of a day where no three numbers tell what the days before it do. */

/** What fills and empties a store: its least and largest energy, and what a day makes of the energy at its start. mWh. */
export interface StoreDays {
  readonly least: number;
  readonly most: number;
  /** Must be monotone: more at the start is not less at the end. `day` counts from 1970. */
  readonly endOf: (day: number, start: number) => number;
}

/**
 * Looks for the stored energy at the start of `day`, mWh: the least and the largest possible energy are followed from ever farther
 * back until they meet, or from a day at which it is known (coupling from the past: Propp and Wilson 1996). One day must be known.
 */
export class CoupledSearch {
  /** What is looked for, once it is found. */
  energy: number | undefined;
  /** The day that is followed next, and the least and the largest energy with which it may begin, equal once they have met. */
  at = NaN;
  low = NaN;
  high = NaN;
  readonly #days: StoreDays;
  readonly #day: number;
  readonly #knownEnergyAt: (day: number) => number | undefined;
  #distance = 1;
  /** At no day after it, up to the one that is looked at, is the energy known. */
  #unknownAfter: number;

  constructor(days: StoreDays, day: number, knownEnergyAt: (day: number) => number | undefined) {
    this.#days = days;
    this.#day = day;
    this.#knownEnergyAt = knownEnergyAt;
    this.#unknownAfter = day;
    this.#begin();
  }

  /** Follows a day. */
  goOn(): void {
    const { endOf } = this.#days;
    const isMet = this.low === this.high;
    this.low = endOf(this.at, this.low);
    this.high = isMet ? this.low : endOf(this.at, this.high);
    this.at += 1;
    if (this.at < this.#day) return;
    if (this.low === this.high) this.energy = this.low;
    else {
      this.#distance *= 2;
      this.#begin();
    }
  }

  /** What it finds, all days that are left at once. */
  finish(): number {
    while (this.energy === undefined) this.goOn();
    return this.energy;
  }

  /** Goes back by the distance, or to the first day on the way at which the energy is known. */
  #begin(): void {
    const from = this.#day - this.#distance;
    for (; this.#unknownAfter >= from; this.#unknownAfter--) {
      const known = this.#knownEnergyAt(this.#unknownAfter);
      if (known === undefined) continue;
      this.at = this.#unknownAfter;
      this.low = this.high = known;
      if (this.at === this.#day) this.energy = known;
      return;
    }
    this.at = from;
    this.low = this.#days.least;
    this.high = this.#days.most;
  }
}
