// What was asked of households and where they live, read when it has changed and kept by the number of its version.
import type { DeviceType } from '../domain/fleets/devices.ts';
import { listUnsteeredQuarters } from '../domain/notifications/interruptions.ts';
import type { Interruption } from '../domain/notifications/interruptions.ts';
import { listInterruptions } from '../queries/fleets/interruptions.ts';
import type { DeviceInterruption } from '../queries/fleets/interruptions.ts';
import { listEffectivePlaces, listEffectiveRevisions } from '../queries/fleets/household-controls.ts';
import type { EffectivePlace, EffectiveRevision } from '../queries/fleets/household-controls.ts';
import type { Db } from '../queries/connection/database.ts';
import { UNCONTROLLED } from '../simulation/control/household-control.ts';
import type { DeviceControl, HouseholdControl, Place } from '../simulation/control/household-control.ts';
import { readStoredPreferences } from '../simulation/control/preference-changes.ts';
import type { DevicePreferences, SteeredType } from '../simulation/control/preference-changes.ts';
import type { QuarterSpan, Revision } from '../simulation/control/revisions.ts';
import type { Household } from '../simulation/household/household.ts';
import { ByteCache } from '../simulation/kernel/byte-cache.ts';

/** A row of a household or of one of its devices. */
export interface ControlledRow {
  readonly org_id: string;
  readonly user_id: string;
  /** Null for a device that no fleet simulates, as are those that follow. */
  readonly household_index: number | null;
  readonly control_version: number | null;
  readonly attributes: unknown;
}

/** The times in which conditions of a household's devices held, by type of device, in the order in which they began. */
export type HouseholdInterruptions = { readonly [Type in DeviceType]?: readonly Interruption[] };

/** What steers a household and what keeps it from being read, by its version; it can be copied to another thread. */
export interface VersionedControl {
  readonly version: number;
  readonly control: HouseholdControl;
  readonly interruptions: HouseholdInterruptions;
}

export const NOTHING_ASKED: VersionedControl = { version: 0, control: UNCONTROLLED, interruptions: {} };

/** By organization and household. */
const cached = new ByteCache<VersionedControl>({
  maxBytes: 32 * 1_048_576,
  maxBytesOfPartner: 16 * 1_048_576,
});

/** In memory: what holds from a quarter hour on, and the preferences themselves, which revisions share. */
const BYTES_OF_REVISION = 64;
const BYTES_OF_PREFERENCES = 512;
/** Changes whose rows are read by one statement: decoded in some milliseconds. */
const CHANGES_PER_STATEMENT = 1_000;

/**
 * What steers the households of some rows of one organization, by their index; of those that are not in the map nothing was ever
 * asked. The same version gives the same object again, on which the states that are remembered depend.
 */
export async function loadControls(
  db: Db,
  partnerId: string,
  rows: readonly ControlledRow[],
): Promise<ReadonlyMap<number, VersionedControl>> {
  const known = new Map<number, VersionedControl>();
  const missing = new Map<number, ControlledRow>();
  for (const row of rows) {
    const { org_id, household_index: index, control_version: version } = row;
    if (index === null || version === null || version === 0 || known.has(index)) continue;
    const found = cached.find(keyOf(org_id, index));
    if (found?.version === version) known.set(index, found);
    else missing.set(index, row);
  }
  for (const batch of batchesOf([...missing.values()])) {
    for (const [index, control] of await readControls(db, batch)) {
      known.set(index, keep(batch[0]?.org_id ?? '', index, partnerId, control));
    }
  }
  return known;
}

/** What was asked of the devices of a user whom no fleet simulates, and where the user has lived. */
export async function loadUserControl(
  db: Db,
  orgId: string,
  userId: string,
  home: Place,
): Promise<HouseholdControl> {
  const revisions = await listEffectiveRevisions(db, orgId, [userId]);
  const places = await listEffectivePlaces(db, orgId, [userId]);
  if (revisions.length + places.length === 0) return UNCONTROLLED;
  return toHouseholdControl(revisions, places, home);
}

/** What was asked of each household, for `steeringByPrices`. */
export function controlOfHousehold(
  controls: ReadonlyMap<number, VersionedControl>,
): (household: Household) => HouseholdControl {
  return ({ index }) => controls.get(index)?.control ?? UNCONTROLLED;
}

/** The same object again for the same version that another thread sends. */
export function internControl(
  orgId: string,
  index: number,
  partnerId: string,
  sent: VersionedControl,
): HouseholdControl {
  if (sent.version === 0) return UNCONTROLLED;
  const found = cached.find(keyOf(orgId, index));
  return found?.version === sent.version ? found.control : keep(orgId, index, partnerId, sent).control;
}

/** What was asked of a household; revisions by device and time, places by time. `home`: where it was drawn. */
export function toHouseholdControl(
  revisions: readonly EffectiveRevision[],
  places: readonly EffectivePlace[],
  home: Place,
  interruptions: HouseholdInterruptions = {},
): HouseholdControl {
  return {
    electricVehicle: toDeviceControl('electric_vehicle', revisions, interruptions),
    heatPump: toDeviceControl('heat_pump', revisions, interruptions),
    inverter: toDeviceControl('inverter', revisions, interruptions),
    places: places.map(({ from, latitude, longitude }) => ({
      from,
      value: latitude === null || longitude === null ? home : { latitude, longitude },
    })),
  };
}

const keyOf = (orgId: string, index: number): string => `${orgId} ${index}`;

function keep(
  orgId: string,
  index: number,
  partnerId: string,
  versioned: VersionedControl,
): VersionedControl {
  cached.set(keyOf(orgId, index), versioned, partnerId, bytesOf(versioned));
  return versioned;
}

function bytesOf({ control, interruptions }: VersionedControl): number {
  const devices = [control.electricVehicle, control.heatPump, control.inverter];
  const preferences = new Set(devices.flatMap((device) => device.preferences.map(({ value }) => value)));
  const lists = [
    control.places,
    ...Object.values(interruptions),
    ...devices.flatMap((device) => [device.preferences, device.boosts, device.unsteered]),
  ];
  const revisions = lists.reduce((sum, { length }) => sum + length, 0);
  return revisions * BYTES_OF_REVISION + preferences.size * BYTES_OF_PREFERENCES;
}

/** Rows in batches of few changes; a row of many is a batch of its own. */
function batchesOf(rows: readonly ControlledRow[]): ControlledRow[][] {
  const batches: ControlledRow[][] = [];
  let left = 0;
  for (const row of rows) {
    const changes = row.control_version ?? 0;
    const last = batches.at(-1);
    if (last === undefined || changes > left) {
      batches.push([row]);
      left = CHANGES_PER_STATEMENT;
    } else last.push(row);
    left -= changes;
  }
  return batches;
}

async function readControls(db: Db, rows: readonly ControlledRow[]): Promise<[number, VersionedControl][]> {
  const orgId = rows[0]?.org_id ?? '';
  const userIds = rows.map(({ user_id }) => user_id);
  const revisions = Map.groupBy(await listEffectiveRevisions(db, orgId, userIds), ({ user_id }) => user_id);
  const places = Map.groupBy(await listEffectivePlaces(db, orgId, userIds), ({ user_id }) => user_id);
  const indexes = rows.flatMap(({ household_index: index }) => (index === null ? [] : [index]));
  const held = Map.groupBy(
    await listInterruptions(db, orgId, indexes),
    ({ householdIndex }) => householdIndex,
  );
  return rows.flatMap(({ user_id, household_index: index, control_version: version, attributes }) => {
    if (index === null || version === null) return [];
    const { latitude, longitude } = attributes as Place;
    const interruptions = byType(held.get(index) ?? []);
    const home = { latitude, longitude };
    const asked = [revisions.get(user_id) ?? [], places.get(user_id) ?? []] as const;
    return [[index, { version, control: toHouseholdControl(...asked, home, interruptions), interruptions }]];
  });
}

function byType(interruptions: readonly DeviceInterruption[]): HouseholdInterruptions {
  const types: { [Type in DeviceType]?: Interruption[] } = {};
  for (const interruption of interruptions) (types[interruption.deviceType] ??= []).push(interruption);
  return types;
}

/** The interruptions that keep a device from being steered: a car is steered by way of its wallbox too. */
export function listSteeringInterruptions(
  type: DeviceType,
  interruptions: HouseholdInterruptions,
): readonly Interruption[] {
  const own = interruptions[type] ?? [];
  return type === 'electric_vehicle' ? [...own, ...(interruptions.wallbox ?? [])] : own;
}

function toDeviceControl<Type extends SteeredType>(
  type: Type,
  revisions: readonly EffectiveRevision[],
  interruptions: HouseholdInterruptions,
): DeviceControl<DevicePreferences[Type]> {
  const own = revisions.filter(({ device_type }) => device_type === type);
  const unsteered = listUnsteeredQuarters(listSteeringInterruptions(type, interruptions));
  return { preferences: preferencesOf(type, own), boosts: boostsOf(own), unsteered };
}

/** Without those that repeat what held before: a boost changes none. The same preferences are one object. */
function preferencesOf<Type extends SteeredType>(
  type: Type,
  revisions: readonly EffectiveRevision[],
): Revision<DevicePreferences[Type]>[] {
  const preferences: Revision<DevicePreferences[Type]>[] = [];
  const known = new Map<string, DevicePreferences[Type]>();
  let before = '';
  for (const { from, preferences: stored } of revisions) {
    if (stored === before) continue;
    before = stored;
    const value = known.get(stored) ?? readStoredPreferences(type, JSON.parse(stored));
    known.set(stored, value);
    preferences.push({ from, value });
  }
  return preferences;
}

/** A boost holds until its end, or until a revision without it; one that goes on is one. */
function boostsOf(revisions: readonly EffectiveRevision[]): QuarterSpan[] {
  const boosts: { first: number; end: number }[] = [];
  for (const [i, { from: first, boost_end }] of revisions.entries()) {
    if (boost_end === null) continue;
    const end = Math.min(boost_end, revisions[i + 1]?.from ?? Infinity);
    const last = boosts.at(-1);
    if (last?.end === first) last.end = Math.max(end, first);
    else if (first < end) boosts.push({ first, end });
  }
  return boosts;
}
