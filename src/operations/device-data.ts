import type { DeviceType } from '../domain/fleets/devices.ts';
import type { Handler } from '../contract/handlers.ts';
import { parseInstantRange } from '../domain/api/instant-range.ts';
import type { InstantRange } from '../domain/api/instant-range.ts';
import { saveCheckpoints, advanceCounters } from '../households/checkpoints.ts';
import { TimeSlicer } from '../households/time-slicer.ts';
import { loadHeatPumpSchedules } from '../households/heat-pump-schedules.ts';
import type { DeviceRow } from '../queries/fleets/devices.ts';
import type { Household } from '../simulation/household/household.ts';
import type { HouseholdModel } from '../simulation/model/model.ts';
import { getCachedModel } from '../simulation/model/device-state.ts';
import type { Context } from './context.ts';
import { deviceSeries } from '../presenters/device-series.ts';
import type { Entries, Span } from '../presenters/device-series.ts';
import { findVisibleDevice } from './user-devices.ts';
import { QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import { QUARTER_HOURS_PER_DAY } from '../domain/api/durations.ts';

interface Query {
  readonly from: string;
  readonly to: string;
  readonly resolution?: keyof typeof RESOLUTIONS | undefined;
}

/** How long a period is, and how many days an answer holds at most: some 3,000 periods. */
const RESOLUTIONS = {
  '15MIN': { quarters: 1, maxDays: 31 },
  '1HOUR': { quarters: 4, maxDays: 92 },
  '1DAY': { quarters: QUARTER_HOURS_PER_DAY, maxDays: 366 },
} as const;

export const getHeatPumpData: Handler<Context, 'getHeatPumpData'> = (context, { path, query }) =>
  answer(context, path.user_id, query, 'heat_pump', path.heat_pump_id);

export const getInverterData: Handler<Context, 'getInverterData'> = (context, { path, query }) =>
  answer(context, path.user_id, query, 'inverter', path.inverter_id);

export const getElectricVehicleData: Handler<Context, 'getElectricVehicleData'> = (
  context,
  { path, query },
) => answer(context, path.user_id, query, 'electric_vehicle', path.electric_vehicle_id);

export const getWallboxData: Handler<Context, 'getWallboxData'> = (context, { path, query }) =>
  answer(context, path.user_id, query, 'wallbox', path.wallbox_id);

async function answer<Type extends DeviceType>(
  context: Context,
  userId: string,
  { from, to, resolution = '15MIN' }: Query,
  type: Type,
  id: string,
) {
  const device = await findVisibleDevice(context, { user_id: userId }, type, id);
  const { quarters, maxDays } = RESOLUTIONS[resolution];
  const range = parseInstantRange(['from', from], ['to', to], maxDays);
  const household = (device.attributes ?? undefined) as Household | undefined;
  const span = household && covered(household, range, device.stopped_at ?? context.now);
  const data = household && span ? await series(context, device, household, type, span, quarters) : [];
  const instant = (quarter: number): string => new Date(quarter * QUARTER_HOUR_MS).toISOString();
  const metadata = {
    user_id: userId,
    device_id: device.id,
    device_type: type,
    resolution,
    from: span ? instant(span.first) : null,
    to: span ? instant(span.end) : null,
    time_zone: household?.time_zone ?? null,
  };
  return { status: 200 as const, body: { metadata, data } };
}

/** Quarter hours that begin in the range and lie between the start of the history and the end: those are over. */
function covered(household: Household, { from, to }: InstantRange, until: Date): Span | undefined {
  const first = Math.ceil(Math.max(from.getTime(), household.anchor_ms) / QUARTER_HOUR_MS);
  const end = Math.min(
    Math.ceil(to.getTime() / QUARTER_HOUR_MS),
    Math.floor(until.getTime() / QUARTER_HOUR_MS),
  );
  return first < end ? { first, end } : undefined;
}

/** The device's entries, worked out in slices: the counters before the span, then day by day. */
async function series<Type extends DeviceType>(
  context: Context,
  device: DeviceRow,
  household: Household,
  type: Type,
  span: Span,
  quarters: number,
): Promise<Entries[Type][]> {
  const pace = new TimeSlicer(context.yieldToEventLoop);
  const model = await modelFor(context, device, household);
  const seen = { household, model, storedCheckpoint: device.checkpoint };
  const made = await advanceCounters(seen, new Date(span.first * QUARTER_HOUR_MS), context.now, pace);
  const entries: Entries[Type][] = [];
  for (const day of deviceSeries({ household, model }, type, span, quarters)) {
    entries.push(...day);
    await pace.yieldIfDue();
  }
  if (made) await saveCheckpoints(context.db, device.org_id, [made]);
  return entries;
}

/** The household under the schedules that its heat pump has followed, as the states of its devices show it. */
async function modelFor(
  { db, now }: Context,
  { org_id }: DeviceRow,
  household: Household,
): Promise<HouseholdModel> {
  if (!household.heat_pump) return getCachedModel(household);
  const scheduleOf = await loadHeatPumpSchedules(db, org_id, new Date(household.anchor_ms), now);
  return getCachedModel(household, { scheduleState: scheduleOf(household) });
}
