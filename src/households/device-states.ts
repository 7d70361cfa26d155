import type { Db } from '../queries/connection/database.ts';
import type { HouseholdCheckpoint } from '../queries/fleets/checkpoints.ts';
import type { DeviceRow } from '../queries/fleets/devices.ts';
import type { ControlState } from '../simulation/control/control-state.ts';
import { computeDeviceState } from '../simulation/model/device-state.ts';
import type { DeviceState, DeviceStates } from '../simulation/model/device-state.ts';
import type { DeviceType } from '../domain/fleets/devices.ts';
import { findLastReadAt, findPresentCondition } from '../domain/notifications/interruptions.ts';
import { unpackInterruptions } from '../domain/notifications/packed-interruptions.ts';
import { saveCheckpoints } from './checkpoints.ts';
import { advanceCounters, utcDayOf } from './counters.ts';
import { loadHistoryPrices } from './history-prices.ts';
import { listSteeringInterruptions } from './asked-control.ts';
import type { HouseholdInterruptions } from './asked-control.ts';
import { controlOfHousehold, loadControls, NOTHING_ASKED } from './household-controls.ts';
import type { VersionedControl } from './household-controls.ts';
import { steeringByPrices } from './household-steering.ts';
import { findModelledHousehold, findStoredHousehold, isSteered } from './stored-households.ts';
import { TimeSlicer } from './time-slicer.ts';
import type { YieldToEventLoop } from './time-slicer.ts';

/** What a computation over simulated households needs of its caller. */
export interface HouseholdContext {
  readonly db: Db;
  readonly now: Date;
  readonly yieldToEventLoop: YieldToEventLoop;
  /** Who asks. */
  readonly actor: { readonly partnerId: string };
}

/** A device as it is stored, with its state at an instant. */
export interface DeviceAtInstant {
  readonly row: DeviceRow;
  readonly at: Date;
  readonly state: DeviceState;
}

/**
 * The states of devices now, or at the instant at which their fleet ended or they were read last, in the order of the rows.
 * Simulated devices must be of one organization. Long sums are cut into time slices, and leave a checkpoint behind.
 */
export async function computeDeviceStates(
  context: HouseholdContext,
  rows: readonly DeviceRow[],
): Promise<DeviceAtInstant[]> {
  const { db, now } = context;
  const { partnerId } = context.actor;
  // What a slicer computes without waiting is little for one device; of many pages at once it would be much.
  if (rows.length > 1) await context.yieldToEventLoop(0, partnerId);
  const slicer = new TimeSlicer((days) => context.yieldToEventLoop(days, partnerId));
  const controls = await loadControls(db, partnerId, rows);
  const steeringOf = await loadSteeringOf(context, rows, controls);
  const devices: DeviceAtInstant[] = [];
  const made = new Map<number, HouseholdCheckpoint>();
  for (const row of rows) {
    const { interruptions } = controls.get(row.household_index ?? -1) ?? NOTHING_ASKED;
    const lastReadAt = findLastReadAt(unpackInterruptions(interruptions[row.device_type]), now);
    const at = earlierOf(row.stopped_at ?? now, lastReadAt);
    const modelled = findModelledHousehold(row, partnerId, steeringOf);
    if (modelled === undefined) {
      devices.push({ row, at, state: NEUTRAL_STATES[row.device_type] });
      continue;
    }
    await slicer.yieldIfDue();
    const { household, model } = modelled;
    const simulated = { household, model, storedCheckpoint: row.checkpoint };
    const advanced = await advanceCounters(simulated, at, now, slicer);
    if (advanced.made) made.set(household.index, advanced.made);
    const state = await slicer.onDay(model, utcDayOf(at), advanced.start, () =>
      computeDeviceState(modelled, row.device_type, at),
    );
    devices.push({ row, at, state: whileInterrupted(state, row.device_type, interruptions) });
  }
  const [first] = rows;
  if (first) await saveCheckpoints(db, first.org_id, [...made.values()]);
  return devices;
}

/** The state with the condition that keeps the device from being steered, where one holds. */
function whileInterrupted(
  state: DeviceState,
  type: DeviceType,
  interruptions: HouseholdInterruptions,
): DeviceState {
  const reason =
    'control' in state ? findPresentCondition(listSteeringInterruptions(type, interruptions)) : undefined;
  return reason === undefined ? state : { ...state, control: { mode: 'interrupted', reason } };
}

function earlierOf(one: Date, other: Date | undefined): Date {
  return other !== undefined && other < one ? other : one;
}

/** What steers the households, where one of them has a heat pump or something was asked of it. */
async function loadSteeringOf(
  { db, now, actor }: HouseholdContext,
  rows: readonly DeviceRow[],
  controls: ReadonlyMap<number, VersionedControl>,
) {
  for (const row of rows) {
    const household = findStoredHousehold(row, actor.partnerId);
    if (household && isSteered(row, household)) {
      const prices = await loadHistoryPrices(db, row.org_id, new Date(household.anchor_ms), now);
      return steeringByPrices(prices, controlOfHousehold(controls));
    }
  }
  return undefined;
}

const NOT_SIMULATED: ControlState = { mode: 'automatic', reason: 'not_simulated' };

/** The state of a device that no fleet simulates, since nothing measures it: everything at rest, counters at 0. */
const NEUTRAL_STATES: { readonly [Type in DeviceType]: DeviceStates[Type] } = {
  electric_vehicle: {
    soc_percent: 0,
    target_soc_percent: 100,
    plugged_in: false,
    charging: false,
    charge_power_w: 0,
    energy_charged_kwh: 0,
    control: NOT_SIMULATED,
  },
  heat_pump: {
    mode: 'off',
    schedule_state: 'mid',
    power_w: 0,
    heat_w: 0,
    cop: null,
    outdoor_temperature_c: 0,
    indoor_temperature_c: null,
    hot_water_temperature_c: null,
    energy_kwh: 0,
    control: NOT_SIMULATED,
  },
  inverter: {
    pv_power_w: 0,
    load_power_w: 0,
    battery_power_w: 0,
    grid_power_w: 0,
    soc_percent: 0,
    pv_energy_kwh: 0,
    grid_import_kwh: 0,
    grid_export_kwh: 0,
    control: NOT_SIMULATED,
  },
  wallbox: { plugged_in: false, charging: false, power_w: 0, energy_kwh: 0 },
};
