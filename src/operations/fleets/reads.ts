import type { Handler } from '../../contract/handlers.ts';
import type { FleetRecord } from '../../presenters/fleets.ts';
import type { Db } from '../../queries/connection/database.ts';
import { listFleetsPage } from '../../queries/fleets/fleets.ts';
import { buildSimulatorConfig } from '../../simulation/preview/config.ts';
import type { Context } from '../context.ts';
import { loadFleetRecords, presentFleetWithDevices, requireFleet } from './fleet-access.ts';

/** Fleets read at a time: a definition may have 40 kB, and each is parsed on the event loop. */
const PAGE_FLEETS = 10;

export const listFleets: Handler<Context, 'listFleets'> = ({ db, orgId }) =>
  Promise.resolve({ status: 200, body: streamFleets(db, orgId) });

/** Page by page, so that no other request waits for all definitions, and no connection is held while a client reads. */
async function* streamFleets(db: Db, orgId: string): AsyncIterable<FleetRecord> {
  let before: Parameters<typeof listFleetsPage>[2]['before'];
  for (;;) {
    const rows = await listFleetsPage(db, orgId, { before, limit: PAGE_FLEETS });
    for (const fleet of await loadFleetRecords(db, rows)) yield fleet;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_FLEETS) return;
    before = { createdAt: last.created_at, id: last.id };
  }
}

export const getFleetConfig: Handler<Context, 'getFleetConfig'> = async ({ simulatorFaults }) => ({
  status: 200,
  body: buildSimulatorConfig(simulatorFaults),
});

export const getFleet: Handler<Context, 'getFleet'> = async ({ db, orgId }, { path }) => ({
  status: 200,
  body: await presentFleetWithDevices(db, await requireFleet(db, orgId, path.job_id)),
});
