import type { Handler } from '../contract/handlers.ts';
import { JsonBytes } from '../contract/json-bytes.ts';
import { parseInstantRange } from '../domain/api/instant-range.ts';
import { listUnreadQuarters } from '../domain/notifications/interruptions.ts';
import { unpackInterruptions } from '../domain/notifications/packed-interruptions.ts';
import type { DeviceType } from '../domain/fleets/devices.ts';
import { saveCheckpoints } from '../households/checkpoints.ts';
import { findCoveredSpan } from '../households/covered-span.ts';
import { computeDeviceData } from '../households/device-data.ts';
import { loadHistoryPrices } from '../households/history-prices.ts';
import { loadControls, NOTHING_ASKED } from '../households/household-controls.ts';
import { findStoredHousehold, isSteered } from '../households/stored-households.ts';
import { TimeSlicer } from '../households/time-slicer.ts';
import { toDeviceDataMetadata } from '../presenters/device-data.ts';
import type { Context } from './context.ts';
import { runHeavyJob, workInSlices } from './heavy-jobs.ts';
import { RESOLUTIONS } from './summed-data.ts';
import { findVisibleDevice } from './user-devices.ts';
import { QUARTER_HOURS_PER_DAY } from '../domain/api/durations.ts';
import type { DeviceRow } from '../queries/fleets/devices.ts';
import type { Household } from '../simulation/household/household.ts';

interface Query {
  readonly from: string;
  readonly to: string;
  readonly resolution?: keyof typeof RESOLUTIONS | undefined;
}

/** Two days cost less here, in time slices, than on a thread (docs/decisions.md#heavy-work). */
const INLINE_QUARTERS = 2 * QUARTER_HOURS_PER_DAY;

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
  query: Query,
  type: Type,
  id: string,
) {
  const found = await workInSlices(context, () => answerShort(context, userId, query, type, id));
  if (found.status !== undefined) return found;
  // The share of what is computed in slices is left before a turn is waited for, which may take longer.
  const { answer, made } = await runHeavyJob(context, false, 'answerDeviceData', found);
  if (made) await saveCheckpoints(context.db, found.question.orgId, [made]);
  return { status: 200 as const, body: new JsonBytes(answer) };
}

/** The answer where it has two days at most, otherwise what a thread computes it from. */
async function answerShort<Type extends DeviceType>(
  context: Context,
  userId: string,
  { from, to, resolution = '15MIN' }: Query,
  type: Type,
  id: string,
) {
  const device = await findVisibleDevice(context, { user_id: userId }, type, id);
  const { quarters, maxDays } = RESOLUTIONS[resolution];
  const range = parseInstantRange(['from', from], ['to', to], maxDays);
  const household = findStoredHousehold(device, context.actor.partnerId);
  const span =
    household && findCoveredSpan(new Date(household.anchor_ms), range, device.stopped_at ?? context.now);
  const metadata = toDeviceDataMetadata(device, type, resolution, span, household?.time_zone ?? null);
  if (household === undefined || span === undefined)
    return { status: 200 as const, body: { metadata, data: [] } };
  const question = { ...(await toQuestion(context, device, household)), type, span, quarters };
  if (span.end - span.first > INLINE_QUARTERS) return { question, metadata };
  const slicer = new TimeSlicer((days) => context.yieldToEventLoop(days, context.actor.partnerId));
  const { periods, made } = await computeDeviceData(question, slicer);
  if (made) await saveCheckpoints(context.db, device.org_id, [made]);
  return { status: 200 as const, body: { metadata, data: periods } };
}

async function toQuestion(
  { db, now, actor: { partnerId } }: Context,
  device: DeviceRow,
  household: Household,
) {
  const { org_id: orgId, attributes, checkpoint } = device;
  const controls = await loadControls(db, partnerId, [device]);
  const control = controls.get(household.index) ?? NOTHING_ASKED;
  const interruptions = unpackInterruptions(control.interruptions[device.device_type]);
  const unread = listUnreadQuarters(interruptions, now);
  const question = { orgId, partnerId, attributes, checkpoint, unread, now };
  if (!isSteered(device, household)) return { ...question, prices: null, control };
  const prices = await loadHistoryPrices(db, orgId, new Date(household.anchor_ms), now);
  return { ...question, prices, control };
}
