import type { Db } from '../queries/connection/database.ts';
import { holdLivingFleet, storeCheckpoints } from '../queries/fleets/checkpoints.ts';
import type { HouseholdCheckpoint, KeptCheckpoint } from '../queries/fleets/checkpoints.ts';
import type { Checkpoint } from '../simulation/model/counters.ts';
import type { Household } from '../simulation/household/household.ts';
import type { Model } from '../simulation/model/model.ts';
import type { Pace } from './pace.ts';

const DAY_MS = 86_400_000;
/** A price may still be on its way into the tables that came in before a quarter began. */
const SETTLED_AFTER_MS = 3_600_000;
/** A request that had to sum so many days leaves a checkpoint behind. */
const WORTH_KEEPING_DAYS = 32;

/** The UTC day (days since 1970) of an instant. */
export function dayOf(instant: Date): number {
  return Math.floor(instant.getTime() / DAY_MS);
}

/** The latest day before which nothing changes any more. */
export function settledDay(now: Date): number {
  return dayOf(new Date(now.getTime() - SETTLED_AFTER_MS));
}

export function readCheckpoint(row: KeptCheckpoint): Checkpoint {
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
export function checkpointRow(household: Household, checkpoint: Checkpoint): HouseholdCheckpoint {
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

/** A household that is looked at, with the latest checkpoint that is kept of it. */
export interface Seen {
  readonly household: Household;
  readonly model: Model;
  readonly kept: KeptCheckpoint | null;
}

/**
 * Sums a household's counters up to the day of `at`, slice by slice, from the checkpoint where that is not later. The
 * answer is a new checkpoint when it took so many days that others should be spared them.
 */
export async function lookAt(
  { household, model, kept }: Seen,
  at: Date,
  now: Date,
  pace: Pace,
): Promise<HouseholdCheckpoint | undefined> {
  const { ledger } = model;
  if (kept !== null) ledger.learn(readCheckpoint(kept));
  const day = dayOf(at);
  const settled = Math.min(day, settledDay(now));
  const since = kept?.day ?? dayOf(new Date(household.anchor_ms));
  if (settled - since < WORTH_KEEPING_DAYS) {
    await pace.reach(ledger, day);
    return undefined;
  }
  await pace.reach(ledger, settled);
  const made = checkpointRow(household, ledger.at(settled));
  await pace.reach(ledger, day);
  return made;
}

/** Keeps what requests have worked out, unless the fleet ends meanwhile. */
export async function keepCheckpoints(
  db: Db,
  simulationOrgId: string,
  made: readonly HouseholdCheckpoint[],
): Promise<void> {
  if (made.length === 0) return;
  await db.transaction().execute(async (tx) => {
    if (await holdLivingFleet(tx, simulationOrgId)) await storeCheckpoints(tx, simulationOrgId, made);
  });
}
