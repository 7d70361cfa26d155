import { HOUR_MS } from '../domain/api/durations.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import { findChangesPath } from './change-stream.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { listQuarters } from './day-chart.ts';
import { readSchedule } from './device-day.ts';
import { readQueryParameter } from './forms.ts';
import { tellInstant } from './live.ts';
import { giveWay } from './page-turns.ts';
import { findNoticeText } from './pages.ts';
import { PRICES_PATH, PRICE_UPLOAD_PATH } from './paths.ts';
import { listArrivals, tabulateArrivals } from './price-arrivals.ts';
import { chartDays } from './price-chart.ts';
import { findOutlook, tellOutlook } from './price-figures.ts';
import { addCountedBefore, findKnownThen, listRevisions } from './price-history.ts';
import type { PriceRevision } from './price-history.ts';
import { findInForce, keepInForce, listPrices, listPricesInForce } from './price-list.ts';
import type { ListedPrice } from './price-list.ts';
import { chartSchedules } from './price-panels.ts';
import { describeHeatPump, findHeatPump } from './price-pump.ts';
import { tabulatePrices } from './price-table.ts';
import { describeFilter, exampleUpload, linksOf } from './price-choices.ts';
import { listFleetScopes, readAskedView } from './price-scope.ts';
import { nameDays, priceViewPath } from './price-view.ts';
import type { PriceView } from './price-view.ts';
import { scopedPath } from './scopes.ts';
import { getScope } from './shell.ts';
import { formatDuration, formatSpan, joinQuarters } from './time-spans.ts';
import type { TimeSpan } from './time-spans.ts';
import { countOf } from './times.ts';

/** How often a page asks for itself, beside what it hears of. */
const LIVE_SECONDS = 30;
/** Arrivals and gaps that are told one by one. */
const MOST_ARRIVALS = 20;
const MOST_GAPS = 6;

/** Which prices count in a time, when they came, what they replaced, and what a heat pump does by them. */
export const showPrices: PageHandler = async (context, request, response) => {
  const scope = getScope(response);
  const now = context.clock();
  const view = await readAskedView(context, request, response, now);
  const { clock } = view;
  const hasOrigins = scope.kind === 'simulation';
  const listed = await listPrices(context, response, scope.orgId, aroundOf(view));
  const prices = keepInForce(listed, view);
  const revisions = await readRevisions(context, response, listed, view);
  const starts = listQuarters(view);
  const inForce = findInForce(prices, starts);
  const gaps = findGaps(starts, inForce);
  const isEmpty = prices.length === 0;
  const pump = await findHeatPump(context, response, view.pump);
  const entries = pump === undefined || isEmpty ? [] : await readSchedule(context, response, pump, view);
  await giveWay(context, response);
  const chart = chartDays({
    view,
    inForce,
    then: view.then && findKnownThen(revisions, view.then.getTime(), starts),
    schedules: chartSchedules(view, [entries]),
    now,
  });
  await giveWay(context, response);
  const arrivals = listArrivals(addCountedBefore(revisions), view);
  const outlook = await readOutlook(context, response, view, now);
  await giveWay(context, response);
  const table = tabulatePrices({ prices, gaps, clock, hasOrigins });
  await giveWay(context, response);
  sendView(response, 200, 'prices', {
    ...outlook,
    actions: [{ label: 'Upload prices', href: scopedPath(scope, PRICE_UPLOAD_PATH), kind: 'primary' }],
    whose: tellWhose(hasOrigins),
    liveSeconds: LIVE_SECONDS,
    changesPath: findChangesPath(response),
    asOf: { at: now.toISOString(), text: tellInstant(now, clock) },
    dayName: nameDays(view),
    links: linksOf(response, view),
    filter: describeFilter(response, view, pump === undefined && view.pump !== ''),
    isEmpty,
    chart,
    table,
    csvPath: priceViewPath(scope, view, {}, 'prices.csv'),
    gaps: isEmpty ? [] : tellGaps(gaps, view),
    then: view.then && { hide: priceViewPath(scope, view, { then: undefined }) },
    arrivals: tabulateArrivals({
      arrivals: arrivals.slice(0, MOST_ARRIVALS),
      clock,
      hasOrigins,
      pathOf: (receivedMs) => priceViewPath(scope, view, { then: new Date(receivedMs) }),
      shown: view.then?.getTime(),
    }),
    hiddenArrivals: Math.max(0, arrivals.length - MOST_ARRIVALS),
    pump: pump && (await describeHeatPump(context, response, pump, { entries, clock, now })),
    fleets: listFleetPages(response),
    notice: findNoticeText(readQueryParameter(request, 'notice')),
    ...showCalls(context, scope.orgId, view),
    hasCharts: true,
  });
};

/** The times in which no price is in force. */
function findGaps(
  starts: readonly Date[],
  inForce: readonly (ListedPrice | undefined)[],
): readonly TimeSpan[] {
  return joinQuarters(
    starts.flatMap((start, index) => (inForce[index] === undefined ? [{ start, value: null }] : [])),
  );
}

/** What begins an hour before may be in force; what begins behind the end tells what is not shown. */
const aroundOf = ({ from, to }: PriceView): TimeSpan => ({
  from: new Date(from.getTime() - HOUR_MS),
  to: new Date(to.getTime() + HOUR_MS),
});

/** What came in for the organization, and in a simulation for its partner. */
async function readRevisions(
  context: PortalContext,
  response: PortalResponse,
  listed: readonly ListedPrice[],
  view: PriceView,
): Promise<readonly PriceRevision[]> {
  const own = listRevisions(listed, 'own');
  if (getScope(response).kind === 'own') return own;
  const { orgId: partnerId } = getSession(response);
  return [...own, ...listRevisions(await listPrices(context, response, partnerId, aroundOf(view)), 'parent')];
}

async function readOutlook(
  context: PortalContext,
  response: PortalResponse,
  { clock }: PriceView,
  now: Date,
) {
  const { orgId } = getScope(response);
  const prices = await listPricesInForce(context, response, orgId, findOutlook(clock, now));
  return tellOutlook({ prices, clock, now });
}

function tellWhose(hasParent: boolean): string {
  return hasParent
    ? 'For each quarter hour its own price counts, where it has none that of the partner. A price holds until the next one, for an hour at most.'
    : 'They count here, and in every simulation for the quarter hours for which it has none of its own. A price holds until the next one, for an hour at most.';
}

/** Where prices are missing, in words. */
function tellGaps(gaps: readonly TimeSpan[], { clock }: PriceView): readonly string[] {
  const told = gaps
    .slice(0, MOST_GAPS)
    .map((gap) => `${formatSpan(clock, gap)} (${formatDuration(gap.to.getTime() - gap.from.getTime())})`);
  const more = gaps.length - told.length;
  return more > 0 ? [...told, countOf(more, 'more gap')] : told;
}

/** Where the heat pumps are whose schedules go by these prices, for an organization that has none itself. */
function listFleetPages(response: PortalResponse) {
  return listFleetScopes(response).map((scope) => ({
    label: scope.name,
    href: scopedPath(scope, PRICES_PATH),
  }));
}

/** How programs read what is shown, and upload prices of these days. */
function showCalls({ baseUrl }: PortalContext, orgId: string, view: PriceView) {
  return {
    call: formatApiCall(baseUrl, { method: 'GET', path: apiPathOf(orgId, view) }),
    uploadCall: formatApiCall(baseUrl, exampleUpload(orgId, view.from)),
  };
}

function apiPathOf(orgId: string, { from, to }: PriceView): string {
  const query = new URLSearchParams({ from_dt: from.toISOString(), to_dt: to.toISOString() });
  return `/org/${orgId}/trading/dayahead/prices?${query.toString()}`;
}
