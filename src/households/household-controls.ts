// What was asked of households and where they live, read when it has changed and kept by the number of its version.
import type { DeviceType } from '../domain/fleets/devices.ts';
import { packInterruptions } from '../domain/notifications/packed-interruptions.ts';
import type { PackedInterruptions } from '../domain/notifications/packed-interruptions.ts';
import type { UserRecord } from '../domain/users/users.ts';
import { listInterruptions } from '../queries/fleets/interruptions.ts';
import type { DeviceInterruption } from '../queries/fleets/interruptions.ts';
import { listEffectivePlaces, listEffectiveRevisions } from '../queries/fleets/household-controls.ts';
import type { Db } from '../queries/connection/database.ts';
import { UNCONTROLLED } from '../simulation/control/household-control.ts';
import type { HouseholdControl, Place } from '../simulation/control/household-control.ts';
import type { Household } from '../simulation/household/household.ts';
import { ByteCache } from '../domain/caches/byte-cache.ts';
import { toKnownPlaces } from './known-places.ts';
import type { KnownPlaces } from './known-places.ts';
import { toHouseholdControl } from './asked-control.ts';
import type { HouseholdInterruptions } from './asked-control.ts';
import { bytesOfControl } from './control-bytes.ts';

/** A row of a household or of one of its devices. */
export interface ControlledRow {
  readonly org_id: string;
  readonly user_id: string;
  /** Null for a device that no fleet simulates, as are those that follow. */
  readonly household_index: number | null;
  readonly control_version: number | null;
  readonly household_created_at: Date | null;
  readonly attributes: unknown;
}

/**
 * What steers a household and what keeps it from being read, by its version; it can be copied to another thread. An expansion
 * that is dropped takes its households with it, and the next one makes others of the same indexes, whose versions begin anew.
 */
export interface VersionedControl {
  readonly version: number;
  /** When the household was created, in milliseconds since 1970. */
  readonly createdMs: number;
  readonly control: HouseholdControl;
  readonly interruptions: HouseholdInterruptions;
}

export const NOTHING_ASKED: VersionedControl = {
  version: 0,
  createdMs: 0,
  control: UNCONTROLLED,
  interruptions: {},
};

/** By organization and household. */
const cached = new ByteCache<VersionedControl>({
  maxBytes: 32 * 1_048_576,
  maxBytesOfPartner: 16 * 1_048_576,
});

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
    const found = findKept(org_id, index, { version, createdMs: createdMsOf(row) });
    if (found === undefined) missing.set(index, row);
    else known.set(index, found);
  }
  for (const batch of batchesOf([...missing.values()])) {
    for (const [index, control] of await readControls(db, batch)) {
      known.set(index, keep(batch[0]?.org_id ?? '', index, partnerId, control));
    }
  }
  return known;
}

/** A user whom no fleet simulates: where it has lived, and what was asked of its devices. */
export interface UserControl extends Pick<KnownPlaces, 'home' | 'known'> {
  readonly control: HouseholdControl;
}

/** What steers the devices of a user whom no fleet simulates; undefined when it was never known where the user lives. */
export async function loadUserControl(
  db: Db,
  { org_id: orgId, id, latitude, longitude }: Pick<UserRecord, 'org_id' | 'id' | 'latitude' | 'longitude'>,
): Promise<UserControl | undefined> {
  const revisions = await listEffectiveRevisions(db, orgId, [id]);
  const places = toKnownPlaces(await listEffectivePlaces(db, orgId, [id]), { latitude, longitude });
  if (places === undefined) return undefined;
  const { home, moves, known } = places;
  const isUntouched = revisions.length + moves.length === 0;
  return { home, known, control: isUntouched ? UNCONTROLLED : toHouseholdControl(revisions, moves, home) };
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
  const kept = findKept(orgId, index, sent) ?? keep(orgId, index, partnerId, sent);
  return kept.control;
}

const keyOf = (orgId: string, index: number): string => `${orgId} ${index}`;

const createdMsOf = ({ household_created_at: at }: ControlledRow): number => at?.getTime() ?? 0;

/** What is kept of a household, if it is of this version. */
function findKept(
  orgId: string,
  index: number,
  { version, createdMs }: Pick<VersionedControl, 'version' | 'createdMs'>,
): VersionedControl | undefined {
  const found = cached.find(keyOf(orgId, index));
  return found?.version === version && found.createdMs === createdMs ? found : undefined;
}

function keep(
  orgId: string,
  index: number,
  partnerId: string,
  versioned: VersionedControl,
): VersionedControl {
  cached.set(keyOf(orgId, index), versioned, partnerId, bytesOfControl(versioned));
  return versioned;
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
  return rows.flatMap((row) => {
    const { user_id, household_index: index, control_version: version, attributes } = row;
    if (index === null || version === null) return [];
    const { latitude, longitude } = attributes as Place;
    const interruptions = byType(held.get(index) ?? []);
    const home = { latitude, longitude };
    const asked = [revisions.get(user_id) ?? [], places.get(user_id) ?? []] as const;
    const control = toHouseholdControl(...asked, home, interruptions);
    return [[index, { version, createdMs: createdMsOf(row), control, interruptions }]];
  });
}

function byType(interruptions: readonly DeviceInterruption[]): HouseholdInterruptions {
  const types: { [Type in DeviceType]?: PackedInterruptions } = {};
  for (const [type, each] of Map.groupBy(interruptions, ({ deviceType }) => deviceType))
    types[type] = packInterruptions(each);
  return types;
}
