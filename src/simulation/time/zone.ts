/** Local legal time: offsets of a zone, found once a year by bisection on Intl and kept. */

interface Year {
  /** Instants in ms from which each offset holds, ascending; the first is the start of the year. */
  readonly from: readonly number[];
  /** Minutes east of UTC. */
  readonly offsetMinutes: readonly number[];
}

const formats = new Map<string, Intl.DateTimeFormat>();
const years = new Map<string, Map<number, Year>>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, format);
  return format;
}

/** Offset by asking Intl; about a microsecond, hence the cache. */
function askOffset(zone: string, atMs: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(atMs)) parts[type] = Number(value);
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Math.round((Date.UTC(year, month - 1, day, hour, minute, second) - atMs) / 60_000);
}

const STEP_MS = 15 * 86_400_000;

function buildYear(zone: string, year: number): Year {
  const end = Date.UTC(year + 1, 0, 1);
  const from = [Date.UTC(year, 0, 1)];
  const offsetMinutes = [askOffset(zone, Date.UTC(year, 0, 1))];
  for (let left = Date.UTC(year, 0, 1); left < end; left += STEP_MS) {
    // The last look stays within the year: a change at its very end belongs to the next.
    const right = Math.min(end - 1000, left + STEP_MS);
    const before = askOffset(zone, left);
    if (askOffset(zone, right) === before) continue;
    let low = left;
    let high = right;
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2000) * 1000;
      if (askOffset(zone, middle) === before) low = middle;
      else high = middle;
    }
    from.push(high);
    offsetMinutes.push(askOffset(zone, high));
  }
  return { from, offsetMinutes };
}

/** Offset of a zone (IANA name) in minutes east of UTC at an instant. */
export function zoneOffsetMinutes(zone: string, atMs: number): number {
  const year = utcYearOf(atMs);
  let ofZone = years.get(zone);
  if (!ofZone) years.set(zone, (ofZone = new Map<number, Year>()));
  let known = ofZone.get(year);
  if (!known) ofZone.set(year, (known = buildYear(zone, year)));
  let i = known.from.length - 1;
  while (i > 0 && (known.from[i] ?? 0) > atMs) i--;
  return known.offsetMinutes[i] ?? 0;
}

const DAY_MS = 86_400_000;

/** The year asked for last; saves making a date for each question. */
let span = { year: 1970, fromMs: 0, toMs: Date.UTC(1971, 0, 1) };

function spanOf(atMs: number): typeof span {
  if (atMs < span.fromMs || atMs >= span.toMs) {
    const year = new Date(atMs).getUTCFullYear();
    span = { year, fromMs: Date.UTC(year, 0, 1), toMs: Date.UTC(year + 1, 0, 1) };
  }
  return span;
}

/** Calendar year (UTC) of an instant in ms. */
export function utcYearOf(atMs: number): number {
  return spanOf(atMs).year;
}

/** Day of the year 1..366 of a day number (days since 1970). */
export function dayOfYear(day: number): number {
  return day - spanOf(day * DAY_MS).fromMs / DAY_MS + 1;
}
