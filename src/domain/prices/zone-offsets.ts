/** What clocks of an IANA time zone show, by the runtime's copy of the time zone database. */
import { DAY_MS } from '../api/durations.ts';

/** Offset from UTC, in milliseconds, that holds in a time zone at an instant. */
export type ZoneOffsetLookup = (instantMs: number) => number;

/**
 * By name in small letters, one for each that the runtime knows (some 600), for ever: a format takes 29 kB outside of V8's heap,
 * which V8 does not count, so that of formats made anew for each question hundreds of megabytes come together.
 */
const formats = new Map<string, Intl.DateTimeFormat>();

/** The format of an IANA time zone, whose name may be written in any case; undefined for a name that the runtime does not know. */
function findFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  const name = timeZone.toLowerCase();
  let format = formats.get(name);
  if (format === undefined && (format = createFormat(timeZone)) !== undefined) formats.set(name, format);
  return format;
}

function createFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset', year: 'numeric' });
  } catch (error) {
    if (error instanceof RangeError || (error as Error).name === 'RangeError') return undefined;
    throw error;
  }
}

/**
 * The offsets of an IANA time zone; undefined for a name that the runtime does not know. Numeric offsets ("+02:00") are
 * no names. The first question about an instant takes about two microseconds, its answer is kept as long as the lookup.
 */
export function createZoneOffsetLookup(timeZone: string): ZoneOffsetLookup | undefined {
  // Beyond ASCII there are no names, but letters whose small ones are in it.
  if (!/^[A-Za-z][\x21-\x7e]*$/.test(timeZone)) return undefined;
  const format = findFormat(timeZone);
  if (format === undefined) return undefined;
  const known = new Map<number, number>();
  return (instantMs) => {
    const before = known.get(instantMs);
    if (before !== undefined) return before;
    const offset = parseLongOffset(format.format(instantMs));
    known.set(instantMs, offset);
    return offset;
  };
}

/** "2026, GMT+02:00", "1880, GMT-04:56:02", or plain "GMT". */
function parseLongOffset(text: string): number {
  const match = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?/.exec(text);
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = match ?? [];
  const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -size : size;
}

/** The instants, in ms, at which clocks of the zone show this wall time: one, none in a gap, two in a fold. */
export function listInstantsOfWallTime(wallMs: number, offsetAt: ZoneOffsetLookup): number[] {
  // Whatever changes within a day of it, the offset that is right holds a day before or a day after.
  const offsets = new Set([offsetAt(wallMs - DAY_MS), offsetAt(wallMs + DAY_MS)]);
  return [...offsets]
    .map((offset) => wallMs - offset)
    .filter((instant) => instant + offsetAt(instant) === wallMs);
}
