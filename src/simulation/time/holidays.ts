/** Public holidays that a whole country keeps; on them people live as on Sundays (BDEW's day types, docs/simulation.md#household-load). */
import { BoundedCache } from '../kernel/bounded-cache.ts';
import { utcYearOf } from './calendar.ts';
import { DAY_MS } from '../../domain/api/durations.ts';

/** Fixed dates as MM-DD, and days after Easter Sunday. */
interface HolidayRule {
  readonly dates: string;
  readonly easter: readonly number[];
  readonly orthodox?: true;
}

const GOOD_FRIDAY = -2;
const EASTER_MONDAY = 1;
const ASCENSION = 39;
const WHIT_MONDAY = 50;
const CORPUS_CHRISTI = 60;

/** Holidays of the law of each country in 2025; those of single regions and moving weekdays are left out. */
const HOLIDAY_RULES: Readonly<Record<string, HolidayRule>> = {
  AT: { dates: '01-01 01-06 05-01 08-15 10-26 11-01 12-08 12-25 12-26', easter: [EASTER_MONDAY, ASCENSION, WHIT_MONDAY, CORPUS_CHRISTI] },
  BE: { dates: '01-01 05-01 07-21 08-15 11-01 11-11 12-25', easter: [EASTER_MONDAY, ASCENSION, WHIT_MONDAY] },
  CH: { dates: '01-01 08-01 12-25 12-26', easter: [GOOD_FRIDAY, EASTER_MONDAY, ASCENSION, WHIT_MONDAY] },
  CZ: { dates: '01-01 05-01 05-08 07-05 07-06 09-28 10-28 11-17 12-24 12-25 12-26', easter: [GOOD_FRIDAY, EASTER_MONDAY] },
  DE: { dates: '01-01 05-01 10-03 12-25 12-26', easter: [GOOD_FRIDAY, EASTER_MONDAY, ASCENSION, WHIT_MONDAY] },
  DK: { dates: '01-01 12-25 12-26', easter: [-3, GOOD_FRIDAY, EASTER_MONDAY, ASCENSION, WHIT_MONDAY] },
  ES: { dates: '01-01 01-06 05-01 08-15 10-12 11-01 12-06 12-08 12-25', easter: [GOOD_FRIDAY] },
  FI: { dates: '01-01 01-06 05-01 12-06 12-25 12-26', easter: [GOOD_FRIDAY, EASTER_MONDAY, ASCENSION] },
  FR: { dates: '01-01 05-01 05-08 07-14 08-15 11-01 11-11 12-25', easter: [EASTER_MONDAY, ASCENSION, WHIT_MONDAY] },
  GB: { dates: '01-01 12-25 12-26', easter: [GOOD_FRIDAY, EASTER_MONDAY] },
  GR: { dates: '01-01 01-06 03-25 05-01 08-15 10-28 12-25 12-26', easter: [-48, GOOD_FRIDAY, EASTER_MONDAY, WHIT_MONDAY], orthodox: true },
  HU: { dates: '01-01 03-15 05-01 08-20 10-23 11-01 12-25 12-26', easter: [GOOD_FRIDAY, EASTER_MONDAY, WHIT_MONDAY] },
  IE: { dates: '01-01 03-17 12-25 12-26', easter: [EASTER_MONDAY] },
  IT: { dates: '01-01 01-06 04-25 05-01 06-02 08-15 11-01 12-08 12-25 12-26', easter: [EASTER_MONDAY] },
  LU: { dates: '01-01 05-01 05-09 06-23 08-15 11-01 12-25 12-26', easter: [EASTER_MONDAY, ASCENSION, WHIT_MONDAY] },
  NL: { dates: '01-01 04-27 12-25 12-26', easter: [EASTER_MONDAY, ASCENSION, WHIT_MONDAY] },
  NO: { dates: '01-01 05-01 05-17 12-25 12-26', easter: [-3, GOOD_FRIDAY, EASTER_MONDAY, ASCENSION, WHIT_MONDAY] },
  PL: { dates: '01-01 01-06 05-01 05-03 08-15 11-01 11-11 12-25 12-26', easter: [EASTER_MONDAY, CORPUS_CHRISTI] },
  PT: { dates: '01-01 04-25 05-01 06-10 08-15 10-05 11-01 12-01 12-08 12-25', easter: [GOOD_FRIDAY, CORPUS_CHRISTI] },
  SE: { dates: '01-01 01-06 05-01 06-06 12-25 12-26', easter: [GOOD_FRIDAY, EASTER_MONDAY, ASCENSION] },
}; // prettier-ignore
const DEFAULT_RULE: HolidayRule = { dates: '01-01 12-25', easter: [] };

/** Easter Sunday of a year as days since 1970, by the Gregorian rule (Meeus, Jones and Butcher). */
export function easterSunday(year: number): number {
  const a = year % 19;
  const century = Math.floor(year / 100);
  const c = year % 100;
  const leap = Math.floor((century + 8) / 25);
  const correction = Math.floor((century - leap + 1) / 3);
  const h = (19 * a + century - Math.floor(century / 4) - correction + 15) % 30;
  const l = (32 + 2 * (century % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const n = h + l - 7 * m + 114;
  return Date.UTC(year, Math.floor(n / 31) - 1, (n % 31) + 1) / DAY_MS;
}

/** Orthodox Easter (Meeus's Julian rule, 13 days behind from 1900 to 2099). */
function orthodoxEasterSunday(year: number): number {
  const d = (19 * (year % 19) + 15) % 30;
  const e = (2 * (year % 4) + 4 * (year % 7) - d + 34) % 7;
  const n = d + e + 114;
  return Date.UTC(year, Math.floor(n / 31) - 1, (n % 31) + 1) / DAY_MS + 13;
}

function holidaysOf(country: string, year: number): ReadonlySet<number> {
  const rule = HOLIDAY_RULES[country] ?? DEFAULT_RULE;
  const easter = rule.orthodox ? orthodoxEasterSunday(year) : easterSunday(year);
  return new Set([
    ...rule.dates.split(' ').map((date) => Date.parse(`${year}-${date}T00:00:00Z`) / DAY_MS),
    ...rule.easter.map((after) => easter + after),
  ]);
}

const yearsByCountry = new Map<string, BoundedCache<number, ReadonlySet<number>>>();

/** Whether a local day (days since 1970) is a public holiday of a country (ISO 3166-1 alpha-2, null at sea). */
export function isPublicHoliday(country: string | null, localDay: number): boolean {
  const name = country ?? '';
  let years = yearsByCountry.get(name);
  if (!years) yearsByCountry.set(name, (years = new BoundedCache(20)));
  const year = utcYearOf(localDay * DAY_MS);
  return years.getOrCompute(year, () => holidaysOf(name, year)).has(localDay);
}
