import { fleetPath } from './paths.ts';
import { randomUUID } from 'node:crypto';
import { FLEET_LIMITS } from '../domain/fleets/fleet-limits.ts';
import { expandFleet } from '../operations/fleets/transitions.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import { logChange } from './change-log.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { fleetApiPath, withFleet } from './fleet-access.ts';
import type { Fleet } from './fleet-access.ts';
import { chooseRequestId } from './form-keys.ts';
import { readFormField } from './forms.ts';
import type { FieldMessages } from './forms.ts';
import { requireBody, toFieldMessages, toOperationContext } from './operations.ts';
import { redirectWithNotice } from './pages.ts';
import { countOf } from './times.ts';

interface ExpansionPage {
  readonly fleet: Fleet;
  readonly status: number;
  readonly count: string;
  /** By which a form that is sent twice adds once. */
  readonly requestId: string;
  readonly errors: FieldMessages;
}

/** Says what an expansion does, and asks how many homes. */
export const showExpansion = withFleet((context, _request, response, fleet) => {
  sendExpansion(context, response, {
    fleet,
    status: 200,
    count: '10',
    requestId: randomUUID(),
    errors: {},
  });
});

/** Adds homes: 303 to the fleet, or 422 with the form. */
export const expandFromForm = withFleet(async (context, request, response, fleet) => {
  const { orgId } = getSession(response);
  const count = readFormField(request, 'count').trim();
  const requestId = readFormField(request, 'request_id');
  try {
    const operation = toOperationContext(context, response, 'expandFleet', orgId);
    const sent = { request_id: requestId, count: /^\d+$/.test(count) ? Number(count) : count };
    await expandFleet(operation, {
      path: { org_id: orgId, job_id: fleet.job_id },
      query: {},
      headers: {},
      body: requireBody('expandFleet', sent),
    });
  } catch (error) {
    const errors = toFieldMessages(error);
    if (errors === undefined) throw error;
    const next = chooseRequestId(requestId, error);
    sendExpansion(context, response, { fleet, status: 422, count, requestId: next, errors });
    return;
  }
  logChange(context, response, 'Fleet expanded.', { id: fleet.job_id });
  redirectWithNotice(response, fleetPath(fleet.job_id), 'fleet_expanding');
});

function sendExpansion(
  { baseUrl }: PortalContext,
  response: PortalResponse,
  { fleet, status, count, requestId, errors }: ExpansionPage,
): void {
  const hint = `1 to 1,000 at a time; a fleet has ${FLEET_LIMITS.households_max.toLocaleString('en')} at most.`;
  sendView(response, status, 'confirm', {
    heading: `Expand ${fleet.name}`,
    text: `The fleet has ${countOf(fleet.count, 'home')}. New ones are built by the same definition and run from when they are there; those it has go on unchanged.`,
    error: errors['form'],
    fields: [
      {
        name: 'count',
        label: 'Homes to add',
        hint,
        value: count,
        inputmode: 'numeric',
        error: errors['count'],
        autofocus: errors['count'] !== undefined,
      },
    ],
    hidden: { request_id: requestId },
    action: fleetPath(fleet.job_id, 'expand/'),
    submit: 'Expand the fleet',
    back: fleetPath(fleet.job_id),
    call: formatApiCall(baseUrl, {
      method: 'POST',
      path: fleetApiPath(getSession(response).orgId, fleet.job_id, '/expand'),
      body: { request_id: requestId, count: Number(count) || 10 },
    }),
  });
}
