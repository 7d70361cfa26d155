/** How a compressor that cannot modulate further down cycles: its heat of two hours in one run (docs/simulation.md#heat-pump). */

/** Quarter hours whose heat is packed together; a power of two that divides a day. */
const WINDOW = 8;

/** The heat of a day by its 96 quarter hours as a house needs it, mWh, and the electricity for it. */
interface RoomHeat {
  readonly heat: Float64Array;
  readonly electric: Float64Array;
  /** 1 where less is needed than the compressor gives without cycling, and nothing else keeps it busy. */
  readonly cycles: Uint8Array;
}

/**
 * Packs the heat of cycling quarter hours into runs, in place: of those in a window of two hours, counted from midnight UTC,
 * so many run that each gives at least the least heat that its compressor can (`least`, mWh), from `phase` on and around. A
 * window keeps its heat and its electricity.
 */
export function packIntoRuns({ heat, electric, cycles }: RoomHeat, least: Float64Array, phase: number): void {
  for (let start = 0; start < heat.length; start += WINDOW) {
    let allHeat = 0;
    let allElectric = 0;
    let mostLeast = 0;
    for (let i = start; i < start + WINDOW; i++) {
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
    for (let j = 0; j < WINDOW; j++) {
      const i = start + ((phase + j) & (WINDOW - 1));
      if (cycles[i] === 0) continue;
      heat[i] = left > 0 ? runHeat : 0;
      electric[i] = left > 0 ? runElectric : 0;
      left -= 1;
    }
  }
}
