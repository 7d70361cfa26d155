/** Quarter hours of UTC for local times of a span of days, mostly without a look at the zone. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { utcQuarterAt, zoneOffsetQuarters } from '../time/local-day.ts';

/** Shows local time of `zone` (IANA name); quick from local day `first` to `last` when no clock is changed there. */
export class LocalClock {
  readonly #zone: string;
  readonly #first: number;
  readonly #last: number;
  readonly #offset: number;
  readonly #hasOneOffset: boolean;

  constructor(zone: string, first: number, last: number) {
    this.#zone = zone;
    this.#first = first;
    this.#last = last;
    // A day more on either side holds whatever the offset is.
    this.#offset = zoneOffsetQuarters(zone, (first - 1) * QUARTER_HOURS_PER_DAY);
    this.#hasOneOffset = zoneOffsetQuarters(zone, (last + 3) * QUARTER_HOURS_PER_DAY) === this.#offset;
  }

  /** The quarter hour of UTC since 1970 at a local quarter hour of a local day; more than 95 belong to the days after. */
  utcQuarter(localDay: number, localQuarter: number): number {
    if (this.#hasOneOffset && localDay >= this.#first && localDay <= this.#last && localQuarter < 192)
      return localDay * QUARTER_HOURS_PER_DAY + localQuarter - this.#offset;
    return utcQuarterAt(this.#zone, localDay, localQuarter);
  }
}
