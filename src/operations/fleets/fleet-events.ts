import { randomUUID } from 'node:crypto';
import type { components } from '../../../generated/openapi.ts';
import type { Handler } from '../../contract/handlers.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/api/durations.ts';
import { Problem, validationProblem } from '../../domain/api/problem.ts';
import type { FieldError } from '../../domain/api/problem.ts';
import { FLEET_LIMITS, REQUEST_MEMORY_DAYS } from '../../domain/fleets/fleet-limits.ts';
import { inTransaction } from '../../queries/connection/in-transaction.ts';
import type { Tx } from '../../queries/connection/database.ts';
import { findFleetRequest } from '../../queries/fleets/fleet-requests.ts';
import { lockFleet, notifyFleetRunners } from '../../queries/fleets/fleets.ts';
import type { Fleet } from '../../queries/fleets/fleets.ts';
import {
  countOpenOutages,
  countStruckDevices,
  findHouseholdsInRegion,
  insertSharedOutage,
  listStrangers,
} from '../../queries/fleets/shared-outages.ts';
import type { OutageSubject } from '../../queries/fleets/shared-outages.ts';
import { stringifyWithSortedKeys } from '../../simulation/definition/definition-record.ts';
import { quotaScope } from '../context.ts';
import type { Context } from '../context.ts';
import { toOutageSubject, validateEventSubject } from './event-subject.ts';
import { claimRequestId, hashRequestBody, requireFirstAnswer } from './fleet-requests.ts';
import { fleetKeyOf, goneOrNotFound, requireActiveFleet } from './fleet-access.ts';

type Body = components['schemas']['FleetEventTrigger'];
type FleetEvent = components['schemas']['FleetEvent'];

/**
 * Raises an outage that many devices share. It is stored with the answer; the fleet runner takes the devices offline, in batches
 * (src/fleets/shared-outages.ts).
 */
export const triggerFleetEvent: Handler<Context, 'triggerFleetEvent'> = async (context, { path, body }) => {
  const request = { ...body, request_id: body.request_id.toLowerCase() };
  const event = await inTransaction(context.db, async (tx) => {
    const fleet = await lockFleet(tx, fleetKeyOf(context.orgId, path.job_id));
    if (fleet === undefined)
      throw await goneOrNotFound(tx, context.orgId, path.job_id, {
        operation: 'event',
        id: request.request_id,
      });
    return raise(tx, context, fleet, request);
  });
  context.wakeFleets();
  return { status: 200, body: event };
};

async function raise(tx: Tx, context: Context, fleet: Fleet, body: Body): Promise<FleetEvent> {
  const { orgId, now } = context;
  const subject = requireSubject(body);
  const canonical = { job_id: fleet.id, duration_minutes: body.duration_minutes, subject };
  const body_hash = hashRequestBody(stringifyWithSortedKeys(canonical));
  // A repeat is answered whatever has become of the fleet since.
  const first = await findFleetRequest(tx, orgId, 'event', body.request_id);
  if (first !== undefined) return requireFirstAnswer(first, body_hash) as FleetEvent;
  requireActiveFleet(fleet.status);
  const simulationOrgId = fleet.simulation_org_id;
  await requireUsers(tx, simulationOrgId, body.user_ids ?? []);
  await requireRoomForEvent(tx, simulationOrgId, now);
  const endsAt = new Date(now.getTime() + body.duration_minutes * MINUTE_MS);
  const id = randomUUID();
  const households = await findHouseholdsInRegion(tx, simulationOrgId, subject);
  const outage = {
    orgId: simulationOrgId,
    id,
    subject,
    households,
    startsAt: now,
    endsAt,
    requestId: context.requestId,
  };
  const event: FleetEvent = {
    event_id: id,
    job_id: fleet.id,
    cause: body.cause,
    starts_at: now.toISOString(),
    ends_at: endsAt.toISOString(),
    devices: await countStruckDevices(tx, outage),
  };
  const taken = await claimRequestId(tx, quotaScope(context), {
    org_id: orgId,
    operation: 'event',
    request_id: body.request_id,
    fleet_id: fleet.id,
    body_hash,
    response: event,
    created_at: now,
    forget_at: new Date(now.getTime() + REQUEST_MEMORY_DAYS * DAY_MS),
  });
  if (taken !== undefined) return taken;
  await insertSharedOutage(tx, outage);
  await notifyFleetRunners(tx);
  return event;
}

/** 422 unless the body names one thing that its cause strikes. */
function requireSubject(body: Body): OutageSubject {
  const errors = validateEventSubject(body);
  if (errors.length > 0) throw validationProblem(errors);
  return toOutageSubject(body);
}

/** 422 `event_user_unknown` unless all users that the event names have a household of the fleet. */
async function requireUsers(tx: Tx, orgId: string, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return;
  const strangers = new Set(await listStrangers(tx, orgId, userIds));
  const errors = userIds.flatMap((id, index): FieldError[] => {
    if (!strangers.has(id.toLowerCase())) return [];
    const detail = `No user of this fleet has the id ${id}.`;
    return [{ pointer: `/user_ids/${index}`, code: 'event_user_unknown', detail }];
  });
  if (errors.length > 0) throw validationProblem(errors);
}

/** 409 `event_limit_reached` when as many outages of the fleet are open as may be. */
async function requireRoomForEvent(tx: Tx, orgId: string, now: Date): Promise<void> {
  const { open_events_max: most } = FLEET_LIMITS;
  if ((await countOpenOutages(tx, orgId, now)) < most) return;
  const detail = `The fleet has ${most} shared outages that have not ended, or not struck all their devices; wait until one has.`;
  throw new Problem('event_limit_reached', detail);
}
