import { nextFleetStep } from '../domain/fleets/fleet-states.ts';
import type { FleetStatus } from '../domain/fleets/fleet-states.ts';
import type { OpenCondition, OpenConditions } from '../domain/notifications/open-condition.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { tabulateChart } from './day-chart.ts';
import { dayLinks, nameDay, withDay } from './day-links.ts';
import { describeDevices } from './device-marks.ts';
import { tabulateConditions } from './exceptions.ts';
import { fleetApiPath, withFleet } from './fleet-access.ts';
import type { Fleet } from './fleet-access.ts';
import { readFleetDay, readShownDay, toDataRequest } from './fleet-day.ts';
import type { FleetEntry, ShownDay } from './fleet-day.ts';
import { listGroups } from './fleet-groups.ts';
import { tabulateOddHouseholds } from './fleet-households.ts';
import { POWER_LEGEND } from './fleet-map.ts';
import { describeProgress, markFleet, toLiveSeconds } from './fleet-status.ts';
import { listFigures, tellFleetDay } from './fleet-story.ts';
import { TRANSITIONS } from './fleet-transitions.ts';
import { readQueryParameter } from './forms.ts';
import { findChangesPath } from './change-stream.ts';
import { chartHomes } from './home-chart.ts';
import { tellInstant } from './live.ts';
import type { LocalClock } from './local-days.ts';
import { findNoticeText } from './pages.ts';
import { readPricedDay } from './price-panels.ts';
import type { NamedHeatPump } from './reads.ts';
import { devicePath, homePath } from './home-paths.ts';
import { getScope } from './shell.ts';
import { scopedPath } from './scopes.ts';
import type { Scope } from './scopes.ts';
import { fleetPath, USERS_PATH } from './paths.ts';
import { formatMinute } from './times.ts';

/** Conditions that are listed; the devices of the API have the others. */
const MOST_CONDITIONS = 10;
/** Heat pumps whose schedules are computed: the first of the fleet stand for the others. */
const MOST_PUMPS = 6;

/** What the homes of a fleet did on a day, and why. */
export const showFleet = withFleet(async (context, request, response, fleet) => {
  const { reads, baseUrl } = context;
  const scope = getScope(response);
  const now = context.clock();
  const shown = readShownDay(request, await reads.findTimeZone(fleet.simulation_org_id), now);
  const { day, clock } = shown;
  const asked = { jobId: fleet.job_id, day };
  const { metadata, data } = await readFleetDay(context, response, { ...asked, resolution: '15MIN' });
  const entries: readonly FleetEntry[] = data;
  const pumps = (): Promise<readonly NamedHeatPump[]> =>
    reads.listHeatPumps(fleet.simulation_org_id, MOST_PUMPS);
  const { byQuarter, panels, remarks } = await readPricedDay(context, response, shown, pumps);
  const conditions = await reads.listOpenConditions(fleet.simulation_org_id, MOST_CONDITIONS);
  const chart = { ...chartHomes({ entries, day, clock, prices: panels }), remarks };
  const householdPath = (id: string): string => homePath(scope, id);
  const dayName = nameDay(shown, entries.at(-1));
  const told = { entries, households: metadata.households, prices: byQuarter, clock, dayName };
  const path = fleetPath(fleet.job_id);
  sendView(response, 200, 'fleet', {
    heading: fleet.name,
    sentence: tellFleetDay(told),
    actions: listTransitions(fleet),
    liveSeconds: toLiveSeconds([{ status: fleet.status as FleetStatus }]),
    changesPath: findChangesPath(response),
    asOf: describeAsOf(fleet, now, clock),
    fleetStatus: markFleet({ status: fleet.status as FleetStatus }),
    built: describeProgress({
      createdCount: fleet.progress.created,
      householdCount: fleet.progress.total,
    }),
    failure: fleet.error,
    figures: listFigures({
      entry: entries.at(-1),
      offline: conditions.counts.device_offline ?? 0,
      isToday: shown.isToday,
      clock,
      householdPath,
    }),
    chart,
    table: tabulateChart(chart),
    dayName,
    links: dayLinks(path, shown),
    csvPath: withDay(`${path}data.csv`, shown),
    powersPath: withDay(`${path}powers.json`, shown),
    powerLegend: POWER_LEGEND,
    exceptions: await tabulateExceptions(context, scope, conditions),
    hiddenExceptions: countHidden(conditions),
    groups: await listGroups(context, response, fleet, shown),
    households: await tabulateOddHouseholds(context, response, { entries, day, pathOf: householdPath }),
    householdsPath: scopedPath(scope, USERS_PATH),
    facts: describeFleet(fleet),
    devices: describeDevices(fleet.device_counts),
    notice: findNoticeText(readQueryParameter(request, 'notice')),
    call: formatApiCall(baseUrl, { method: 'GET', path: apiPathOf(response, fleet, shown) }),
    hasCharts: true,
    map: 'fleet-map',
  });
});

async function tabulateExceptions({ reads, clock }: PortalContext, scope: Scope, { items }: OpenConditions) {
  const ownerIds = items.map(({ userId }) => userId);
  const owners = await reads.nameUsers(scope.orgId, ownerIds);
  const pathOf = (condition: OpenCondition): string => devicePath(scope, condition);
  return tabulateConditions(items, { now: clock(), owners, pathOf });
}

function apiPathOf(response: PortalResponse, { job_id: jobId }: Fleet, { day }: ShownDay): string {
  const { orgId } = getSession(response);
  const { query } = toDataRequest({ orgId, jobId, day, resolution: '15MIN' });
  return fleetApiPath(orgId, jobId, `/data?${new URLSearchParams(query).toString()}`);
}

/** What can be done with the fleet now; what cannot be taken back comes last. */
function listTransitions({ job_id: id, status }: Fleet) {
  return Object.entries(TRANSITIONS)
    .filter(([, { operation }]) => nextFleetStep(operation, status as FleetStatus).kind === 'change')
    .map(([page, { label, isFinal }]) => ({
      label,
      href: fleetPath(id, `${page}/`),
      kind: isFinal(status as FleetStatus) ? 'danger' : undefined,
    }));
}

/** When the page was true, or since when its values stand still. */
function describeAsOf({ stopped_at: stoppedAt }: Fleet, now: Date, clock: LocalClock) {
  const at = stoppedAt === null ? now : new Date(stoppedAt);
  const words = stoppedAt === null ? 'As of' : 'Stands still since';
  return { words, at: at.toISOString(), text: tellInstant(at, clock) };
}

function countHidden({ items, counts }: OpenConditions): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0) - items.length;
}

function describeFleet(fleet: Fleet) {
  return [
    { label: 'Fleet id', id: fleet.job_id, what: 'fleet id' },
    { label: 'Organization id', id: fleet.simulation_org_id, what: 'organization id' },
    { label: 'Seed', text: String(fleet.seed) },
    { label: 'Model version', text: String(fleet.model_version) },
    {
      label: 'Created',
      at: fleet.created_at,
      text: `${formatMinute(new Date(fleet.created_at))} UTC`,
    },
  ];
}
