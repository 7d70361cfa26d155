// Where a user whom no fleet simulates has lived, as far as that is known.
import type { EffectivePlace } from '../queries/fleets/household-controls.ts';
import type { Place } from '../simulation/control/household-control.ts';
import { OPEN_END } from '../simulation/control/revisions.ts';
import type { QuarterSpan } from '../simulation/control/revisions.ts';

export interface KnownPlaces {
  /** The first place, with the time zone that stays. */
  readonly home: Place;
  /** What came after it, in order of time. */
  readonly moves: readonly EffectivePlace[];
  /** The quarter hours of which a place is known, ascending and disjoint. */
  readonly known: readonly QuarterSpan[];
}

interface Coordinates {
  readonly latitude: number | null;
  readonly longitude: number | null;
}

/**
 * The places of a user from what was said of them, in order of time; `present` are the coordinates of a user who never changed
 * them, and hold for all time. Undefined when no place was ever known.
 */
export function toKnownPlaces(
  said: readonly EffectivePlace[],
  present: Coordinates,
): KnownPlaces | undefined {
  if (said.length === 0) {
    const home = placeOf(present);
    return home && { home, moves: [], known: [{ first: -OPEN_END, end: OPEN_END }] };
  }
  const first = said.findIndex((each) => placeOf(each) !== undefined);
  const home = said[first] && placeOf(said[first]);
  if (home === undefined) return undefined;
  const known = said.flatMap((each, i): QuarterSpan[] => {
    if (placeOf(each) === undefined) return [];
    return [{ first: sinceOf(each), end: said[i + 1]?.from ?? OPEN_END }];
  });
  return { home, moves: said.slice(first + 1), known };
}

function placeOf({ latitude, longitude }: Coordinates): Place | undefined {
  return latitude === null || longitude === null ? undefined : { latitude, longitude };
}

/** What was known before the first change is stored with the beginning of 1970, and holds for all time before. */
const sinceOf = ({ from }: EffectivePlace): number => (from === 0 ? -OPEN_END : from);
