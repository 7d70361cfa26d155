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
export const NO_COUNTERS: Counters = { pv: 0, ev: 0, hp: 0, gridImport: 0, gridExport: 0 };

/**
 * All of a household's past that later days hang on, at the start of a UTC day (days since 1970). The charges are
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

/** Sums on by at most so many days; true when the day is reached. */
export type AdvanceByDays = (mostDays: number) => boolean;

export interface CounterAccumulator {
  /** The start of a day, summed on at once from the nearest one before it that is known. */
  checkpointAt(day: number): Checkpoint;
  /** Sums up to the start of a day in steps; several of these may be under way at once. */
  startAdvancingTo(day: number): AdvanceByDays;
  /** What is known of the start of a day without summing. */
  findCheckpoint(day: number): Checkpoint | undefined;
  /** Takes over a checkpoint that was made before, of this household and its schedule. */
  restore(checkpoint: Checkpoint): void;
}

/** Days between milestones at first. When there are too many, every second one is dropped, so that the way back stays short. */
const FIRST_MILESTONE_SPACING_DAYS = 16;
const MAX_MILESTONES = 32;
const MAX_RECENT_CHECKPOINTS = 4;

/** `origin` is the start of the anchor's day; before it nothing is counted. */
export function createCounterAccumulator(
  origin: Checkpoint,
  dayOf: (day: number) => Day,
): CounterAccumulator {
  const milestones = new Map<number, Checkpoint>();
  const recent: Checkpoint[] = [];
  let spacing = FIRST_MILESTONE_SPACING_DAYS;
  let restored = origin;

  const findCheckpoint = (day: number): Checkpoint | undefined =>
    restored.day === day ? restored : (recent.find((known) => known.day === day) ?? milestones.get(day));

  const nearest = (day: number): Checkpoint => {
    let best = restored.day <= day ? restored : origin;
    for (const known of recent) if (known.day <= day && known.day > best.day) best = known;
    for (const known of milestones.values()) if (known.day <= day && known.day > best.day) best = known;
    return best;
  };

  const markMilestone = (known: Checkpoint): void => {
    if ((known.day - origin.day) % spacing !== 0) return;
    milestones.set(known.day, known);
    if (milestones.size <= MAX_MILESTONES) return;
    spacing *= 2;
    for (const day of milestones.keys()) if ((day - origin.day) % spacing !== 0) milestones.delete(day);
  };

  const next = ({ day, counters }: Checkpoint): Checkpoint => {
    const rows = dayOf(day);
    return {
      day: day + 1,
      counters: addQuarterEnergies(counters, rows),
      stored: rows.stored[QUARTER_HOURS_PER_DAY] ?? 0,
      vehicleStored: rows.vehicleStored[QUARTER_HOURS_PER_DAY] ?? 0,
    };
  };

  const startAdvancingTo = (day: number): AdvanceByDays => {
    let known = nearest(day);
    return (mostDays) => {
      // Another caller may have summed further meanwhile.
      const ahead = nearest(day);
      if (ahead.day > known.day) known = ahead;
      for (let left = mostDays; left > 0 && known.day < day; left--) {
        known = next(known);
        markMilestone(known);
      }
      if (findCheckpoint(known.day) === undefined) {
        if (recent.length === MAX_RECENT_CHECKPOINTS) recent.shift();
        recent.push(known);
      }
      return known.day >= day;
    };
  };

  return {
    checkpointAt: (day) => {
      if (day <= origin.day) return origin;
      const before = findCheckpoint(day);
      if (before) return before;
      startAdvancingTo(day)(Infinity);
      return findCheckpoint(day) ?? origin;
    },
    startAdvancingTo,
    findCheckpoint,
    restore: (checkpoint) => {
      if (checkpoint.day > restored.day) restored = checkpoint;
    },
  };
}
