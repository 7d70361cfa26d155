import type { HouseholdCheckpoint, StoredCheckpoint } from '../queries/fleets/checkpoints.ts';
import type { Checkpoint, CounterAccumulator } from '../simulation/model/counter-accumulator.ts';
import type { Household } from '../simulation/household/household.ts';
import type { HouseholdModel } from '../simulation/model/model.ts';
import type { TimeSlicer } from './time-slicer.ts';
import { DAY_MS, HOUR_MS } from '../domain/api/durations.ts';

/** A price may still be on its way into the tables that came in before a quarter began. */
const SETTLED_AFTER_MS = HOUR_MS;
/** A request that had to sum so many days leaves a checkpoint behind. */
const MIN_DAYS_FOR_CHECKPOINT = 32;

/** The UTC day (days since 1970) of an instant. */
export function utcDayOf(instant: Date): number {
  return Math.floor(instant.getTime() / DAY_MS);
}

/** The latest day before which nothing changes any more. */
export function lastSettledDay(now: Date): number {
  return utcDayOf(new Date(now.getTime() - SETTLED_AFTER_MS));
}

/** A stored checkpoint as the model takes it over. */
export function fromCheckpointRow(row: StoredCheckpoint): Checkpoint {
  return {
    day: row.day,
    counters: {
      pv: row.pv,
      ev: row.ev,
      hp: row.hp,
      gridImport: row.grid_import,
      gridExport: row.grid_export,
    },
    stored: row.stored,
    vehicleStored: row.vehicle_stored,
  };
}

/** As it is stored. `attributes` must be the household as it was read. */
export function toCheckpointRow(household: Household, checkpoint: Checkpoint): HouseholdCheckpoint {
  const { pv, ev, hp, gridImport, gridExport } = checkpoint.counters;
  return {
    household_index: household.index,
    attributes: household,
    day: checkpoint.day,
    pv,
    ev,
    hp,
    grid_import: gridImport,
    grid_export: gridExport,
    stored: checkpoint.stored,
    vehicle_stored: checkpoint.vehicleStored,
  };
}

/** A household whose values are computed, with the latest checkpoint that is stored of it. */
export interface SimulatedHousehold {
  readonly household: Household;
  readonly model: HouseholdModel;
  readonly storedCheckpoint: StoredCheckpoint | null;
}

export interface AdvancedCounters {
  /** Where the day of the instant begins, or that of the anchor where it is later: to be used by what is computed next. */
  readonly start: Checkpoint;
  /** A new checkpoint when it took so many days that others should be spared them. */
  readonly made: HouseholdCheckpoint | undefined;
}

/** Sums a household's counters up to the day of `at`, slice by slice, from the checkpoint where that is not later. */
export async function advanceCounters(
  { household, model, storedCheckpoint }: SimulatedHousehold,
  at: Date,
  now: Date,
  slicer: TimeSlicer,
): Promise<AdvancedCounters> {
  const { counters } = model;
  if (storedCheckpoint !== null) counters.restore(fromCheckpointRow(storedCheckpoint));
  const day = utcDayOf(at);
  const settled = Math.min(day, lastSettledDay(now));
  const since = storedCheckpoint?.day ?? utcDayOf(new Date(household.anchor_ms));
  const isLong = settled - since >= MIN_DAYS_FOR_CHECKPOINT;
  const last = isLong ? await advance(counters, settled, slicer) : undefined;
  const start = await advance(counters, day, slicer);
  return { start, made: last && toCheckpointRow(household, last) };
}

async function advance(counters: CounterAccumulator, day: number, slicer: TimeSlicer): Promise<Checkpoint> {
  const reached = await slicer.advanceTo(counters, day);
  if (reached === undefined) throw new Error('The sum of a request was stopped.');
  return reached;
}
