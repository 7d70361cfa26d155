import { QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import type { InstantRange } from '../domain/api/instant-range.ts';
import type { DeviceType } from '../domain/fleets/devices.ts';
import type { HouseholdCheckpoint, StoredCheckpoint } from '../queries/fleets/checkpoints.ts';
import type { Household } from '../simulation/household/household.ts';
import type { DevicePeriods } from '../simulation/model/device-periods.ts';
import { computeDeviceSeries } from '../simulation/model/device-series.ts';
import type { QuarterSpan } from '../simulation/control/revisions.ts';
import { advanceCounters } from './counters.ts';
import { steeringByPrices } from './household-steering.ts';
import type { HistoryPrices } from './household-steering.ts';
import { internControl } from './household-controls.ts';
import type { VersionedControl } from './household-controls.ts';
import { findModelledHousehold } from './stored-households.ts';
import type { TimeSlicer } from './time-slicer.ts';

/** What the series of a device is computed from; it can be copied to another thread. */
export interface DeviceDataQuestion<Type extends DeviceType = DeviceType> {
  /** The simulation organization. */
  readonly orgId: string;
  /** What was drawn for the household, as it is stored. */
  readonly attributes: unknown;
  readonly checkpoint: StoredCheckpoint | null;
  /** Null for a household that nothing steers. */
  readonly prices: HistoryPrices | null;
  readonly control: VersionedControl;
  readonly type: Type;
  readonly span: QuarterSpan;
  /** Quarter hours in a period. */
  readonly quarters: number;
  readonly now: Date;
}

export interface DeviceDataResult<Type extends DeviceType = DeviceType> {
  readonly periods: DevicePeriods[Type][];
  /** A checkpoint that spares others long sums, when one was made. */
  readonly made: HouseholdCheckpoint | undefined;
}

/**
 * The quarter hours of a household that a time range asks for: those that begin in it, not before the start of the fleet's
 * history, and are over at `until`. Undefined when there are none.
 */
export function findDataSpan(
  household: Household,
  { from, to }: InstantRange,
  until: Date,
): QuarterSpan | undefined {
  const first = Math.ceil(Math.max(from.getTime(), household.anchor_ms) / QUARTER_HOUR_MS);
  const end = Math.min(
    Math.ceil(to.getTime() / QUARTER_HOUR_MS),
    Math.floor(until.getTime() / QUARTER_HOUR_MS),
  );
  return first < end ? { first, end } : undefined;
}

/** A device's data over a span, worked out in time slices: the counters before it, then day by day. */
export async function computeDeviceData<Type extends DeviceType>(
  { orgId, attributes, checkpoint, prices, control, type, span, quarters, now }: DeviceDataQuestion<Type>,
  slicer: TimeSlicer,
): Promise<DeviceDataResult<Type>> {
  const steeringOf =
    prices === null
      ? undefined
      : steeringByPrices(prices, ({ index }) => internControl(orgId, index, prices.partnerId, control));
  const modelled = findModelledHousehold({ org_id: orgId, attributes }, steeringOf);
  if (modelled === undefined) return { periods: [], made: undefined };
  const simulated = { household: modelled.household, model: modelled.model, storedCheckpoint: checkpoint };
  const made = await advanceCounters(simulated, new Date(span.first * QUARTER_HOUR_MS), now, slicer);
  const periods: DevicePeriods[Type][] = [];
  for (const day of computeDeviceSeries(modelled, type, span, quarters)) {
    periods.push(...day);
    await slicer.yieldIfDue();
  }
  return { periods, made };
}
