import { randomUUID } from 'node:crypto';
import { toJsonBytes } from '../../src/contract/json-bytes.ts';
import { FleetRunner } from '../../src/fleets/runner.ts';
import type { BytesRequest } from '../../src/contract/handlers.ts';
import type { DeviceType } from '../../src/domain/fleets/devices.ts';
import type { Context } from '../../src/operations/context.ts';
import { createFleet } from '../../src/operations/fleets/create.ts';
import { uploadDayAheadPrices } from '../../src/operations/trading.ts';
import type { Person, PortalSite } from './portal-site.ts';

/** A fleet of the site. */
export interface SiteFleet {
  readonly id: string;
  readonly simulationOrgId: string;
}

/** Creates a fleet as a person would through the API; it stays queued. */
export async function addQueuedFleet(
  site: PortalSite,
  person: Person,
  definition: Readonly<Record<string, unknown>>,
): Promise<SiteFleet> {
  const { body } = await createFleet(
    toContext(site, person),
    toBytes({ request_id: randomUUID(), ...definition }),
  );
  const fleet = body as { readonly job_id: string; readonly simulation_org_id: string };
  return { id: fleet.job_id, simulationOrgId: fleet.simulation_org_id };
}

/** How the paths of devices begin, by type. */
export const SEGMENTS: Readonly<Record<DeviceType, string>> = {
  electric_vehicle: 'electric-vehicles',
  heat_pump: 'heat-pumps',
  inverter: 'inverters',
  wallbox: 'wallboxes',
};

/** A home with a heat pump, and its devices by type. */
export interface SiteHome {
  readonly fleet: SiteFleet;
  readonly userId: string;
  readonly devices: ReadonlyMap<DeviceType, string>;
}

/** Builds a small fleet in which each home has a car, and takes a home of it. */
export async function addHome(site: PortalSite, person: Person): Promise<SiteHome> {
  const place = { latitude: 48.2, longitude: 16.4 };
  const fleet = await addQueuedFleet(site, person, {
    count: 8,
    history_days: 3,
    ...place,
    ev_ownership_fraction: 1,
  });
  await buildFleets(site);
  const rows = await site.db
    .selectFrom('devices')
    .select(['id', 'user_id', 'device_type'])
    .where('org_id', '=', fleet.simulationOrgId)
    .execute();
  const userId = rows.find(({ device_type: type }) => type === 'heat_pump')?.user_id ?? '';
  const own = rows.filter(({ user_id: id }) => id === userId);
  return { fleet, userId, devices: new Map(own.map(({ device_type: type, id }) => [type, id])) };
}

/** Uploads day-ahead prices, EUR/MWh, each for the hour that begins at its instant. */
export async function addPrices(
  site: PortalSite,
  person: Person,
  prices: ReadonlyMap<Date, number>,
): Promise<void> {
  const data = [...prices].map(([at, price]) => ({ timestamp: at.toISOString(), price }));
  await uploadDayAheadPrices(toContext(site, person), toBytes({ data }));
}

function toContext({ services, db, now }: PortalSite, { orgId, userId }: Person): Context {
  const token = { applicationId: '', tokenDigest: '', scope: 'read write' };
  return {
    ...services,
    db,
    clock: now,
    now: now(),
    requestId: randomUUID(),
    actor: { ...token, userId, orgId, partnerId: orgId, role: 'admin' },
    orgId,
  };
}

function toBytes(body: unknown): BytesRequest {
  return { pieces: [toJsonBytes(body)], errors: [], hasTurn: true };
}

/** Does all work that fleets wait for. */
export async function buildFleets({ db, now }: PortalSite): Promise<void> {
  const errors: unknown[] = [];
  const runner = new FleetRunner({
    db,
    now,
    simulatorFaults: false,
    wakeDispatcher: () => {},
    onError: (error) => errors.push(error),
  });
  await runner.processAll();
  await runner.destroy();
  if (errors.length > 0) throw new AggregateError(errors, 'Fleets could not be built.');
}
