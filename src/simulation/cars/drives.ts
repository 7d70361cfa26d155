/** Tours on the grid of quarter hours, as far and as long as they are driven. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { dayOfYear } from '../time/calendar.ts';
import { energyOf, isFar, seasonFactor, speedOf } from './consumption.ts';
import type { Driver } from './driver.ts';
import type { LocalClock } from './local-clock.ts';
import type { DayTours } from './tours.ts';

/** No tour of a day and no journey is longer, km there and back. */
const LONGEST_KM = 600;
const LONGEST_JOURNEY_KM = 1600;
/** Local quarter hours: nobody leaves before 4:00 or after 23:00, or is out after 2:00. */
const EARLIEST = 16;
const LATEST_LEAVE = 92;
const LATEST_BACK = 104;
/** Quarter hours of a stop at a public charger, and the part of the usable battery that it brings at most. */
export const STOP_QUARTERS = 2;
const STOP_SHARE = 0.5;

/** Tours one after the other. Instants are quarter hours of UTC since 1970, energies mWh. */
export class Drives {
  count = 0;
  readonly leave: Int32Array;
  readonly back: Int32Array;
  /** Quarter hours of driving one way. */
  readonly legs: Int32Array;
  /** Km there and back. */
  readonly km: Float64Array;
  readonly far: Uint8Array;
  /** Out of the battery at 20 °C. */
  readonly energy: Float64Array;
  /** Number of stops at public chargers, and what they bring together. */
  readonly stops: Int32Array;
  readonly elsewhere: Float64Array;
  /** What the tour takes from the battery in weather of the season. */
  readonly net: Float64Array;
  /** Local day on which it ends, in whose night the car stands afterwards, and its number among the tours of its first day. */
  readonly day: Int32Array;
  readonly order: Int32Array;

  constructor(capacity: number) {
    this.leave = new Int32Array(capacity);
    this.back = new Int32Array(capacity);
    this.legs = new Int32Array(capacity);
    this.km = new Float64Array(capacity);
    this.far = new Uint8Array(capacity);
    this.energy = new Float64Array(capacity);
    this.stops = new Int32Array(capacity);
    this.elsewhere = new Float64Array(capacity);
    this.net = new Float64Array(capacity);
    this.day = new Int32Array(capacity);
    this.order = new Int32Array(capacity);
  }

  /** Appends the tours of a local day (days since 1970), at most `most` of them. */
  append(
    driver: Driver,
    scale: number,
    localDay: number,
    tours: DayTours,
    clock: LocalClock,
    most = 4,
  ): void {
    let earliest = EARLIEST;
    const date = dayOfYear(localDay);
    for (let i = 0; i < tours.count && i < most; i++) {
      const nights = tours.nights[i] ?? 0;
      const far = isFar(tours.km[i] ?? 0);
      const factor = seasonFactor(driver.seasons, date, far);
      const km = Math.min(nights > 0 ? LONGEST_JOURNEY_KM : LONGEST_KM, (tours.km[i] ?? 0) * scale);
      const at = this.count;
      this.#setDistance(at, driver, km, far, factor);
      let leave = Math.max(earliest, Math.round(4 * (tours.leave[i] ?? 0)));
      if (leave > LATEST_LEAVE) return;
      const latest = LATEST_BACK + QUARTER_HOURS_PER_DAY * nights;
      const needed = 2 * (this.legs[at] ?? 0) + STOP_QUARTERS * (this.stops[at] ?? 0) + 1;
      const wanted = Math.round(4 * (tours.back[i] ?? 0)) + QUARTER_HOURS_PER_DAY * nights;
      const back = Math.min(latest, Math.max(wanted, leave + needed));
      leave = Math.max(earliest, Math.min(leave, back - needed));
      if (back - leave < needed) {
        // Too far for the day: as far as it goes.
        const legs = Math.floor((back - leave - 1 - STOP_QUARTERS * (this.stops[at] ?? 0)) / 2);
        if (legs < 1) return;
        this.#setDistance(at, driver, (km * legs) / (this.legs[at] ?? 1), far, factor);
        this.legs[at] = legs;
      }
      this.leave[at] = clock.utcQuarter(localDay, leave);
      // Where the clock is changed in between, it is the stay that is shorter or longer.
      const least =
        (this.leave[at] ?? 0) + 2 * (this.legs[at] ?? 0) + STOP_QUARTERS * (this.stops[at] ?? 0) + 1;
      this.back[at] = Math.max(clock.utcQuarter(localDay, back), least);
      this.day[at] = localDay + nights;
      this.order[at] = i;
      this.count = at + 1;
      earliest = back + 2;
    }
  }

  #setDistance(at: number, driver: Driver, km: number, far: boolean, factor: number): void {
    const energy = energyOf(driver.perKm, km, far);
    const inSeason = energy * factor;
    const elsewhere = Math.max(0, inSeason - driver.tourLimit);
    this.km[at] = km;
    this.far[at] = far ? 1 : 0;
    this.energy[at] = energy;
    this.legs[at] = Math.max(1, Math.ceil((2 * km) / speedOf(km / 2)));
    this.stops[at] = Math.ceil(elsewhere / (STOP_SHARE * driver.usable));
    this.elsewhere[at] = elsewhere;
    this.net[at] = inSeason - elsewhere;
  }
}
