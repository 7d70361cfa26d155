import { QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import type { FleetPowers, HouseholdPowers } from '../operations/fleets/household-powers.ts';
import { listHouseholdPowers } from '../operations/fleets/household-powers.ts';
import { getSession } from './context.ts';
import { withFleet } from './fleet-access.ts';
import { readShownDay } from './fleet-day.ts';
import { homePath } from './home-paths.ts';
import type { LocalDay } from './local-days.ts';
import { toOperationContext } from './operations.ts';
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

/** Where homes stand: one, several at one place, or those of a cell. */
interface Place {
  readonly latitude: number;
  readonly longitude: number;
  readonly homes: readonly HouseholdPowers[];
}

/** What each home of a fleet drew in the quarter hours of a day, as the map of its page shows it. */
export const sendFleetPowers = withFleet(async (context, request, response, fleet) => {
  const { orgId } = getSession(response);
  const zone = await context.reads.findTimeZone(fleet.simulation_org_id);
  const { day } = readShownDay(request, zone, context.clock());
  const operation = toOperationContext(context, response, 'getFleetData', orgId);
  const powers = await listHouseholdPowers(operation, { jobId: fleet.job_id, ...day });
  response.json(describePowers(powers, day, getScope(response)));
});

/**
 * `places` are [latitude, longitude, homes, path of the only home or null]; `powers` is base64 of 16-bit numbers in little-endian order,
 * mean power of a home from the grid in 10 W, for each quarter hour of the day one for each place; -32768 where nobody knows.
 */
export function describePowers({ firstQuarter, households }: FleetPowers, day: LocalDay, scope: Scope) {
  const places = gatherPlaces(households);
  const dayQuarter = Math.floor(day.from.getTime() / QUARTER_HOUR_MS);
  const quarters = Math.ceil((day.to.getTime() - day.from.getTime()) / QUARTER_HOUR_MS);
  const bytes = Buffer.alloc(2 * quarters * places.length);
  for (let quarter = 0; quarter < quarters; quarter += 1) {
    for (const [at, { homes }] of places.entries()) {
      const units = meanUnits(homes, dayQuarter + quarter - firstQuarter);
      bytes.writeInt16LE(units, 2 * (quarter * places.length + at));
    }
  }
  return {
    places: places.map(({ latitude, longitude, homes }) => [
      latitude,
      longitude,
      homes.length,
      homes.length === 1 && homes[0] !== undefined ? homePath(scope, homes[0].userId) : null,
    ]),
    powers: bytes.toString('base64'),
  };
}

/** Of those homes of which it is known. */
function meanUnits(homes: readonly HouseholdPowers[], quarter: number): number {
  let [sum, known] = [0, 0];
  for (const { powers } of homes) {
    const power = powers[quarter] ?? NaN;
    if (Number.isNaN(power)) continue;
    sum += power;
    known += 1;
  }
  if (known === 0) return UNKNOWN;
  return Math.min(MOST_UNITS, Math.max(-MOST_UNITS, Math.round(sum / known / WATTS_PER_UNIT)));
}

function gatherPlaces(households: readonly HouseholdPowers[]): readonly Place[] {
  const places = gatherBy(households, ({ latitude, longitude }) => `${latitude} ${longitude}`);
  if (places.length <= MOST_PLACES) return places;
  const [south, north] = rangeOf(households, 'latitude');
  const [west, east] = rangeOf(households, 'longitude');
  const cell = Math.max(north - south, east - west) / CELLS_A_SIDE;
  return gatherBy(
    households,
    ({ latitude, longitude }) =>
      `${Math.floor((latitude - south) / cell)} ${Math.floor((longitude - west) / cell)}`,
  );
}

/** Homes by a key, each place in the middle of its homes. */
function gatherBy(
  households: readonly HouseholdPowers[],
  keyOf: (household: HouseholdPowers) => string,
): readonly Place[] {
  const mean = (homes: readonly HouseholdPowers[], name: 'latitude' | 'longitude'): number =>
    homes.length === 1 && homes[0] !== undefined
      ? homes[0][name]
      : Number((homes.reduce((sum, home) => sum + home[name], 0) / homes.length).toFixed(6));
  return [...Map.groupBy(households, keyOf).values()].map((homes) => ({
    latitude: mean(homes, 'latitude'),
    longitude: mean(homes, 'longitude'),
    homes,
  }));
}

function rangeOf(households: readonly HouseholdPowers[], name: 'latitude' | 'longitude'): [number, number] {
  let [least, most] = [Infinity, -Infinity];
  for (const household of households) {
    least = Math.min(least, household[name]);
    most = Math.max(most, household[name]);
  }
  return [least, most];
}
