import type { FleetSummary } from '../domain/fleets/fleet-summary.ts';
import { fleetPath } from './paths.ts';
import { isFleetActive } from '../domain/fleets/fleet-states.ts';
import { ROLE_TABLE } from '../domain/users/roles.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import type { PageHandler } from './context.ts';
import { getSession } from './context.ts';
import { describeProgress, isFleetChanging, markFleet, toLiveSeconds } from './fleet-status.ts';
import { readQueryParameter } from './forms.ts';
import { findNoticeText } from './pages.ts';
import { countOf, formatAgo, formatCount } from './times.ts';

/** As many as a partner may have unless its quota was raised. */
const MOST_FLEETS = 100;

/** The fleets of the organization, newest first, with how far they are built. */
export const showFleets: PageHandler = async (context, request, response) => {
  const { reads, baseUrl } = context;
  const { orgId, role } = getSession(response);
  const fleets = await reads.listFleets(orgId, MOST_FLEETS);
  const simulations = fleets.filter(({ isReachable }) => isReachable).map((fleet) => fleet.simulationOrgId);
  const actions =
    ROLE_TABLE.getNotificationStatus[role] === 'all' ? await reads.countOpenActions(simulations) : undefined;
  const now = context.clock();
  sendView(response, 200, 'fleets', {
    sentence: describeFleets(fleets),
    fleets: { columns: listColumns(actions), rows: fleets.map((fleet) => toRow(fleet, actions, now)) },
    isCut: fleets.length === MOST_FLEETS,
    liveSeconds: toLiveSeconds(fleets),
    notice: findNoticeText(readQueryParameter(request, 'notice')),
    call: formatApiCall(baseUrl, { method: 'GET', path: `/org/${orgId}/device-simulator/fleets` }),
  });
};

function describeFleets(fleets: readonly FleetSummary[]): string {
  const active = fleets.filter(({ status }) => isFleetActive(status));
  const failed = fleets.filter(({ status }) => status === 'failed').length;
  const built = fleets.filter(isFleetChanging).length;
  const homes = active.reduce((sum, { createdCount }) => sum + createdCount, 0);
  const running =
    active.length === 0
      ? 'No fleet runs.'
      : `${countOf(active.length, 'fleet')} ${active.length === 1 ? 'runs' : 'run'} with ${countOf(homes, 'home')}.`;
  const rest = [
    ...(built > 0 ? [`${countOf(built, 'fleet')} under construction or removal.`] : []),
    ...(failed > 0 ? [`${countOf(failed, 'fleet')} failed.`] : []),
  ];
  return [running, ...rest].join(' ');
}

function listColumns(actions: ReadonlyMap<string, number> | undefined) {
  return [
    { label: 'Fleet', kind: 'wide' },
    { label: 'Status', speaksForItself: true },
    { label: 'Homes' },
    ...(actions === undefined ? [] : [{ label: 'Open actions', kind: 'number' }]),
    { label: 'Created', kind: 'quiet' },
  ];
}

/** Cells that change by themselves have a name, by which scripts find what has changed. */
function toRow(fleet: FleetSummary, actions: ReadonlyMap<string, number> | undefined, now: Date) {
  const { id, name, status, error, createdAt } = fleet;
  const isShown = status !== 'purging';
  return [
    { ...(isShown ? { text: name, href: fleetPath(id) } : { text: name }), detail: error },
    { status: markFleet(fleet), live: `${id}-status` },
    { ...describeProgress(fleet), live: `${id}-homes` },
    ...(actions === undefined
      ? []
      : [{ text: formatCount(actions.get(fleet.simulationOrgId) ?? 0), live: `${id}-actions` }]),
    { text: formatAgo(createdAt, now), at: createdAt.toISOString() },
  ];
}
