/**
 * How a compressor runs that gives the heat of a house: never less than it can modulate down to, where two hours together ask for
 * that much (docs/simulation.md#heat-pump).
 */

/** Quarter hours whose heat is packed together, counted from midnight UTC; a power of two that divides a day. */
export const RUN_QUARTERS = 8;

/** The end of the two hours in which a quarter hour lies, counted from any midnight UTC. */
export const endOfRunWindow = (quarter: number): number =>
  (Math.floor(quarter / RUN_QUARTERS) + 1) * RUN_QUARTERS;

/** Heat of a compressor by quarter hours from a midnight UTC on, mWh. */
interface CompressorHeat {
  readonly roomHeat: Float64Array;
  readonly tankHeat: Float64Array;
  /** Electricity for the rooms' heat. */
  readonly electric: Float64Array;
  /** The least heat that the compressor gives without cycling, and the most that it gives. */
  readonly least: Float64Array;
  readonly mostHeat: Float64Array;
}

/** What the short quarter hours of a window give together, and which they are: the first `count` of `slots`. */
const short = { room: 0, water: 0, electric: 0, least: 0, count: 0 };
const slots = new Int32Array(RUN_QUARTERS);

/**
 * Packs the heat of quarter hours from `from` up to and without `to` that ask for less than the least heat into runs, in place, in
 * windows of two hours. Of those in a window so many run that each gives at least the least heat, from `phase` on and around;
 * where they have not enough for one, a quarter hour that runs anyway takes it over or shares its heat. So only a window that as
 * a whole asks for less has a quarter hour below the least heat, one, of which the compressor runs a part. A window keeps its heat
 * and the electricity for its rooms.
 */
export function packIntoRuns(
  heats: CompressorHeat,
  { from, to }: { readonly from: number; readonly to: number },
  phase: number,
): void {
  for (let start = from - (from % RUN_QUARTERS); start < to; start += RUN_QUARTERS) {
    const [first, end] = [Math.max(from, start), Math.min(to, start + RUN_QUARTERS)];
    collectShort(heats, first, end, start, phase);
    if (short.count === 0) continue;
    const runs = Math.floor((short.room + short.water) / short.least);
    const running = runs === 0 ? nearestRunning(heats, first, end, slots[0] ?? 0) : -1;
    if (running >= 0) joinRun(heats, running, slots[0] ?? 0);
    else spreadRuns(heats, Math.max(1, runs));
  }
}

/** Takes the heat of the short quarter hours of a window out of them. */
function collectShort(heats: CompressorHeat, first: number, end: number, start: number, phase: number): void {
  const { roomHeat, tankHeat, electric, least } = heats;
  short.room = short.water = short.electric = short.least = short.count = 0;
  for (let j = 0; j < RUN_QUARTERS; j++) {
    const i = start + ((phase + j) & (RUN_QUARTERS - 1));
    if (i < first || i >= end) continue;
    const room = roomHeat[i] ?? 0;
    const water = tankHeat[i] ?? 0;
    const fewest = least[i] ?? 0;
    if (room + water === 0 || room + water >= fewest) continue;
    short.room += room;
    short.water += water;
    short.electric += electric[i] ?? 0;
    if (fewest > short.least) short.least = fewest;
    slots[short.count] = i;
    short.count += 1;
    roomHeat[i] = tankHeat[i] = electric[i] = 0;
  }
}

/** The quarter hour next to `slot` in which the compressor still gives heat; -1 where there is none. */
function nearestRunning(
  { roomHeat, tankHeat }: CompressorHeat,
  first: number,
  end: number,
  slot: number,
): number {
  let nearest = -1;
  for (let i = first; i < end; i++) {
    if ((roomHeat[i] ?? 0) + (tankHeat[i] ?? 0) === 0) continue;
    if (nearest < 0 || Math.abs(i - slot) < Math.abs(nearest - slot)) nearest = i;
  }
  return nearest;
}

/** Gives the short heat to a quarter hour that runs, or where that is too much half of all to each. */
function joinRun(
  { roomHeat, tankHeat, electric, mostHeat }: CompressorHeat,
  running: number,
  slot: number,
): void {
  const room = short.room + (roomHeat[running] ?? 0);
  const water = short.water + (tankHeat[running] ?? 0);
  const drawn = short.electric + (electric[running] ?? 0);
  const part = room + water > (mostHeat[running] ?? 0) ? 0.5 : 1;
  roomHeat[running] = part * room;
  tankHeat[running] = part * water;
  electric[running] = part * drawn;
  if (part === 1) return;
  roomHeat[slot] = part * room;
  tankHeat[slot] = part * water;
  electric[slot] = part * drawn;
}

/** Spreads the short heat evenly over so many quarter hours, the tank's first. */
function spreadRuns({ roomHeat, tankHeat, electric }: CompressorHeat, runs: number): void {
  const each = (short.room + short.water) / runs;
  const perHeat = short.room > 0 ? short.electric / short.room : 0;
  let left = short.water;
  for (let k = 0; k < runs; k++) {
    const i = slots[k] ?? 0;
    const water = Math.min(each, left);
    left -= water;
    tankHeat[i] = water;
    roomHeat[i] = each - water;
    electric[i] = (each - water) * perHeat;
  }
}
