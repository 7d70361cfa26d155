import { isUuid } from '../domain/api/formats.ts';
import { getFleet } from '../operations/fleets/reads.ts';
import type { components } from '../../generated/openapi.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { toOperationContext } from './operations.ts';
import { sendNotFound } from './pages.ts';
import type { Request } from 'express';

/** A fleet as the operations answer it. */
export type Fleet = components['schemas']['Fleet'];

/** The path of a fleet in the API, or of something below it. */
export function fleetApiPath(orgId: string, id: string, below = ''): string {
  return `/org/${orgId}/device-simulator/fleets/${id}${below}`;
}

/** A page about the fleet of the own organization that the path names by `:id`; 404 for one that is not there. */
export function withFleet(
  handle: (
    context: PortalContext,
    request: Request,
    response: PortalResponse,
    fleet: Fleet,
  ) => Promise<void> | void,
): PageHandler {
  return async (context, request, response) => {
    const id = String(request.params['id']).toLowerCase();
    if (!isUuid(id)) {
      sendNotFound(response);
      return;
    }
    const { orgId } = getSession(response);
    const operation = toOperationContext(context, response, 'getFleet', orgId);
    const path = { org_id: orgId, job_id: id };
    const { body } = await getFleet(operation, { path, query: {}, headers: {}, body: undefined });
    await handle(context, request, response, body as Fleet);
  };
}
