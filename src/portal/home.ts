import type { FleetSummary } from '../domain/fleets/fleet-summary.ts';
import { fleetPath } from './paths.ts';
import { isFleetActive } from '../domain/fleets/fleet-states.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import type { PageHandler, PortalContext } from './context.ts';
import { getSession } from './context.ts';
import { describeDevices } from './device-marks.ts';
import { listFirstSteps } from './first-steps.ts';
import { describeProgress, markFleet } from './fleet-status.ts';
import { listNeeds } from './needs.ts';
import type { Need } from './need.ts';
import { readOverview } from './overview.ts';
import type { Overview } from './overview.ts';
import { describeDeliveries, startOfHour } from './recent-deliveries.ts';
import type { Scope } from './scopes.ts';
import { getScope } from './shell.ts';
import { countOf, formatAgo, formatCount } from './times.ts';

/** Fleets of the list; the switch of scopes and the API have the others. */
const MOST_ROWS = 8;

/** What runs, what needs action, what was delivered in the last hour, and the first steps until they are done. */
export const showHome: PageHandler = async (context, _request, response) => {
  const now = context.clock();
  const since = startOfHour(now);
  const scope = getScope(response);
  const { role } = getSession(response);
  const overview = await readOverview(context, response, since);
  const needs = listNeeds(scope, overview);
  sendView(response, 200, 'home', {
    heading: scope.kind === 'own' ? 'Home' : scope.name,
    sentence: `${describeNeeds(needs)} ${describeFleets(overview.fleets, scope)}`,
    needs: needs.map((need) => ({ ...need, ...describeSince(need, now) })),
    deliveries: overview.deliveries && describeDeliveries(overview.deliveries, since),
    hasWebhook: (overview.webhooks?.length ?? 0) > 0,
    steps: listFirstSteps(overview.firstSteps, role, context.baseUrl),
    calls: listCalls(context, scope, getSession(response).orgId),
    ...(scope.fleet === undefined
      ? { fleets: tabulateFleets(overview), hiddenFleets: overview.fleets.length - MOST_ROWS }
      : { facts: describeFleet(scope.fleet, overview) }),
  });
};

function describeNeeds(needs: readonly Need[]): string {
  if (needs.length === 0) return 'Nothing needs action.';
  return needs.length === 1 ? 'One thing needs action.' : `${needs.length} things need action.`;
}

function describeFleets(fleets: readonly FleetSummary[], scope: Scope): string {
  const active = fleets.filter(({ status }) => isFleetActive(status));
  const homes = active.reduce((sum, { createdCount }) => sum + createdCount, 0);
  if (scope.fleet !== undefined) {
    const { word } = markFleet(scope.fleet);
    return `${word}: ${describeProgress(scope.fleet).text} homes.`;
  }
  if (active.length === 0) return 'No fleet runs.';
  const verb = active.length === 1 ? 'runs' : 'run';
  return `${countOf(active.length, 'fleet')} ${verb} with ${countOf(homes, 'home')}.`;
}

function describeSince({ since }: Need, now: Date): { readonly ago?: string; readonly at?: string } {
  return since === undefined ? {} : { ago: formatAgo(since, now), at: since.toISOString() };
}

/** Those that run or are built first, then the newest. */
function tabulateFleets({ fleets, openActions }: Overview) {
  const rank = ({ status }: FleetSummary): number =>
    isFleetActive(status) ? 0 : status === 'failed' ? 1 : 2;
  const rows = fleets.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST_ROWS);
  const columns = [
    { label: 'Fleet', kind: 'wide' },
    { label: 'Status', speaksForItself: true },
    { label: 'Homes' },
    ...(openActions === undefined ? [] : [{ label: 'Open actions', kind: 'number' }]),
  ];
  const toRow = (fleet: FleetSummary) => [
    fleet.isReachable ? { text: fleet.name, href: fleetPath(fleet.id) } : { text: fleet.name },
    { status: markFleet(fleet) },
    describeProgress(fleet),
    ...(openActions === undefined
      ? []
      : [{ text: formatCount(openActions.get(fleet.simulationOrgId) ?? 0) }]),
  ];
  return { columns, rows: rows.map(toRow) };
}

function describeFleet(fleet: FleetSummary, { devices }: Overview) {
  return {
    id: fleet.id,
    orgId: fleet.simulationOrgId,
    status: markFleet(fleet),
    progress: describeProgress(fleet),
    devices: devices === undefined ? [] : describeDevices(devices),
    createdAt: fleet.createdAt.toISOString(),
  };
}

function listCalls({ baseUrl }: PortalContext, { orgId, fleet }: Scope, ownOrgId: string): string {
  const fleets = `/org/${ownOrgId}/device-simulator/fleets`;
  const paths =
    fleet === undefined
      ? [fleets, `/org/${orgId}/notifications/actions`]
      : [`${fleets}/${fleet.id}`, `/org/${orgId}/notifications/actions`];
  return paths.map((path) => formatApiCall(baseUrl, { method: 'GET', path })).join('\n');
}
