import { checkQuota, requireWithinQuota } from '../../accounts/quotas.ts';
import type { QuotaScope } from '../../accounts/quotas.ts';
import { readNewFleet as computeNewFleet } from '../../compute/fleet-definition.ts';
import { INLINE_BODY_BYTES } from '../../compute/inline.ts';
import type { JobOutput } from '../../compute/jobs.ts';
import { countBytes, joinPieces } from '../../contract/body-pieces.ts';
import type { BytesHandler, BytesRequest } from '../../contract/handlers.ts';
import { JsonBytes } from '../../contract/json-bytes.ts';
import { parseJsonBody } from '../../contract/json-body.ts';
import { Problem } from '../../domain/api/problem.ts';
import type { Tx } from '../../queries/connection/database.ts';
import { findFleetRequest } from '../../queries/fleets/fleet-requests.ts';
import { insertFleet, notifyFleetRunners } from '../../queries/fleets/fleets.ts';
import type { Fleet } from '../../queries/fleets/fleets.ts';
import { findOrganization, insertOrganization } from '../../queries/accounts/organizations.ts';
import { computeHistoryWindow } from '../../simulation/definition/definition-record.ts';
import { MODEL_VERSION } from '../../simulation/household/household.ts';
import { deriveFleetId, deriveSimulationOrgId } from '../../simulation/household/identity.ts';
import { toStoredDefinition } from '../../simulation/definition/stored-definition.ts';
import { quotaScope } from '../context.ts';
import type { Context } from '../context.ts';
import { BoundedCache } from '../../simulation/kernel/bounded-cache.ts';
import { runHeavyJob, workInTurn } from '../heavy-jobs.ts';
import { presentFleet } from './fleet-access.ts';
import { claimRequestId, hashRequestBody, requireFirstAnswer } from './fleet-requests.ts';
import type { FleetRecord } from '../../presenters/fleets.ts';

export const createFleet: BytesHandler<Context, 'createFleet'> = async (context, request) => {
  const { errors, hasTurn } = request;
  const isShort = countBytes(request.pieces) <= INLINE_BODY_BYTES;
  const pieces = isShort ? [joinPieces(request.pieces)] : request.pieces;
  const input = { pieces, errors, now: context.now };
  if (isShort && !hasDensity(joinPieces(pieces))) {
    return { status: 200, body: await createOnce(context, prepareFleet(context, computeNewFleet(input))) };
  }
  const body = await workInTurn(context, hasTurn, async () => {
    const key = `${context.orgId} ${hashRequestBody(...pieces).toString('base64')}`;
    const first = errors.length === 0 ? await findFirstAnswer(context, key) : undefined;
    if (first !== undefined) return first;
    const fleet = prepareFleet(
      context,
      await context.compute.run(context.actor.partnerId, 'readNewFleet', input),
    );
    const created = await createOnce(context, fleet);
    const { bodyHash } = fleet;
    createdBySentBytes.getOrCompute(key, () => ({ requestId: fleet.fleet.request_id, bodyHash }));
    return created;
  });
  return { status: 200, body };
};

/** Of fleets with a density what was created from which bytes, so that a repeat need not be read. */
const createdBySentBytes = new BoundedCache<
  string,
  { readonly requestId: string; readonly bodyHash: Buffer }
>(1_000);

/** The answer to the same bytes before; undefined when this process has answered none that is still there. */
async function findFirstAnswer(context: Context, key: string): Promise<FleetRecord | undefined> {
  const created = createdBySentBytes.find(key);
  if (created === undefined) return undefined;
  const used = await findFleetRequest(context.db, context.orgId, 'create', created.requestId);
  return used && (requireFirstAnswer(used, created.bodyHash) as FleetRecord);
}

async function createOnce(context: Context, fleet: NewFleet): Promise<FleetRecord> {
  await requireNoNesting(context);
  const created = await context.db
    .transaction()
    .execute((tx) => insertFleetOnce(tx, fleet, quotaScope(context)));
  context.wakeFleets();
  return created;
}

export const previewFleet: BytesHandler<Context, 'previewFleet'> = (context, request) =>
  answerPreview(context, request);

/** The same with every household of the fleet, for the map on the form: there are no more than one creation may ask for. */
export const previewEveryHousehold: typeof previewFleet = (context, request) =>
  answerPreview(context, request, Infinity);

async function answerPreview(
  context: Context,
  { pieces, errors, hasTurn }: BytesRequest,
  shown?: number,
): ReturnType<typeof previewFleet> {
  const { orgId, now } = context;
  const input = { pieces, errors, orgId, now, shown };
  const { requestId, canonicalJson, householdCount, answer } = await runHeavyJob(
    context,
    hasTurn,
    'answerPreview',
    input,
  );
  await requireNoNesting(context);
  const used = await findFleetRequest(context.db, orgId, 'create', requestId);
  // What creation would refuse is refused here too; the fleet itself is shown whether it exists or not.
  if (used === undefined) {
    const scope = quotaScope(context);
    await checkQuota(context.db, scope, 'fleets');
    await checkQuota(context.db, scope, 'households', householdCount);
  } else {
    requireFirstAnswer(used, hashRequestBody(canonicalJson));
  }
  return { status: 200, body: new JsonBytes(answer) };
}

/** With a density a small body may unfold into sixteen million cells; without one there is next to nothing to compute. */
function hasDensity(bytes: Uint8Array): boolean {
  const { value } = parseJsonBody(bytes);
  return typeof value === 'object' && value !== null && 'density' in value && value.density !== null;
}

async function requireNoNesting({ db, orgId }: Context): Promise<void> {
  const organization = await findOrganization(db, orgId);
  if (organization?.kind !== 'simulation') return;
  throw new Problem('fleet_nesting_forbidden', 'A simulation organization cannot hold fleets of its own.');
}

interface NewFleet {
  readonly fleet: Fleet;
  /** Of the density, as they were sent; null without one. */
  readonly sentWeights: Uint8Array | null;
  readonly bodyHash: Buffer;
}

function prepareFleet(
  { orgId, now }: Context,
  { definition, sentWeights, canonicalJson }: JobOutput<'readNewFleet'>,
): NewFleet {
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
    sentWeights,
    bodyHash: hashRequestBody(canonicalJson),
  };
}

/** Reserves the simulation organization and writes fleet and request in one go, or repeats the first answer. */
async function insertFleetOnce(
  tx: Tx,
  { fleet, sentWeights, bodyHash }: NewFleet,
  scope: QuotaScope,
): Promise<FleetRecord> {
  const response = presentFleet(fleet);
  const first = await claimRequestId(tx, scope, {
    org_id: fleet.org_id,
    operation: 'create',
    request_id: fleet.request_id,
    fleet_id: fleet.id,
    body_hash: bodyHash,
    response,
    created_at: fleet.created_at,
    forget_at: null,
  });
  if (first !== undefined) return first;
  await requireWithinQuota(tx, scope, 'fleets');
  await requireWithinQuota(tx, scope, 'households', fleet.household_count);
  await insertOrganization(tx, {
    id: fleet.simulation_org_id,
    name: fleet.name,
    kind: 'simulation',
    parentOrgId: fleet.org_id,
    createdAt: fleet.created_at,
  });
  await insertFleet(tx, fleet, sentWeights);
  await notifyFleetRunners(tx);
  return response;
}
