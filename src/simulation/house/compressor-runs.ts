/** How a compressor that cannot modulate further down cycles: its heat of two hours in one run (docs/simulation.md#heat-pump). */

/** Quarter hours whose heat is packed together, counted from midnight UTC; a power of two that divides a day. */
export const RUN_QUARTERS = 8;

/** The end of the two hours in which a quarter hour lies, counted from any midnight UTC. */
export const endOfRunWindow = (quarter: number): number =>
  (Math.floor(quarter / RUN_QUARTERS) + 1) * RUN_QUARTERS;

/** Heat by quarter hours from a midnight UTC on as a house needs it, mWh, and the electricity for it. */
interface RoomHeat {
  readonly roomHeat: Float64Array;
  readonly electric: Float64Array;
  /** 1 where less is needed than the compressor gives without cycling, and nothing else keeps it busy. */
  readonly cycles: Uint8Array;
  /** The least heat that the compressor gives without cycling, mWh. */
  readonly least: Float64Array;
}

/**
 * Packs the heat of cycling quarter hours from `from` up to and without `to` into runs, in place: of those in a window of two
 * hours so many run that each gives at least the least heat that its compressor can, from `phase` on and around. What lies
 * in a window keeps its heat and its electricity.
 */
export function packIntoRuns(
  { roomHeat: heat, electric, cycles, least }: RoomHeat,
  { from, to }: { readonly from: number; readonly to: number },
  phase: number,
): void {
  const first = from - (from % RUN_QUARTERS);
  for (let start = first; start < to; start += RUN_QUARTERS) {
    let allHeat = 0;
    let allElectric = 0;
    let mostLeast = 0;
    const end = Math.min(to, start + RUN_QUARTERS);
    for (let i = Math.max(from, start); i < end; i++) {
      if (cycles[i] === 0) continue;
      allHeat += heat[i] ?? 0;
      allElectric += electric[i] ?? 0;
      mostLeast = Math.max(mostLeast, least[i] ?? 0);
    }
    if (allHeat === 0) continue;
    const runs = Math.max(1, Math.floor(allHeat / mostLeast));
    const runHeat = allHeat / runs;
    const runElectric = allElectric / runs;
    let left = runs;
    for (let j = 0; j < RUN_QUARTERS; j++) {
      const i = start + ((phase + j) & (RUN_QUARTERS - 1));
      if (i < from || i >= end || cycles[i] === 0) continue;
      heat[i] = left > 0 ? runHeat : 0;
      electric[i] = left > 0 ? runElectric : 0;
      left -= 1;
    }
  }
}
