/** Days on which nobody of a household is at home, as its car knows them. */
import { DAY_MS } from '../../domain/api/durations.ts';
import type { Household } from '../household/household.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import { NOISE_CHANNEL, hashInStream, hashStream, splitSeed } from '../kernel/noise.ts';
import { dayOfYear, utcYearOf } from '../time/calendar.ts';

/** Weeks of a summer's holidays, each as frequent as the others (assumption: 30, 35, 25 and 10 % have none to three). */
const SUMMER_WEEKS = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3] as const;

/** First day of the year and number of days of the absences of a year. */
interface YearAbsences {
  readonly summer: readonly [first: number, days: number];
  readonly other: readonly [first: number, days: number];
}

/** The absences of one household. */
export class Absences {
  readonly #stream: number;
  /** The year is turned by half in the south, so that summer lies in its middle. */
  readonly #turn: number;
  readonly #years = new DayCache<YearAbsences>(2);

  constructor({ seed, index, latitude }: Household) {
    this.#stream = hashStream(splitSeed(seed), index, NOISE_CHANNEL.vehicleAbsence);
    this.#turn = latitude < 0 ? 182 : 0;
  }

  /** Whether nobody is at home on a whole local day (days since 1970). */
  isAway(localDay: number): boolean {
    const turned = localDay + this.#turn;
    const year = utcYearOf(turned * DAY_MS);
    const { summer, other } = this.#years.find(year) ?? this.#years.set(year, this.#draw(year));
    const day = dayOfYear(turned);
    return isWithin(day, summer) || isWithin(day, other);
  }

  /** Summer holidays and, for four of ten, two to seven days between January and May. */
  #draw(year: number): YearAbsences {
    const word = (k: number): number => hashInStream(this.#stream, year, k);
    return {
      summer: [165 + (word(1) % 50), 7 * (SUMMER_WEEKS[word(0) % SUMMER_WEEKS.length] ?? 0)],
      other: [20 + (word(4) % 110), word(2) % 10 < 4 ? 2 + (word(3) % 6) : 0],
    };
  }
}

const isWithin = (day: number, [first, days]: readonly [number, number]): boolean =>
  day >= first && day < first + days;
