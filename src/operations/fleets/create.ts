import type { components } from '../../../generated/openapi.ts';
import type { Handler } from '../../contract/handlers.ts';
import { validationProblem, Problem } from '../../domain/api/problem.ts';
import type { Tx } from '../../queries/connection/database.ts';
import { findFleetRequest } from '../../queries/fleets/fleet-requests.ts';
import { insertFleet, notifyFleetRunners } from '../../queries/fleets/fleets.ts';
import type { Fleet } from '../../queries/fleets/fleets.ts';
import { findOrganization, insertOrganization } from '../../queries/accounts/organizations.ts';
import {
  canonicalDefinitionJson,
  computeHistoryWindow,
} from '../../simulation/definition/definition-record.ts';
import { resolveDefinition } from '../../simulation/definition/resolve-definition.ts';
import type { ResolvedDefinition } from '../../simulation/definition/resolve-definition.ts';
import { MODEL_VERSION } from '../../simulation/household/household.ts';
import { deriveFleetId, deriveSimulationOrgId } from '../../simulation/household/identity.ts';
import { toStoredDefinition } from '../../simulation/definition/stored-definition.ts';
import { previewFleet as preview } from '../../simulation/preview/preview.ts';
import type { Context } from '../context.ts';
import { presentFleet } from './fleet-access.ts';
import type { FleetRecord } from '../../presenters/fleets.ts';
import { claimRequestId, hashRequestBody, requireFirstAnswer } from '../../households/fleet-requests.ts';

type Definition = components['schemas']['FleetDefinition'];

export const createFleet: Handler<Context, 'createFleet'> = async (context, { body }) => {
  const resolved = requireResolved(context, body);
  await requireNoNesting(context);
  const fleet = prepareFleet(context, resolved);
  const created = await context.db.transaction().execute((tx) => insertFleetOnce(tx, fleet));
  context.wakeFleets();
  return { status: 200, body: created };
};

export const previewFleet: Handler<Context, 'previewFleet'> = async (context, { body }) => {
  const resolved = requireResolved(context, body);
  await requireNoNesting(context);
  const { request_id } = resolved.definition;
  const used = await findFleetRequest(context.db, context.orgId, 'create', request_id);
  // What creation would refuse is refused here too; the fleet itself is shown whether it exists or not.
  if (used !== undefined)
    requireFirstAnswer(used, hashRequestBody(canonicalDefinitionJson(resolved.definition)));
  return { status: 200, body: preview(context.orgId, resolved, context.now) };
};

function requireResolved({ now }: Context, body: Definition): ResolvedDefinition {
  const resolution = resolveDefinition(body, now);
  if (!resolution.ok) throw validationProblem(resolution.errors);
  return resolution;
}

async function requireNoNesting({ db, orgId }: Context): Promise<void> {
  const organization = await findOrganization(db, orgId);
  if (organization?.kind !== 'simulation') return;
  throw new Problem('fleet_nesting_forbidden', 'A simulation organization cannot hold fleets of its own.');
}

interface NewFleet {
  readonly fleet: Fleet;
  /** A byte for each cell; null without a density. */
  readonly weights: Uint8Array | null;
  readonly bodyHash: Buffer;
}

/** What creation writes, worked out before a transaction is open: a large density takes its time. */
function prepareFleet({ orgId, now }: Context, { definition, density }: ResolvedDefinition): NewFleet {
  const id = deriveFleetId(orgId, definition.request_id);
  const history = computeHistoryWindow(definition, now);
  const fleet: Fleet = {
    org_id: orgId,
    id,
    request_id: definition.request_id,
    name: definition.name,
    status: 'queued',
    simulation_org_id: deriveSimulationOrgId(id),
    seed: definition.seed,
    model_version: MODEL_VERSION,
    household_count: definition.count,
    created_count: 0,
    settled_count: 0,
    definition: toStoredDefinition(definition),
    history_from: history.from,
    history_to: history.to,
    error: null,
    created_at: now,
    started_at: null,
    stopped_at: null,
  };
  return {
    fleet,
    weights: density?.weights ?? null,
    bodyHash: hashRequestBody(canonicalDefinitionJson(definition)),
  };
}

/** Reserves the simulation organization and writes fleet and request in one go, or repeats the first answer. */
async function insertFleetOnce(tx: Tx, { fleet, weights, bodyHash }: NewFleet): Promise<FleetRecord> {
  const response = presentFleet(fleet);
  const first = await claimRequestId(tx, {
    org_id: fleet.org_id,
    operation: 'create',
    request_id: fleet.request_id,
    fleet_id: fleet.id,
    body_hash: bodyHash,
    response,
    created_at: fleet.created_at,
  });
  if (first !== undefined) return first;
  await insertOrganization(tx, {
    id: fleet.simulation_org_id,
    name: fleet.name,
    kind: 'simulation',
    parentOrgId: fleet.org_id,
    createdAt: fleet.created_at,
  });
  await insertFleet(tx, fleet, weights);
  await notifyFleetRunners(tx);
  return response;
}
