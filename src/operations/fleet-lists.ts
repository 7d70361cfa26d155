import type { components } from '../../generated/openapi.ts';
import type { Handler } from '../contract/handlers.ts';
import { formatLinkHeader, numberedPageRelations } from '../domain/api/page-links.ts';
import { notFoundProblem } from '../domain/api/problem.ts';
import {
  countMatchingDevices,
  findSimulatedInverter,
  listFleetDevices as listDeviceRows,
} from '../queries/fleets/devices.ts';
import type { SimulatedInverter } from '../queries/fleets/devices.ts';
import { findFleetBySimulationOrg } from '../queries/fleets/fleets.ts';
import type { Fleet } from '../queries/fleets/fleets.ts';
import { streamHouseholdLocations } from '../queries/fleets/households.ts';
import type { HouseholdLocationRow } from '../queries/fleets/households.ts';
import type { Household } from '../simulation/household/household.ts';
import { splitSeed } from '../simulation/kernel/noise.ts';
import { createLocationLookup } from '../simulation/definition/household-location.ts';
import type { HouseholdLocation } from '../simulation/definition/household-location.ts';
import type { Context } from './context.ts';
import { toDevices } from '../presenters/devices.ts';
import { storedDefinitionOf, requireFleet } from '../presenters/fleets.ts';

type Location = components['schemas']['HouseholdLocation'];

/** Devices on a full page. */
const PAGE_SIZE = 50;

export const listFleetDevices: Handler<Context, 'listFleetDevices'> = async (context, { path, query }) => {
  const { db } = context;
  const fleet = await requireFleet(context, path.job_id);
  const { page = 1, group, device_type: deviceType } = query;
  const filter = { group, deviceType };
  const total = await countMatchingDevices(db, fleet.simulation_org_id, filter);
  const offset = (page - 1) * PAGE_SIZE;
  const rows =
    offset < total
      ? await listDeviceRows(db, fleet.simulation_org_id, filter, { limit: PAGE_SIZE, offset })
      : [];
  const list = `/api/partners/v2.0/org/${context.orgId}/device-simulator/fleets/${fleet.id}/devices`;
  const relations = numberedPageRelations(page, PAGE_SIZE, total);
  return {
    status: 200,
    headers: { Link: formatLinkHeader(context.baseUrl + list, query, relations) },
    body: { items: await toDevices(context, rows), total, page, page_size: PAGE_SIZE },
  };
};

export const listFleetLocations: Handler<Context, 'listFleetLocations'> = async (context, { path }) => {
  const fleet = await requireFleet(context, path.job_id);
  return { status: 200, body: locations(context, fleet) };
};

async function* locations({ db }: Context, fleet: Fleet): AsyncIterable<Location> {
  const own = placeOfFleet(fleet);
  for await (const row of streamHouseholdLocations(db, fleet.simulation_org_id)) yield toLocation(row, own);
}

function toLocation(row: HouseholdLocationRow, fleet: HouseholdLocation): Location {
  const { latitude, longitude, source } = placeOr(row, fleet);
  return {
    household_id: row.household_id,
    index: row.household_index,
    user_id: row.user_id,
    group: row.group_name,
    latitude,
    longitude,
    source,
  };
}

export const getInverterSimulatorLocation: Handler<Context, 'getInverterSimulatorLocation'> = async (
  context,
  { path },
) => {
  const { db, orgId } = context;
  const inverter = await requireInverter(context, path);
  const fleet = await findFleetBySimulationOrg(db, orgId);
  if (fleet === undefined) throw notFoundProblem('simulated inverter');
  const { latitude, longitude, source } = placeOr(inverter, placeOfFleet(fleet));
  const { country, time_zone } = zoneOf(inverter, fleet);
  const at = { latitude, longitude, country, time_zone, source };
  return {
    status: 200,
    body: { user_id: inverter.user_id, inverter_id: inverter.id, job_id: fleet.id, ...at },
  };
};

interface InverterPath {
  readonly user_id: string;
  readonly inverter_id: string;
}

/** 404 unless the path names a simulated inverter of a live user. */
export async function checkSimulatedInverterExists(context: Context, path: InverterPath): Promise<void> {
  await requireInverter(context, path);
}

async function requireInverter({ db, orgId }: Context, path: InverterPath): Promise<SimulatedInverter> {
  const inverter = await findSimulatedInverter(db, orgId, path.user_id, path.inverter_id);
  if (inverter === undefined) throw notFoundProblem('simulated inverter');
  return inverter;
}

/** The fleet's fixed pair of coordinates, or the simulator's default. */
function placeOfFleet(fleet: Fleet): HouseholdLocation {
  return createLocationLookup(storedDefinitionOf(fleet).definition, null, splitSeed(fleet.seed))(0);
}

/** A household that was reserved before locations were kept stands at the fleet's own place. */
function placeOr(
  row: Pick<HouseholdLocationRow, 'latitude' | 'longitude' | 'location_source'>,
  fleet: HouseholdLocation,
): Pick<HouseholdLocation, 'latitude' | 'longitude' | 'source'> {
  const { latitude, longitude, location_source } = row;
  if (latitude === null || longitude === null) return fleet;
  return { latitude, longitude, source: location_source ?? fleet.source };
}

function zoneOf(inverter: SimulatedInverter, fleet: Fleet): Pick<HouseholdLocation, 'country' | 'time_zone'> {
  return inverter.latitude === null ? placeOfFleet(fleet) : (inverter.attributes as Household);
}
