// What each home of a fleet drew in each quarter hour of a day, as it comes from the service.

const WATTS_PER_UNIT = 10;
const UNKNOWN = -32_768;

/** The entries of the legend, from what feeds in most to what draws most; the last one is of those that nobody knows. */
const STEPS_W = [-3_000, -100, 100, 1_000, 3_000];
export const UNKNOWN_ENTRY = STEPS_W.length + 1;

/** The places and their powers, `powerAt(place, quarter)` in W or null; undefined where the service does not answer. */
export async function loadPowers(path) {
  const answer = await fetch(path).catch(() => undefined);
  if (answer?.ok !== true || answer.redirected) return undefined;
  const { places, powers } = await answer.json();
  const units = new Int16Array(Uint8Array.from(atob(powers), (each) => each.charCodeAt(0)).buffer);
  return {
    places,
    powerAt: (place, quarter) => {
      const unit = units[quarter * places.length + place] ?? UNKNOWN;
      return unit === UNKNOWN ? null : unit * WATTS_PER_UNIT;
    },
  };
}

/** The entry of the legend for a power. */
export function entryOf(power) {
  if (power === null) return UNKNOWN_ENTRY;
  const entry = STEPS_W.findIndex((step) => power < step);
  return entry === -1 ? STEPS_W.length : entry;
}
