import type { FleetSummary } from '../domain/fleets/fleet-summary.ts';
import { mayCall } from '../domain/users/roles.ts';
import type { Role } from '../domain/users/roles.ts';
import { formatApiCall } from './api-call.ts';
import type { ApiCall } from './api-call.ts';
import { APPLICATIONS_PATH, fleetPath, FLEETS_PATH, NOTIFICATIONS_PATH, WEBHOOKS_PATH } from './paths.ts';
import { scopedPath } from './scopes.ts';
import type { FirstStepsTaken } from './reads.ts';

/** A step on the way from the first sign-in to a resolved action. */
export interface Step {
  readonly title: string;
  readonly isDone: boolean;
  /** The first one that is not done: it alone is shown whole. */
  readonly isNext: boolean;
  readonly text: string;
  readonly link?: { readonly href: string; readonly label: string };
  readonly call?: string;
}

/** What is known of the way. */
export interface FirstStepsState extends FirstStepsTaken {
  readonly orgId: string;
  /** A new UUID, by which the call that creates a fleet can be repeated. */
  readonly requestId: string;
  readonly hasApplication: boolean;
  /** The fleet whose events are to be seen; undefined as long as there is none. */
  readonly fleet: FleetSummary | undefined;
}

type Draft = Omit<Step, 'isNext' | 'call'> & { readonly calls?: readonly ApiCall[] };

/** The steps that the role may take, in their order; empty when all are done. */
export function listFirstSteps(state: FirstStepsState, role: Role, baseUrl: string): Step[] {
  const drafts = [
    ...draftFleetSteps(state),
    ...(mayCall(role, 'createWebhook') ? draftEventSteps(state) : []),
  ];
  const next = drafts.find(({ isDone }) => !isDone);
  if (next === undefined) return [];
  return drafts.map(({ calls, ...step }) => ({
    ...step,
    isNext: step.title === next.title,
    ...(calls === undefined ? {} : { call: calls.map((call) => formatApiCall(baseUrl, call)).join('\n') }),
  }));
}

function draftFleetSteps({ orgId, hasApplication, fleet, requestId }: FirstStepsState): Draft[] {
  return [
    {
      title: 'Register an application',
      isDone: hasApplication,
      text: 'Its client id and secret get the access tokens of all calls below.',
      link: { href: `${APPLICATIONS_PATH}register/`, label: 'Register an application' },
    },
    {
      title: 'Create a fleet',
      isDone: fleet !== undefined,
      text: 'Simulated homes with devices that behave like real ones, in an organization of their own.',
      link: { href: `${FLEETS_PATH}create/`, label: 'Create a fleet' },
      calls: [
        {
          method: 'POST',
          path: `/org/${orgId}/device-simulator/fleets`,
          body: { request_id: requestId, name: 'First fleet', count: 20 },
        },
      ],
    },
  ];
}

function draftEventSteps(state: FirstStepsState): Draft[] {
  const { orgId, fleet, hasWebhook, hasEvent, hasDelivered, hasResolved } = state;
  const simulation = `/org/${fleet?.simulationOrgId ?? '$SIMULATION_ORG_ID'}`;
  const devices = `/org/${orgId}/device-simulator/fleets/${fleet?.id ?? '$JOB_ID'}/devices`;
  const inScope = (path: string): string =>
    fleet === undefined ? path : scopedPath({ kind: 'simulation', orgId: fleet.simulationOrgId }, path);
  return [
    {
      title: 'Send its events to a webhook',
      isDone: hasWebhook,
      text: "The webhook belongs to the fleet's organization: no event of a simulation reaches your own.",
      link: { href: inScope(`${WEBHOOKS_PATH}create/`), label: 'Create a webhook' },
      calls: [
        {
          method: 'POST',
          path: `${simulation}/notifications/webhooks`,
          body: {
            url: 'https://your.endpoint.example/hooks',
            topics: ['device.action_required', 'device.information'],
          },
        },
      ],
    },
    {
      title: 'Trigger an event',
      isDone: hasWebhook && hasEvent,
      text: 'Let the manufacturer of a device ask for a new sign-in: choose a home of the fleet, and one of its devices. The first call lists the devices.',
      link: {
        href: fleet === undefined ? FLEETS_PATH : fleetPath(fleet.id),
        label: 'Choose a home of the fleet',
      },
      calls: [
        { method: 'GET', path: devices },
        { method: 'POST', path: `${devices}/$DEVICE_ID/events`, body: { code: 'reauthenticate' } },
      ],
    },
    {
      title: 'See it delivered',
      isDone: hasDelivered,
      text: 'Your endpoint answers with 2xx once it has verified the signature; the log shows each attempt.',
      link: { href: inScope(WEBHOOKS_PATH), label: 'The webhooks, each with its log and the code to verify' },
      calls: [{ method: 'GET', path: `${simulation}/notifications/webhooks/$WEBHOOK_ID/deliveries` }],
    },
    {
      title: 'Resolve the action',
      isDone: hasResolved,
      text: 'Its page leads to the one where an owner would sign in again.',
      link: { href: inScope(NOTIFICATIONS_PATH), label: 'The open notifications' },
      calls: [{ method: 'GET', path: `${simulation}/notifications/actions` }],
    },
  ];
}
