/**
 * Energy counters of a household: sums of its quarters since the anchor. The sums at the start of some days are
 * remembered, so that few days are summed again.
 */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';

/** Sums of energies in mWh from the anchor on. */
export interface Counters {
  readonly pv: number;
  readonly ev: number;
  readonly hp: number;
  readonly gridImport: number;
  readonly gridExport: number;
}

/** Counters at the anchor. */
export const ZERO_COUNTERS: Counters = { pv: 0, ev: 0, hp: 0, gridImport: 0, gridExport: 0 };

/**
 * All of a household's past that later days depend on, at the start of a UTC day (days since 1970). The charges are
 * here because a battery that is large for its power may not have forgotten the anchor for years.
 */
export interface Checkpoint {
  readonly day: number;
  readonly counters: Counters;
  /** Stored in the stationary battery, mWh. */
  readonly stored: number;
  /** Stored in the vehicle, mWh; 0 without one. */
  readonly vehicleStored: number;
}

interface Energies {
  readonly pv: Int32Array;
  readonly ev: Int32Array;
  readonly hp: Int32Array;
  readonly grid: Int32Array;
}
interface Day extends Energies {
  readonly stored: Int32Array;
  readonly vehicleStored: Int32Array;
}

/** The energies of days. */
interface Days {
  readonly of: (day: number) => Day;
  /** Makes a piece of what a day follows from; true once no more than the day itself is left. */
  readonly approach: (day: number) => boolean;
}

/** Counters after the first `quarters` of a day. */
export function addQuarterEnergies(
  from: Counters,
  rows: Energies,
  quarters = QUARTER_HOURS_PER_DAY,
): Counters {
  let { pv, ev, hp, gridImport, gridExport } = from;
  for (let i = 0; i < quarters; i++) {
    pv += rows.pv[i] ?? 0;
    ev += rows.ev[i] ?? 0;
    hp += rows.hp[i] ?? 0;
    const grid = rows.grid[i] ?? 0;
    if (grid > 0) gridImport += grid;
    else gridExport -= grid;
  }
  return { pv, ev, hp, gridImport, gridExport };
}

/** The start of the day after the one that begins with `start`, of which these are the rows. */
export function checkpointAfter({ day, counters }: Checkpoint, rows: Day): Checkpoint {
  return {
    day: day + 1,
    counters: addQuarterEnergies(counters, rows),
    stored: rows.stored[QUARTER_HOURS_PER_DAY] ?? 0,
    vehicleStored: rows.vehicleStored[QUARTER_HOURS_PER_DAY] ?? 0,
  };
}

/** Sums on by at most so many days; the start of the day once it is reached, or of the origin's where that is later. */
export type AdvanceByDays = (maxDays: number) => Checkpoint | undefined;

/** Days between milestones at first. When there are too many, every second one is dropped, so that the way back stays short. */
const FIRST_MILESTONE_SPACING_DAYS = 16;
const MAX_MILESTONES = 32;
const MAX_RECENT_CHECKPOINTS = 4;

/** The counters of a household at the starts of days, summed on demand from the nearest day that is known. */
export class CounterAccumulator {
  readonly #origin: Checkpoint;
  readonly #days: Days;
  readonly #milestones = new Map<number, Checkpoint>();
  readonly #recent: Checkpoint[] = [];
  #spacing = FIRST_MILESTONE_SPACING_DAYS;
  #restored: Checkpoint;
  #used: Checkpoint;

  /** `origin` is the start of the anchor's day; before it nothing is counted. */
  constructor(origin: Checkpoint, days: Days) {
    this.#origin = origin;
    this.#days = days;
    this.#restored = this.#used = origin;
  }

  /** The start of a day, summed at once from the nearest one before it that is known. */
  checkpointAt(day: number): Checkpoint {
    if (day <= this.#origin.day) return this.#origin;
    const known = this.findCheckpoint(day);
    if (known) return known;
    this.startAdvancingTo(day)(Infinity);
    return this.findCheckpoint(day) ?? this.#origin;
  }

  /** Sums up to the start of a day in steps, pieces on the way to a day as days; several of these may be under way at once. */
  startAdvancingTo(day: number): AdvanceByDays {
    let known = this.#nearest(day);
    return (maxDays) => {
      // Another caller may have summed further meanwhile.
      const ahead = this.#nearest(day);
      if (ahead.day > known.day) known = ahead;
      for (let left = maxDays; left > 0 && known.day < day; left--) {
        this.use(known);
        if (!this.#days.approach(known.day)) continue;
        known = checkpointAfter(known, this.#days.of(known.day));
        this.#addMilestone(known);
      }
      if (this.findCheckpoint(known.day) === undefined) {
        if (this.#recent.length === MAX_RECENT_CHECKPOINTS) this.#recent.shift();
        this.#recent.push(known);
      }
      return known.day >= day ? known : undefined;
    };
  }

  /** The start of a day if it is known without summing. */
  findCheckpoint(day: number): Checkpoint | undefined {
    if (this.#used.day === day) return this.#used;
    if (this.#restored.day === day) return this.#restored;
    return this.#recent.find((known) => known.day === day) ?? this.#milestones.get(day);
  }

  /**
   * What is computed next goes on from a checkpoint, which is known until another one is used: several callers that take turns would push
   * out of what is remembered whatever the others need, and each of them would look back for it.
   */
  use(checkpoint: Checkpoint): void {
    this.#used = checkpoint;
  }

  /** The day of the checkpoint from which whoever computes now goes on. */
  get usedDay(): number {
    return this.#used.day;
  }

  /** Takes over a checkpoint that was made before, of this household and its schedule. */
  restore(checkpoint: Checkpoint): void {
    if (checkpoint.day > this.#restored.day) this.#restored = checkpoint;
  }

  #nearest(day: number): Checkpoint {
    let best = this.#restored.day <= day ? this.#restored : this.#origin;
    for (const known of this.#recent) if (known.day <= day && known.day > best.day) best = known;
    for (const known of this.#milestones.values()) {
      if (known.day <= day && known.day > best.day) best = known;
    }
    return best;
  }

  #addMilestone(known: Checkpoint): void {
    const isMilestone = (day: number): boolean => (day - this.#origin.day) % this.#spacing === 0;
    if (!isMilestone(known.day)) return;
    this.#milestones.set(known.day, known);
    if (this.#milestones.size <= MAX_MILESTONES) return;
    this.#spacing *= 2;
    for (const day of this.#milestones.keys()) if (!isMilestone(day)) this.#milestones.delete(day);
  }
}
