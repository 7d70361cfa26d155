import { QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import type { InstantRange } from '../domain/api/instant-range.ts';
import type { DeviceType } from '../domain/fleets/devices.ts';
import type { DeviceRow } from '../queries/fleets/devices.ts';
import type { Household } from '../simulation/household/household.ts';
import type { DevicePeriods } from '../simulation/model/device-periods.ts';
import { computeDeviceSeries } from '../simulation/model/device-series.ts';
import type { QuarterSpan } from '../simulation/model/device-series.ts';
import { advanceCounters, saveCheckpoints } from './checkpoints.ts';
import type { HouseholdContext } from './device-states.ts';
import { loadHeatPumpScheduler } from './heat-pump-schedules.ts';
import { findModelledHousehold, findStoredHousehold } from './stored-households.ts';
import { TimeSlicer } from './time-slicer.ts';

/** What a device did over a time; without periods `from` and `to` are null. */
export interface DeviceData<Type extends DeviceType> {
  readonly from: Date | null;
  /** Exclusive. */
  readonly to: Date | null;
  /** IANA name; null for a device that is not simulated. */
  readonly timeZone: string | null;
  readonly periods: DevicePeriods[Type][];
}

/**
 * The data of a device in a time range, a period for each `quarters` quarter hours: those that begin in the range, not
 * before the start of the fleet's history, and are over now or when the fleet ended. Without periods for a device that
 * is not simulated. Long sums are cut into time slices, and leave a checkpoint behind.
 */
export async function computeDeviceData<Type extends DeviceType>(
  context: HouseholdContext,
  device: DeviceRow,
  type: Type,
  range: InstantRange,
  quarters: number,
): Promise<DeviceData<Type>> {
  const household = findStoredHousehold(device);
  const timeZone = household?.time_zone ?? null;
  const span = household && spanOf(household, range, device.stopped_at ?? context.now);
  if (household === undefined || span === undefined) return { from: null, to: null, timeZone, periods: [] };
  const periods = await computePeriods(context, device, household, type, span, quarters);
  const instantOf = (quarter: number): Date => new Date(quarter * QUARTER_HOUR_MS);
  return { from: instantOf(span.first), to: instantOf(span.end), timeZone, periods };
}

function spanOf(household: Household, { from, to }: InstantRange, until: Date): QuarterSpan | undefined {
  const first = Math.ceil(Math.max(from.getTime(), household.anchor_ms) / QUARTER_HOUR_MS);
  const end = Math.min(
    Math.ceil(to.getTime() / QUARTER_HOUR_MS),
    Math.floor(until.getTime() / QUARTER_HOUR_MS),
  );
  return first < end ? { first, end } : undefined;
}

/** Worked out in time slices: the counters before the span, then day by day. */
async function computePeriods<Type extends DeviceType>(
  context: HouseholdContext,
  device: DeviceRow,
  household: Household,
  type: Type,
  span: QuarterSpan,
  quarters: number,
): Promise<DevicePeriods[Type][]> {
  const { db, now } = context;
  const slicer = new TimeSlicer(context.yieldToEventLoop);
  const scheduleOf = household.heat_pump
    ? await loadHeatPumpScheduler(db, device.org_id, new Date(household.anchor_ms), now)
    : undefined;
  const modelled = findModelledHousehold(device, scheduleOf);
  if (modelled === undefined) return [];
  const simulated = { household, model: modelled.model, storedCheckpoint: device.checkpoint };
  const made = await advanceCounters(simulated, new Date(span.first * QUARTER_HOUR_MS), now, slicer);
  const periods: DevicePeriods[Type][] = [];
  for (const day of computeDeviceSeries(modelled, type, span, quarters)) {
    periods.push(...day);
    await slicer.yieldIfDue();
  }
  if (made) await saveCheckpoints(db, device.org_id, [made]);
  return periods;
}
