/**
 * ISO 8601 instants. Those with a zone are taken as they are; naive ones ("2026-03-29T12:00:00") are read as UTC unless a
 * caller reads them in another zone. Precision beyond the millisecond is cut, and an instant that RFC 3339 cannot
 * write back, outside of the years 0000 to 9999 in UTC, is none.
 */
const ISO_8601_PATTERN =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|z|[+-]\d{2}(?::?\d{2})?)?)?$/;

const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

export interface WallTime {
  /** The written fields read as UTC, in milliseconds since the epoch. */
  readonly utcMs: number;
  /** Offset from UTC in minutes, undefined when the text is naive. */
  readonly offsetMinutes: number | undefined;
}

/** The fields as written, or undefined when the text is no valid ISO 8601 instant. */
export function tryParseWallTime(text: string): WallTime | undefined {
  const match = ISO_8601_PATTERN.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] = match;
  const fields = [
    Number(year),
    Number(month),
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  ] as const;
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const date = new Date(0);
  date.setUTCFullYear(fields[0], fields[1] - 1, fields[2]);
  date.setUTCHours(fields[3], fields[4], fields[5], milliseconds);
  const isUnchanged =
    date.getUTCFullYear() === fields[0] &&
    date.getUTCMonth() === fields[1] - 1 &&
    date.getUTCDate() === fields[2] &&
    date.getUTCHours() === fields[3] &&
    date.getUTCMinutes() === fields[4] &&
    date.getUTCSeconds() === fields[5];
  const offsetMinutes = zone === undefined ? undefined : parseOffset(zone);
  if (!isUnchanged || Number.isNaN(offsetMinutes)) return undefined;
  return { utcMs: date.getTime(), offsetMinutes };
}

/** The instant, naive text read as UTC; undefined when the text is no instant. */
export function tryParseInstant(text: string): Date | undefined {
  const wall = tryParseWallTime(text);
  if (wall === undefined) return undefined;
  const instantMs = wall.utcMs - (wall.offsetMinutes ?? 0) * 60_000;
  return isInstantInFourDigitYears(instantMs) ? new Date(instantMs) : undefined;
}

/** Whether an instant, in milliseconds since the epoch, lies in the years 0000 to 9999. */
export function isInstantInFourDigitYears(instantMs: number): boolean {
  return instantMs >= FIRST_MS && instantMs <= LAST_MS;
}

function parseOffset(zone: string): number {
  if (zone === 'Z' || zone === 'z') return 0;
  const digits = zone.slice(1).replace(':', '');
  const hours = Number(digits.slice(0, 2));
  const minutes = Number(digits.slice(2) || '0');
  if (hours > 23 || minutes > 59) return Number.NaN;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
