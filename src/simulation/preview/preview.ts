/** What creation would make of a definition, from the same functions that create uses (docs/decisions.md#fleets). */
import type { DeviceType } from '../../domain/fleets/devices.ts';
import type { DeviceCounts } from '../../domain/fleets/devices.ts';
import { DEVICE_TYPES } from '../../domain/fleets/devices.ts';
import type { ResolvedDefinition } from '../definition/resolve-definition.ts';
import { toDefinitionRecord, computeHistoryWindow } from '../definition/definition-record.ts';
import type { DefinitionRecord } from '../definition/definition-record.ts';
import { computeDensityBounds } from '../definition/density.ts';
import { averageHouseholdDay, expectPv } from './expected.ts';
import type { AverageDayPoint } from './expected.ts';
import type { DefinitionWarning } from '../definition/fleet-definition.ts';
import { MODEL_VERSION, buildHouseholds, listDeviceTypes } from '../household/household.ts';
import type { Household } from '../household/household.ts';
import { deriveDeviceId, deriveFleetId, deriveUserId } from '../household/identity.ts';
import type { LocationSource } from '../definition/household-location.ts';
import { listVehicleWarnings } from './vehicle-warnings.ts';

export interface PreviewHousehold {
  readonly index: number;
  readonly user_id: string;
  readonly group: string;
  readonly profile: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly source: LocationSource;
  /** The electric vehicle included. */
  readonly annual_consumption_kwh: number;
  readonly time_shift_minutes: number;
  readonly pv_rating_kw: number;
  readonly battery_capacity_kwh: number;
  readonly max_charge_power_w: number;
  readonly max_discharge_power_w: number;
  readonly initial_soc_percent: number;
  readonly devices: readonly { readonly device_id: string; readonly device_type: DeviceType }[];
}

export interface PreviewGroup {
  readonly name: string;
  readonly profile: string;
  readonly count: number;
  readonly archetype_counts: Readonly<Record<string, number>>;
  readonly electric_vehicle_count: number;
}

export interface FleetPreview {
  readonly job_id: string;
  readonly model_version: number;
  readonly definition: DefinitionRecord;
  readonly history: { readonly from: string; readonly to: string };
  readonly groups: readonly PreviewGroup[];
  readonly device_counts: DeviceCounts;
  readonly totals: {
    readonly households: number;
    readonly pv_rating_kw: number;
    readonly battery_capacity_kwh: number;
    readonly annual_load_kwh: number;
    readonly annual_pv_kwh: number;
  };
  readonly density: {
    readonly cells: number;
    readonly nonzero_cells: number;
    readonly dropped_cells: number;
    readonly bounding_box: ReturnType<typeof computeDensityBounds>;
  } | null;
  readonly households: readonly PreviewHousehold[];
  readonly average_day: readonly AverageDayPoint[];
  readonly warnings: readonly DefinitionWarning[];
}

/** Households that the answer of the API holds. */
const SHOWN_HOUSEHOLDS = 20;
const round = (value: number): number => Math.round(value * 10) / 10;

/**
 * What creation at `now` would make of a definition that was resolved for the organization, with the first `shown` households; nothing
 * is stored.
 */
export function previewFleet(
  orgId: string,
  { definition, density, warnings }: ResolvedDefinition,
  now: Date,
  shown = SHOWN_HOUSEHOLDS,
): FleetPreview {
  const history = computeHistoryWindow(definition, now);
  const households = buildHouseholds(definition, density, history.from);
  const job = deriveFleetId(orgId, definition.request_id);
  const sum = (of: (household: Household) => number) =>
    round(households.reduce((total, item) => total + of(item), 0));
  const pv = expectPv(households, history.from);
  return {
    job_id: job,
    model_version: MODEL_VERSION,
    definition: toDefinitionRecord(definition),
    history: { from: history.from.toISOString(), to: history.to.toISOString() },
    groups: previewGroups(definition.groups, households),
    device_counts: countHouseholdDevicesByType(households),
    totals: {
      households: households.length,
      pv_rating_kw: sum((household) => household.pv.rating_kw),
      battery_capacity_kwh: sum((household) => household.battery.capacity_kwh),
      annual_load_kwh: sum((household) => household.load_annual_kwh + household.ev_annual_kwh),
      annual_pv_kwh: round(pv.yearKwh),
    },
    density: density && {
      cells: density.grid.rows * density.grid.cols,
      nonzero_cells: density.nonzeroCells,
      dropped_cells: density.droppedCells,
      bounding_box: computeDensityBounds(density),
    },
    households: households.slice(0, shown).map((household) => previewHousehold(job, household)),
    average_day: averageHouseholdDay(households, pv),
    warnings: [...warnings, ...listVehicleWarnings(definition, households)],
  };
}

/** Devices of some households by type; every type has a number. */
export function countHouseholdDevicesByType(households: readonly Household[]): DeviceCounts {
  const counts: Record<DeviceType, number> = { electric_vehicle: 0, heat_pump: 0, inverter: 0, wallbox: 0 };
  for (const household of households) for (const type of listDeviceTypes(household)) counts[type]++;
  return counts;
}

function previewGroups(
  groups: ResolvedDefinition['definition']['groups'],
  households: readonly Household[],
): PreviewGroup[] {
  let next = 0;
  return groups.map(({ name, profile, households: count }) => {
    const members = households.slice(next, (next += count));
    const archetype_counts: Record<string, number> = {};
    for (const member of members)
      archetype_counts[member.profile] = (archetype_counts[member.profile] ?? 0) + 1;
    const electric_vehicle_count = members.filter((member) => member.electric_vehicle).length;
    return { name, profile, count, archetype_counts, electric_vehicle_count };
  });
}

function previewHousehold(job: string, household: Household): PreviewHousehold {
  const { index, battery } = household;
  const present = new Set(listDeviceTypes(household));
  return {
    index,
    user_id: deriveUserId(job, index),
    group: household.group,
    profile: household.profile,
    latitude: household.latitude,
    longitude: household.longitude,
    source: household.location_source,
    annual_consumption_kwh: Math.round((household.load_annual_kwh + household.ev_annual_kwh) * 1000) / 1000,
    time_shift_minutes: household.time_shift_minutes,
    pv_rating_kw: household.pv.rating_kw,
    battery_capacity_kwh: battery.capacity_kwh,
    max_charge_power_w: battery.max_charge_power_w,
    max_discharge_power_w: battery.max_discharge_power_w,
    initial_soc_percent: battery.initial_soc_percent,
    devices: DEVICE_TYPES.filter((type) => present.has(type)).map((device_type) => ({
      device_id: deriveDeviceId(job, index, device_type),
      device_type,
    })),
  };
}
