import { requireWithinQuota } from '../../accounts/quotas.ts';
import type { Handler } from '../../contract/handlers.ts';
import { DAY_MS } from '../../domain/api/durations.ts';
import { FLEET_LIMITS, REQUEST_MEMORY_DAYS } from '../../domain/fleets/fleet-limits.ts';
import { nextFleetStep } from '../../domain/fleets/fleet-states.ts';
import type { FleetOperation, FleetStatus } from '../../domain/fleets/fleet-states.ts';
import { Problem, validationProblem } from '../../domain/api/problem.ts';
import type { FieldError } from '../../domain/api/problem.ts';
import type { Tx } from '../../queries/connection/database.ts';
import { inTransaction, isTransaction } from '../../queries/connection/in-transaction.ts';
import type { CancelledDeliveries } from '../../queries/deliveries/deliveries.ts';
import { REMOVAL_BATCH_SIZE, deleteLeftUsers } from '../../queries/fleets/fleet-removal.ts';
import { findFleetRequest } from '../../queries/fleets/fleet-requests.ts';
import {
  notifyFleetRunners,
  cancelPlannedChanges,
  lockFleet,
  updateFleet,
} from '../../queries/fleets/fleets.ts';
import type { Fleet, FleetChange } from '../../queries/fleets/fleets.ts';
import { deleteHouseholdsFrom } from '../../queries/fleets/households.ts';
import { softDeleteWebhooksOfOrganization } from '../../queries/deliveries/webhook-changes.ts';
import { stringifyWithSortedKeys } from '../../simulation/definition/definition-record.ts';
import {
  parseStoredDefinition,
  withHouseholdsAdded,
  withoutLastExpansion,
} from '../../simulation/definition/stored-definition.ts';
import { quotaScope } from '../context.ts';
import type { Context } from '../context.ts';
import { fleetKeyOf, goneOrNotFound, presentFleetWithDevices, requireLockedFleet } from './fleet-access.ts';
import { claimRequestId, hashRequestBody, requireFirstAnswer } from './fleet-requests.ts';
import type { FleetRecord } from '../../presenters/fleets.ts';

/** Batches that a request for a clean-up removes itself, of some 20 ms each; fleet runners do the rest. */
const CLEANUP_BATCHES = 100;

export const expandFleet: Handler<Context, 'expandFleet'> = async (context, { path, body }) => {
  const expanded = await inTransaction(context.db, async (tx) => {
    const request = { id: body.request_id.toLowerCase(), count: body.count };
    const fleet = await lockFleet(tx, fleetKeyOf(context.orgId, path.job_id));
    if (fleet === undefined)
      throw await goneOrNotFound(tx, context.orgId, path.job_id, { operation: 'expand', id: request.id });
    return expand(tx, context, fleet, request);
  });
  context.wakeFleets();
  return { status: 200, body: expanded };
};

export const stopFleet: Handler<Context, 'stopFleet'> = async (context, { path }) => {
  const body = await transition(context, path.job_id, 'stop', async (tx, fleet, status) => {
    await cancelPlannedChanges(tx, fleet);
    return updateFleet(tx, fleet, {
      ...(await dropUnfinishedExpansion(tx, fleet)),
      status,
      stopped_at: context.now,
    });
  });
  return { status: 200, body };
};

export const cancelFleet: Handler<Context, 'cancelFleet'> = async (context, { path }) => {
  const body = await transition(context, path.job_id, 'cancel', async (tx, fleet, status) => {
    const dropped = await dropUnfinishedExpansion(tx, fleet);
    if (status !== 'cancelled') return updateFleet(tx, fleet, { ...dropped, status });
    await cancelPlannedChanges(tx, fleet);
    return updateFleet(tx, fleet, { ...dropped, status, stopped_at: context.now });
  });
  return { status: 200, body };
};

export const cleanupFleet: Handler<Context, 'cleanupFleet'> = async (context, { path }) => {
  const body = await transition(context, path.job_id, 'cleanup', (tx, fleet, status) =>
    updateFleet(tx, fleet, { status, has_users_to_remove: true, has_checkpoints_to_remove: true }),
  );
  const fleet = fleetKeyOf(context.orgId, body.job_id);
  // A longer transaction would hold what it removes to its end: then runners do it all.
  const batches = isTransaction(context.db) ? 0 : CLEANUP_BATCHES;
  let isLeft = true;
  for (let batch = 0; isLeft && batch < batches; batch += 1)
    isLeft = await deleteLeftUsers(context.db, REMOVAL_BATCH_SIZE, fleet);
  if (isLeft) context.wakeFleets();
  return { status: 200, body };
};

export const purgeFleet: Handler<Context, 'purgeFleet'> = async (context, { path }) => {
  let dropped: CancelledDeliveries | undefined;
  const { job_id } = await transition(context, path.job_id, 'purge', async (tx, fleet, status) => {
    const purging = await updateFleet(tx, fleet, { status });
    dropped = await softDeleteWebhooksOfOrganization(tx, fleet.simulation_org_id, context.now);
    await notifyFleetRunners(tx);
    return purging;
  });
  if (dropped !== undefined) context.countCancelled(dropped.reason, dropped.count);
  context.wakeFleets();
  return { status: 200, body: { job_id, status: 'purging' } };
};

/** One operation at a time on a fleet: what the second finds is what the first has left. */
async function transition(
  { db, orgId }: Context,
  jobId: string,
  operation: FleetOperation,
  apply: (tx: Tx, fleet: Fleet, to: FleetStatus) => Promise<Fleet>,
): Promise<FleetRecord> {
  return inTransaction(db, async (tx) => {
    const fleet = await requireLockedFleet(tx, orgId, jobId);
    const to = requireNextStatus(operation, fleet.status);
    return presentFleetWithDevices(tx, to === undefined ? fleet : await apply(tx, fleet, to));
  });
}

/** Where the operation leads; undefined when nothing is left to do; 409 where it is not possible. */
function requireNextStatus(operation: FleetOperation, status: FleetStatus): FleetStatus | undefined {
  const step = nextFleetStep(operation, status);
  switch (step.kind) {
    case 'change':
      return step.to;
    case 'nothing':
      return undefined;
    case 'conflict': {
      const detail = `The fleet is ${status}; ${operation} is possible when it is ${step.allowed.join(' or ')}.`;
      throw new Problem('fleet_state_conflict', detail);
    }
  }
}

/** Deletes the households of an unfinished expansion; a fleet that is still provisioning has no earlier size to return to. */
async function dropUnfinishedExpansion(tx: Tx, fleet: Fleet): Promise<Omit<FleetChange, 'status'>> {
  if (fleet.status !== 'expanding') return {};
  await deleteHouseholdsFrom(tx, fleet.simulation_org_id, fleet.settled_count);
  return {
    household_count: fleet.settled_count,
    created_count: fleet.settled_count,
    definition: withoutLastExpansion(parseStoredDefinition(fleet.definition)),
  };
}

/** fleet_too_large when so many more would be more than a fleet may have. */
export function validateExpansion(fleet: Fleet, count: number): FieldError[] {
  if (fleet.household_count + count <= FLEET_LIMITS.households_max) return [];
  const detail = `The fleet has ${fleet.household_count} households; with ${count} more it would exceed ${FLEET_LIMITS.households_max}.`;
  return [{ pointer: '/count', code: 'fleet_too_large', detail }];
}

async function expand(
  tx: Tx,
  context: Context,
  fleet: Fleet,
  { id: requestId, count }: { readonly id: string; readonly count: number },
): Promise<FleetRecord> {
  const { orgId, now } = context;
  const body_hash = hashRequestBody(
    stringifyWithSortedKeys({ job_id: fleet.id, request_id: requestId, count }),
  );
  // A repeat is answered whatever has become of the fleet since.
  const first = await findFleetRequest(tx, orgId, 'expand', requestId);
  if (first !== undefined) return requireFirstAnswer(first, body_hash) as FleetRecord;
  const errors = validateExpansion(fleet, count);
  if (errors.length > 0) throw validationProblem(errors);
  const status = requireNextStatus('expand', fleet.status) ?? fleet.status;
  await requireWithinQuota(tx, quotaScope(context), 'households', count);
  const expanding = await updateFleet(tx, fleet, {
    status,
    settled_count: fleet.household_count,
    household_count: fleet.household_count + count,
    error: null,
    definition: withHouseholdsAdded(parseStoredDefinition(fleet.definition), count),
  });
  const response = await presentFleetWithDevices(tx, expanding);
  const forget_at = new Date(now.getTime() + REQUEST_MEMORY_DAYS * DAY_MS);
  const request = { org_id: orgId, operation: 'expand', request_id: requestId, fleet_id: fleet.id } as const;
  const claimed = { ...request, body_hash, response, created_at: now, forget_at };
  const taken = await claimRequestId(tx, quotaScope(context), claimed);
  if (taken !== undefined) return taken;
  await notifyFleetRunners(tx);
  return response;
}
