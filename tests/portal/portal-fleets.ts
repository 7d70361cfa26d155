import { randomUUID } from 'node:crypto';
import { FleetRunner } from '../../src/fleets/runner.ts';
import type { BytesRequest } from '../../src/contract/handlers.ts';
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

/** Uploads day-ahead prices, EUR/MWh, each for the hour that begins at its instant. */
export async function addPrices(
  site: PortalSite,
  person: Person,
  prices: ReadonlyMap<Date, number>,
): Promise<void> {
  const data = [...prices].map(([at, price]) => ({ timestamp: at.toISOString(), price }));
  await uploadDayAheadPrices(toContext(site, person), toBytes({ data }));
}

function toContext({ services, db }: PortalSite, { orgId, userId }: Person): Context {
  const token = { applicationId: '', tokenDigest: '', scope: 'read write' };
  return {
    ...services,
    db,
    clock: () => new Date(),
    now: new Date(),
    requestId: randomUUID(),
    actor: { ...token, userId, orgId, partnerId: orgId, role: 'admin' },
    orgId,
  };
}

function toBytes(body: unknown): BytesRequest {
  return { bytes: Buffer.from(JSON.stringify(body)), errors: [], hasTurn: true };
}

/** Does all work that fleets wait for. */
export async function buildFleets({ db }: PortalSite): Promise<void> {
  const errors: unknown[] = [];
  const runner = new FleetRunner({
    db,
    now: () => new Date(),
    simulatorFaults: false,
    wakeDispatcher: () => {},
    onError: (error) => errors.push(error),
  });
  await runner.processAll();
  await runner.destroy();
  if (errors.length > 0) throw new AggregateError(errors, 'Fleets could not be built.');
}
