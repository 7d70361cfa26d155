import { QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import type { FleetPowers, HouseholdPowers } from '../operations/fleets/household-powers.ts';
import { listHouseholdPowers } from '../operations/fleets/household-powers.ts';
import { getSession } from './context.ts';
import { withFleet } from './fleet-access.ts';
import { readShownDay } from './fleet-day.ts';
import { homePath } from './home-paths.ts';
import type { LocalDay } from './local-days.ts';
import { toOperationContext } from './operations.ts';
import { giveWay } from './page-turns.ts';
import type { Scope } from './scopes.ts';
import { getScope } from './shell.ts';

/** Marks that a map shows at most; homes beyond them share cells. */
const MOST_PLACES = 1_000;
/** Cells a side of the box around the homes. */
const CELLS_A_SIDE = 31;
/** Powers are sent in 10 W, two bytes each. */
const WATTS_PER_UNIT = 10;
const MOST_UNITS = 32_767;
const UNKNOWN = -32_768;

/** Homes that one step looks through: what it takes is a millisecond or two, and behind it others have their turn. */
const HOMES_AT_ONCE = 1_000;

type GiveWay = () => Promise<void>;

/** Where homes stand: one, several at one place, or those of a cell. */
interface Place {
  /** Its position among all places. */
  readonly at: number;
  readonly firstUserId: string;
  homes: number;
  /** Of its homes together. */
  latitudes: number;
  longitudes: number;
}

/** All places, and that of each home in the order of the homes. */
interface Gathered {
  readonly places: readonly Place[];
  readonly placeOf: readonly Place[];
}

/** What each home of a fleet drew in the quarter hours of a day, as the map of its page shows it. */
export const sendFleetPowers = withFleet(async (context, request, response, fleet) => {
  const { orgId } = getSession(response);
  const zone = await context.reads.findTimeZone(fleet.simulation_org_id);
  const { day } = readShownDay(request, zone, context.clock());
  const operation = toOperationContext(context, response, 'getFleetData', orgId);
  const powers = await listHouseholdPowers(operation, { jobId: fleet.job_id, ...day });
  const described = await describePowers(powers, day, getScope(response), () => giveWay(context, response));
  response.json(described);
});

/**
 * `places` are [latitude, longitude, homes, path of the only home or null]; `powers` is base64 of 16-bit numbers in little-endian order,
 * mean power of a home from the grid in 10 W, for each quarter hour of the day one for each place; -32768 where nobody knows.
 */
export async function describePowers(
  { firstQuarter, households }: FleetPowers,
  day: LocalDay,
  scope: Scope,
  letOthersBy: GiveWay,
) {
  const gathered = await gatherPlaces(households, letOthersBy);
  const dayQuarter = Math.floor(day.from.getTime() / QUARTER_HOUR_MS);
  const quarters = Math.ceil((day.to.getTime() - day.from.getTime()) / QUARTER_HOUR_MS);
  const from = dayQuarter - firstQuarter;
  const units = await meanUnits(households, gathered, { from, quarters }, letOthersBy);
  await letOthersBy();
  return {
    places: gathered.places.map(({ latitudes, longitudes, homes, firstUserId }) => [
      meanOf(latitudes, homes),
      meanOf(longitudes, homes),
      homes,
      homes === 1 ? homePath(scope, firstUserId) : null,
    ]),
    powers: units.toString('base64'),
  };
}

/** The middle of homes; of one where it stands. */
function meanOf(sum: number, homes: number): number {
  return homes === 1 ? sum : Number((sum / homes).toFixed(6));
}

/** The mean of those homes of which it is known, all places of a quarter hour behind those of the one before. */
async function meanUnits(
  households: readonly HouseholdPowers[],
  { places, placeOf }: Gathered,
  { from, quarters }: { readonly from: number; readonly quarters: number },
  letOthersBy: GiveWay,
): Promise<Buffer> {
  const sums = new Float64Array(quarters * places.length);
  const known = new Uint32Array(sums.length);
  for await (const { first, homes } of inSteps(households, letOthersBy))
    for (const [at, { powers }] of homes.entries()) {
      let cell = placeOf[first + at]?.at ?? NaN;
      for (let quarter = from; quarter < from + quarters; quarter += 1, cell += places.length) {
        const power = powers[quarter] ?? NaN;
        if (Number.isNaN(power)) continue;
        sums[cell] = (sums[cell] ?? NaN) + power;
        known[cell] = (known[cell] ?? NaN) + 1;
      }
    }
  await letOthersBy();
  const bytes = Buffer.alloc(2 * sums.length);
  for (let cell = 0; cell < sums.length; cell += 1)
    bytes.writeInt16LE(toUnits(sums[cell] ?? NaN, known[cell] ?? 0), 2 * cell);
  return bytes;
}

function toUnits(sum: number, known: number): number {
  if (known === 0) return UNKNOWN;
  return Math.min(MOST_UNITS, Math.max(-MOST_UNITS, Math.round(sum / known / WATTS_PER_UNIT)));
}

async function gatherPlaces(households: readonly HouseholdPowers[], letOthersBy: GiveWay): Promise<Gathered> {
  const exact = await gatherBy(
    households,
    ({ latitude, longitude }) => `${latitude} ${longitude}`,
    letOthersBy,
    MOST_PLACES,
  );
  if (exact.places.length <= MOST_PLACES) return exact;
  const { south, north, west, east } = await findBox(households, letOthersBy);
  const cell = Math.max(north - south, east - west) / CELLS_A_SIDE;
  return gatherBy(
    households,
    ({ latitude, longitude }) =>
      `${Math.floor((latitude - south) / cell)} ${Math.floor((longitude - west) / cell)}`,
    letOthersBy,
  );
}

/** Homes by a key. It ends once there are more places than `most`. */
async function gatherBy(
  households: readonly HouseholdPowers[],
  keyOf: (household: HouseholdPowers) => string,
  letOthersBy: GiveWay,
  most = Infinity,
): Promise<Gathered> {
  const places = new Map<string, Place>();
  const placeOf: Place[] = [];
  for await (const { homes } of inSteps(households, letOthersBy)) {
    for (const home of homes) {
      const key = keyOf(home);
      const place = places.get(key) ?? newPlace(places.size, home);
      places.set(key, place);
      placeOf.push(place);
      place.homes += 1;
      place.latitudes += home.latitude;
      place.longitudes += home.longitude;
    }
    if (places.size > most) break;
  }
  return { places: [...places.values()], placeOf };
}

const newPlace = (at: number, { userId }: HouseholdPowers): Place => ({
  at,
  firstUserId: userId,
  homes: 0,
  latitudes: 0,
  longitudes: 0,
});

/** The homes in steps, with the position of the first one: others have their turn before each. */
async function* inSteps(households: readonly HouseholdPowers[], letOthersBy: GiveWay) {
  for (let first = 0; first < households.length; first += HOMES_AT_ONCE) {
    await letOthersBy();
    yield { first, homes: households.slice(first, first + HOMES_AT_ONCE) };
  }
}

/** The box around the homes. */
async function findBox(households: readonly HouseholdPowers[], letOthersBy: GiveWay) {
  const box = { south: Infinity, north: -Infinity, west: Infinity, east: -Infinity };
  for await (const { homes } of inSteps(households, letOthersBy))
    for (const { latitude, longitude } of homes) {
      box.south = Math.min(box.south, latitude);
      box.north = Math.max(box.north, latitude);
      box.west = Math.min(box.west, longitude);
      box.east = Math.max(box.east, longitude);
    }
  return box;
}
