import { randomUUID } from 'node:crypto';
import type { Handler } from '../contract/handlers.ts';
import { notFoundProblem } from '../domain/api/problem.ts';
import { insertBroadcast } from '../queries/notifications/broadcasts.ts';
import { hasUser } from '../queries/notifications/notifications.ts';
import type { Context } from './context.ts';
import { presentInformation } from '../presenters/notifications.ts';

/** Writes a notice for all users of the organization, or for one. 404 when it has no such user. */
export const broadcastInformation: Handler<Context, 'broadcastInformation'> = async (context, { body }) => {
  const { db, orgId, actor, now } = context;
  const ownerId = body.owner_id?.toLowerCase() ?? null;
  if (ownerId !== null && !(await hasUser(db, orgId, ownerId))) throw notFoundProblem('user');
  const broadcast = { org_id: orgId, id: randomUUID(), message: body.message, owner_id: ownerId };
  await insertBroadcast(db, broadcast, now);
  const item = {
    ...broadcast,
    kind: 'information',
    code: null,
    device_id: null,
    device_type: null,
    occurred_at: now,
    cleared_at: null,
    dismissed: false,
  } as const;
  return { status: 201, body: presentInformation(context, item, actor.userId) };
};
