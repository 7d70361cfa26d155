import type { FleetOperation, FleetStatus } from '../domain/fleets/fleet-states.ts';
import { Problem } from '../domain/api/problem.ts';
import { cancelFleet, cleanupFleet, purgeFleet, stopFleet } from '../operations/fleets/transitions.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import { logChange } from './change-log.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { fleetApiPath, withFleet } from './fleet-access.ts';
import type { Fleet } from './fleet-access.ts';
import { readFormField } from './forms.ts';
import { toOperationContext } from './operations.ts';
import { redirectWithNotice } from './pages.ts';
import type { Notice } from './pages.ts';
import { fleetPath, FLEETS_PATH } from './paths.ts';
import { countOf } from './times.ts';

interface Transition {
  readonly operation: FleetOperation;
  /** Of the link that leads to it. */
  readonly label: string;
  /** Whether it cannot be taken back: then the fleet's name is asked for. */
  readonly isFinal: (status: FleetStatus) => boolean;
}

/** What can become of a fleet, by the last part of the page's path. */
export const TRANSITIONS: Readonly<Record<'expand' | 'stop' | 'cancel' | 'cleanup' | 'purge', Transition>> = {
  expand: { operation: 'expand', label: 'Expand', isFinal: () => false },
  stop: { operation: 'stop', label: 'Stop', isFinal: () => true },
  cancel: { operation: 'cancel', label: 'Cancel', isFinal: (status) => status !== 'expanding' },
  cleanup: { operation: 'cleanup', label: 'Clean up', isFinal: () => true },
  purge: { operation: 'purge', label: 'Purge', isFinal: () => true },
};

type Ending = Exclude<keyof typeof TRANSITIONS, 'expand'>;

interface EndingTexts {
  readonly id: 'stopFleet' | 'cancelFleet' | 'cleanupFleet' | 'purgeFleet';
  readonly run: typeof stopFleet | typeof cancelFleet | typeof cleanupFleet | typeof purgeFleet;
  readonly heading: (fleet: Fleet) => string;
  readonly text: (fleet: Fleet) => string;
  readonly submit: string;
  readonly notice: Notice;
}

const ENDINGS: Readonly<Record<Ending, EndingTexts>> = {
  stop: {
    id: 'stopFleet',
    run: stopFleet,
    heading: ({ name }) => `Stop ${name}?`,
    text: ({ progress, status }) =>
      `The values of its ${countOf(progress.created, 'home')} stand still from now on, and no events happen to them. ${status === 'expanding' ? 'The expansion under way is dropped. ' : ''}Data and devices stay and can be read. A stopped fleet cannot be started again.`,
    submit: 'Stop the fleet',
    notice: 'fleet_stopped',
  },
  cancel: {
    id: 'cancelFleet',
    run: cancelFleet,
    heading: ({ name, status }) =>
      status === 'expanding' ? `Cancel the expansion of ${name}?` : `Cancel ${name}?`,
    text: ({ progress, status }) =>
      status === 'expanding'
        ? 'The homes that the expansion has added are deleted; those before it go on as they are.'
        : `Nothing more is built: ${countOf(progress.created, 'home')} of ${progress.total} are there and never run.`,
    submit: 'Cancel it',
    notice: 'fleet_cancelled',
  },
  cleanup: {
    id: 'cleanupFleet',
    run: cleanupFleet,
    heading: ({ name }) => `Clean up ${name}?`,
    text: ({ progress }) =>
      `Its ${countOf(progress.created, 'home')} are deleted, with their users, devices and notifications. The record of the fleet and its deliveries stay.`,
    submit: 'Clean up the fleet',
    notice: 'fleet_cleaned',
  },
  purge: {
    id: 'purgeFleet',
    run: purgeFleet,
    heading: ({ name }) => `Purge ${name}?`,
    text: () =>
      'Everything of the fleet is removed: homes, users, devices, notifications, webhooks with their deliveries, prices of its own, and then the record itself. Its request_id stays taken.',
    submit: 'Purge the fleet',
    notice: 'fleet_purging',
  },
};

/** Says what an ending does, and asks. */
export function showEnding(ending: Ending): PageHandler {
  return withFleet((context, _request, response, fleet) => {
    sendEnding(context, response, { ending, fleet, status: 200 });
  });
}

/** Does it: 303 to the fleet; 422 where the name is another one, 409 where the fleet has moved on meanwhile. */
export function endFleet(ending: Ending): PageHandler {
  return withFleet(async (context, request, response, fleet) => {
    const { orgId } = getSession(response);
    const { id, run, notice } = ENDINGS[ending];
    const isNamed = withoutSpaces(readFormField(request, 'name')) === withoutSpaces(fleet.name);
    if (TRANSITIONS[ending].isFinal(fleet.status as FleetStatus) && !isNamed) {
      const nameError = 'This is not the name of the fleet. Nothing was changed.';
      sendEnding(context, response, { ending, fleet, status: 422, nameError });
      return;
    }
    const operation = toOperationContext(context, response, id, orgId);
    const path = { org_id: orgId, job_id: fleet.job_id };
    try {
      await run(operation, { path, query: {}, headers: {}, body: {} });
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'fleet_state_conflict')) throw error;
      sendEnding(context, response, { ending, fleet, status: 409, error: error.message });
      return;
    }
    logChange(context, response, 'Fleet ended.', { id: fleet.job_id, operation: ending });
    const back = ending === 'purge' ? FLEETS_PATH : fleetPath(fleet.job_id);
    redirectWithNotice(response, back, notice);
  });
}

/** Browsers show several spaces as one, and take line breaks out of what is typed. */
const withoutSpaces = (name: string): string => name.replaceAll(/\s+/g, '');

interface EndingPage {
  readonly ending: Ending;
  readonly fleet: Fleet;
  readonly status: number;
  readonly error?: string;
  readonly nameError?: string;
}

function sendEnding(
  { baseUrl }: PortalContext,
  response: PortalResponse,
  { ending, fleet, status, error, nameError }: EndingPage,
): void {
  const { heading, text, submit } = ENDINGS[ending];
  const isFinal = TRANSITIONS[ending].isFinal(fleet.status as FleetStatus);
  const hint = `To be sure, type ${fleet.name}.`;
  sendView(response, status, 'confirm', {
    heading: heading(fleet),
    text: `${text(fleet)}${isFinal ? ' This cannot be undone.' : ''}`,
    error,
    fields: isFinal
      ? [
          {
            name: 'name',
            label: 'Name of the fleet',
            hint,
            error: nameError,
            autofocus: nameError !== undefined,
          },
        ]
      : [],
    action: fleetPath(fleet.job_id, `${ending}/`),
    submit,
    back: fleetPath(fleet.job_id),
    danger: isFinal,
    call: formatApiCall(baseUrl, {
      method: 'POST',
      path: fleetApiPath(getSession(response).orgId, fleet.job_id, `/${ending}`),
    }),
  });
}
