import { QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import type { DeviceType } from '../domain/fleets/devices.ts';
import type { QuarterHours } from '../domain/notifications/interruptions.ts';
import type { HouseholdCheckpoint, StoredCheckpoint } from '../queries/fleets/checkpoints.ts';
import { toUnread } from '../simulation/model/device-periods.ts';
import type { DevicePeriods, UnreadPeriods } from '../simulation/model/device-periods.ts';
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
  /** The partner whose fleet it is. */
  readonly partnerId: string;
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
  /** Quarter hours of which no values are known, ascending and disjoint. */
  readonly unread: readonly QuarterHours[];
  readonly now: Date;
}

export interface DeviceDataResult<Type extends DeviceType = DeviceType> {
  readonly periods: (DevicePeriods[Type] | UnreadPeriods[Type])[];
  /** A checkpoint that spares others long sums, when one was made. */
  readonly made: HouseholdCheckpoint | undefined;
}

/** A device's data over a span, worked out in time slices: the counters before it, then day by day. */
export async function computeDeviceData<Type extends DeviceType>(
  question: DeviceDataQuestion<Type>,
  slicer: TimeSlicer,
): Promise<DeviceDataResult<Type>> {
  const { orgId, partnerId, attributes, checkpoint, prices, control, type, span, quarters, now } = question;
  const steeringOf =
    prices === null
      ? undefined
      : steeringByPrices(prices, ({ index }) => internControl(orgId, index, partnerId, control));
  const modelled = findModelledHousehold({ org_id: orgId, attributes }, partnerId, steeringOf);
  if (modelled === undefined) return { periods: [], made: undefined };
  const simulated = { household: modelled.household, model: modelled.model, storedCheckpoint: checkpoint };
  const advanced = await advanceCounters(simulated, new Date(span.first * QUARTER_HOUR_MS), now, slicer);
  const series = computeDeviceSeries(modelled, type, span, quarters);
  const periods: DeviceDataResult<Type>['periods'] = [];
  let { start } = advanced;
  for (
    let day = Math.floor(span.first / QUARTER_HOURS_PER_DAY);
    day * QUARTER_HOURS_PER_DAY < span.end;
    day++
  ) {
    // Where prices begin with the second day, its plan is the first that looks far back.
    const { value } = await slicer.onDay(modelled.model, day, start, () => series.next());
    if (value === undefined) break;
    const { entries, end } = value;
    periods.push(
      ...entries.map((period) => (isRead(period, question) ? period : toUnread(type, period.time))),
    );
    start = end;
    await slicer.yieldIfDue();
  }
  return { periods, made: advanced.made };
}

/** Whether all quarter hours of a period are known; the first and the last period may be cut by the span. */
function isRead(
  { time }: { readonly time: string },
  { unread, quarters, span }: Pick<DeviceDataQuestion, 'unread' | 'quarters' | 'span'>,
): boolean {
  if (unread.length === 0) return true;
  const first = Date.parse(time) / QUARTER_HOUR_MS;
  const end = Math.min(first - (first % quarters) + quarters, span.end);
  return !unread.some((hours) => hours.first < end && hours.end > first);
}
