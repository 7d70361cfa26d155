/** Stored energy at the start of a day where no three numbers tell what the days before it do. */

/** What fills and empties a store: its least and largest energy, and what a day makes of the energy at its start. mWh. */
export interface StoreDays {
  readonly least: number;
  readonly most: number;
  /** Must be monotone: more at the start is not less at the end. `day` counts from 1970. */
  readonly endOf: (day: number, start: number) => number;
}

/**
 * Stored energy at the start of `day`, mWh: the least and the largest possible energy are followed from ever farther back until
 * they meet, or from a day at which it is known (coupling from the past: Propp and Wilson 1996). One day must be known.
 */
export function coupledEnergyAtDayStart(
  { least, most, endOf }: StoreDays,
  day: number,
  knownEnergyAt: (day: number) => number | undefined,
): number {
  for (let from = day, distance = 1; ; distance *= 2) {
    for (; from >= day - distance; from--) {
      let known = knownEnergyAt(from);
      if (known === undefined) continue;
      for (let at = from; at < day; at++) known = endOf(at, known);
      return known;
    }
    let low = least;
    let high = most;
    for (let at = day - distance; at < day; at++) {
      const isMet = low === high;
      low = endOf(at, low);
      high = isMet ? low : endOf(at, high);
    }
    if (low === high) return low;
  }
}
