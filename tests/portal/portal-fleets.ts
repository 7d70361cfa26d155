import { randomUUID } from 'node:crypto';
import { FleetRunner } from '../../src/fleets/runner.ts';
import { createFleet } from '../../src/operations/fleets/create.ts';
import type { Person, PortalSite } from './portal-site.ts';

/** A fleet of the site. */
export interface SiteFleet {
  readonly id: string;
  readonly simulationOrgId: string;
}

/** Creates a fleet as a person would through the API; it stays queued. */
export async function addQueuedFleet(
  { services, db }: PortalSite,
  { orgId, userId }: Person,
  definition: Readonly<Record<string, unknown>>,
): Promise<SiteFleet> {
  const { body } = await createFleet(
    {
      ...services,
      db,
      clock: () => new Date(),
      now: new Date(),
      requestId: randomUUID(),
      actor: {
        applicationId: '',
        tokenDigest: '',
        userId,
        orgId,
        partnerId: orgId,
        role: 'admin',
        scope: 'read write',
      },
      orgId,
    },
    {
      bytes: Buffer.from(JSON.stringify({ request_id: randomUUID(), ...definition })),
      errors: [],
      hasTurn: true,
    },
  );
  const fleet = body as { readonly job_id: string; readonly simulation_org_id: string };
  return { id: fleet.job_id, simulationOrgId: fleet.simulation_org_id };
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
