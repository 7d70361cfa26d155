import type { Handler } from '../../contract/handlers.ts';
import type { Quotas } from '../../domain/api/quotas.ts';
import type { ConditionCode } from '../../domain/notifications/conditions.ts';
import { MAX_INTERRUPTIONS } from '../../domain/notifications/interruptions.ts';
import { notFoundProblem, Problem } from '../../domain/api/problem.ts';
import type { ConditionEvent } from '../../conditions/condition-event.ts';
import { endCondition } from '../../conditions/end-condition.ts';
import { raiseCondition } from '../../conditions/raise-condition.ts';
import type { RaisedCondition } from '../../conditions/raise-condition.ts';
import { NO_DELIVERIES } from '../../queries/deliveries/deliveries.ts';
import { findEventFleet, fleetHasDevice } from '../../queries/notifications/condition-devices.ts';
import type { EventFleet } from '../../queries/notifications/condition-devices.ts';
import type { Db, Tx } from '../../queries/connection/database.ts';
import { inTransaction } from '../../queries/connection/in-transaction.ts';
import type { Context } from '../context.ts';
import { fleetKeyOf, requireActiveFleet } from './fleet-access.ts';

interface DevicePath {
  readonly job_id: string;
  readonly device_id: string;
}

/** Raises a condition of a simulated device now; `reconnect` ends an outage. */
export const triggerDeviceEvent: Handler<Context, 'triggerDeviceEvent'> = async (context, { path, body }) => {
  const { db, now, orgId, requestId } = context;
  const { change, simulationOrgId } = await inTransaction(db, async (tx) => {
    const fleet = await requireFleetOfDevice(tx, orgId, path);
    requireActiveFleet(fleet.status);
    const { simulationOrgId } = fleet;
    const device = { orgId: simulationOrgId, deviceId: path.device_id, now, requestId };
    return { simulationOrgId, change: await applyDeviceEvent(tx, device, body.code, context.quotas) };
  });
  if (change.changed && body.code !== 'reconnect') context.wakeDispatcher([simulationOrgId]);
  if (change.dropped > 0) context.countCancelled('quota_reached', change.dropped);
  const occurred_at = change.changedAt.toISOString();
  return {
    status: 200,
    body: { device_id: path.device_id, code: body.code, changed: change.changed, occurred_at },
  };
};

/** 404 unless the organization has the fleet, and the fleet the device. */
export async function checkFleetDeviceExists(context: Context, path: DevicePath): Promise<void> {
  await requireFleetOfDevice(context.db, context.orgId, path);
}

async function applyDeviceEvent(
  tx: Tx,
  device: Omit<ConditionEvent, 'code'>,
  code: ConditionCode | 'reconnect',
  quotas: Quotas,
): Promise<RaisedCondition> {
  if (code === 'reconnect')
    return {
      ...(await endCondition(tx, { ...device, code: 'device_offline' })),
      ...NO_DELIVERIES,
      isRefused: false,
    };
  const change = await raiseCondition(tx, { ...device, code }, quotas.pending_deliveries);
  if (change === undefined) throw notFoundProblem('device');
  if (change.isRefused) {
    const detail = `This condition of the device has begun ${MAX_INTERRUPTIONS} times, which is as often as it may.`;
    throw new Problem('event_limit_reached', detail);
  }
  return change;
}

async function requireFleetOfDevice(db: Db | Tx, orgId: string, path: DevicePath): Promise<EventFleet> {
  const fleet = await findEventFleet(db, fleetKeyOf(orgId, path.job_id));
  if (fleet === undefined) throw notFoundProblem('fleet');
  if (!(await fleetHasDevice(db, fleet, path.job_id, path.device_id))) throw notFoundProblem('device');
  return fleet;
}
