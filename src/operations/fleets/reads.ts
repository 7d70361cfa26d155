import type { Handler } from '../../contract/handlers.ts';
import { listFleets as listFleetRows } from '../../queries/fleets/fleets.ts';
import { buildSimulatorConfig } from '../../simulation/preview/config.ts';
import type { Context } from '../context.ts';
import { loadFleetRecords, presentFleetWithDevices, requireFleet } from './fleet-access.ts';

export const listFleets: Handler<Context, 'listFleets'> = async ({ db, orgId }) => ({
  status: 200,
  body: await loadFleetRecords(db, await listFleetRows(db, orgId)),
});

export const getFleetConfig: Handler<Context, 'getFleetConfig'> = async ({ simulatorFaults }) => ({
  status: 200,
  body: buildSimulatorConfig(simulatorFaults),
});

export const getFleet: Handler<Context, 'getFleet'> = async ({ db, orgId }, { path }) => ({
  status: 200,
  body: await presentFleetWithDevices(db, await requireFleet(db, orgId, path.job_id)),
});
