import type { components } from '../../../generated/openapi.ts';
import type { Handler } from '../../contract/handlers.ts';
import { PAGE_SIZE, formatLinkHeader, numberedPageRelations } from '../../domain/api/page-links.ts';
import { notFoundProblem } from '../../domain/api/problem.ts';
import { computeDeviceStates } from '../../households/device-states.ts';
import { findStoredHousehold } from '../../households/stored-households.ts';
import { toDevice } from '../../presenters/devices.ts';
import {
  countMatchingDevices,
  findSimulatedInverter,
  listFleetDevices as listDeviceRows,
} from '../../queries/fleets/devices.ts';
import type { SimulatedInverter } from '../../queries/fleets/devices.ts';
import { findFleetBySimulationOrg } from '../../queries/fleets/fleets.ts';
import type { Fleet } from '../../queries/fleets/fleets.ts';
import { listHouseholdLocations } from '../../queries/fleets/households.ts';
import type { HouseholdLocationRow } from '../../queries/fleets/households.ts';
import { fixedLocationOf } from '../../simulation/definition/household-location.ts';
import { parseStoredDefinition } from '../../simulation/definition/stored-definition.ts';
import type { Context } from '../context.ts';
import { requireFleet } from './fleet-access.ts';

type Location = components['schemas']['HouseholdLocation'];

/** Rows that one query of a streamed list reads; no connection is held while the client reads them. */
const STREAM_ROWS = 200;

export const listFleetDevices: Handler<Context, 'listFleetDevices'> = async (context, { path, query }) => {
  const { db, orgId, baseUrl } = context;
  const fleet = await requireFleet(db, orgId, path.job_id);
  const { page = 1, group, device_type: deviceType } = query;
  const filter = { group, deviceType };
  // What is left of those of a cleaned fleet is being removed.
  const total =
    fleet.status === 'cleaned' ? 0 : await countMatchingDevices(db, fleet.simulation_org_id, filter);
  const offset = (page - 1) * PAGE_SIZE;
  const rows =
    offset < total
      ? await listDeviceRows(db, fleet.simulation_org_id, filter, { limit: PAGE_SIZE, offset })
      : [];
  const devices = await computeDeviceStates(context, rows);
  const items = devices.map(({ row, state, at }) => toDevice(row, state, at));
  const url = `${baseUrl}/api/partners/v2.0/org/${orgId}/device-simulator/fleets/${fleet.id}/devices`;
  const relations = numberedPageRelations(page, PAGE_SIZE, total);
  return {
    status: 200,
    headers: { Link: formatLinkHeader(url, query, relations) },
    body: { items, total, page, page_size: PAGE_SIZE },
  };
};

export const listFleetLocations: Handler<Context, 'listFleetLocations'> = async (context, { path }) => {
  const fleet = await requireFleet(context.db, context.orgId, path.job_id);
  return { status: 200, body: streamLocations(context, fleet) };
};

/**
 * Page by page: households that are added meanwhile are listed, since they come last. A household without a location of
 * its own reports the fleet's pair, as the document says.
 */
async function* streamLocations({ db }: Context, fleet: Fleet): AsyncIterable<Location> {
  const { definition } = parseStoredDefinition(fleet.definition);
  const ofFleet = fixedLocationOf(definition);
  let after = -1;
  for (;;) {
    const rows = await listHouseholdLocations(db, fleet.simulation_org_id, { after, limit: STREAM_ROWS });
    for (const row of rows) yield toLocation(row, ofFleet);
    const last = rows.at(-1);
    if (last === undefined || rows.length < STREAM_ROWS) return;
    after = last.household_index;
  }
}

function toLocation(
  row: HouseholdLocationRow,
  ofFleet: Pick<Location, 'latitude' | 'longitude' | 'source'>,
): Location {
  return {
    household_id: row.household_id,
    index: row.household_index,
    user_id: row.user_id,
    group: row.group_name,
    latitude: row.latitude ?? ofFleet.latitude,
    longitude: row.longitude ?? ofFleet.longitude,
    source: row.location_source ?? ofFleet.source,
  };
}

export const getInverterSimulatorLocation: Handler<Context, 'getInverterSimulatorLocation'> = async (
  { db, orgId, actor },
  { path },
) => {
  const inverter = await requireInverter(db, orgId, path);
  const fleet = await findFleetBySimulationOrg(db, orgId);
  const household = findStoredHousehold(inverter, actor.partnerId);
  if (fleet === undefined || household === undefined) throw notFoundProblem('simulated inverter');
  const { latitude, longitude, country, time_zone, location_source: source } = household;
  const location = { latitude, longitude, country, time_zone, source };
  return {
    status: 200,
    body: { user_id: inverter.user_id, inverter_id: inverter.id, job_id: fleet.id, ...location },
  };
};

interface InverterPath {
  readonly user_id: string;
  readonly inverter_id: string;
}

/** 404 unless the path names a simulated inverter of a user who is not deleted. */
export async function checkSimulatedInverterExists(
  { db, orgId }: Context,
  path: InverterPath,
): Promise<void> {
  await requireInverter(db, orgId, path);
}

async function requireInverter(
  db: Context['db'],
  orgId: string,
  path: InverterPath,
): Promise<SimulatedInverter> {
  const inverter = await findSimulatedInverter(db, orgId, path.user_id, path.inverter_id);
  if (inverter === undefined) throw notFoundProblem('simulated inverter');
  return inverter;
}
