import { HOUR_MS, QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import { effectiveFrom } from '../domain/api/quarter-hours.ts';
import type { DeviceType } from '../domain/fleets/devices.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import type { LocalClock } from './local-days.ts';
import { findInForce, listPricesInForce } from './price-list.ts';
import type { ListedPrice } from './price-list.ts';
import { getScope } from './shell.ts';
import { formatSpan, formatInstant, joinQuarters } from './time-spans.ts';

/** When the first price of the same instant came in, as far as the list tells it; ms since 1970. */
function firstKnownMs({ received_at: receivedAt, replaced }: ListedPrice): number {
  return Math.min(
    ...[receivedAt, ...replaced.map((each) => each.received_at)].map((each) => Date.parse(each)),
  );
}

/** Whether a price had come in early enough to count in the quarter hour that begins at `start`. */
const countsAt = (price: ListedPrice, start: Date): boolean =>
  effectiveFrom(new Date(firstKnownMs(price))) <= start;

/**
 * That prices came only after quarter hours had begun, in which heat pumps therefore ran by their own habits; undefined where each was
 * known in time. `starts` are those of the day, each with its price in `inForce`.
 */
export function tellLatePrices(
  starts: readonly Date[],
  inForce: readonly (ListedPrice | undefined)[],
  now: Date,
  clock: LocalClock,
): string | undefined {
  const begun = starts.flatMap((start, index) => {
    const price = inForce[index];
    return price === undefined || start > now ? [] : [{ start, value: !countsAt(price, start) }];
  });
  const late = begun.filter(({ value }) => value);
  if (late.length === 0) return undefined;
  const consequence = 'until a price is known heat pumps go by their own habits, which is “Normal” here.';
  if (late.length === inForce.filter((price) => price !== undefined).length)
    return `No price had come in as these quarter hours began: ${consequence}`;
  const spans = joinQuarters(late).map((span) => formatSpan(clock, span));
  return `The prices of ${spans.slice(0, MOST_SPANS).join(', ')}${spans.length > MOST_SPANS ? ' and of other times' : ''} came in only later: ${consequence}`;
}

const MOST_SPANS = 3;

/** Plans of heat pumps begin with the two hours of a compressor's run, counted from midnight UTC (docs/simulation.md#schedules). */
const HEAT_PUMP_STEP_MS = 2 * HOUR_MS;

/** When what runs by its own habits for want of a price begins to follow prices, as far as they are there; otherwise what is missing. */
export async function tellNextPrices(
  context: PortalContext,
  response: PortalResponse,
  clock: LocalClock,
  type: DeviceType,
): Promise<string> {
  const isHeatPump = type === 'heat_pump';
  const step = isHeatPump ? HEAT_PUMP_STEP_MS : QUARTER_HOUR_MS;
  const next = nextOfStep(context.clock(), step);
  // What has come in within the last seconds does not count in the next one yet.
  const starts = [next, new Date(next.getTime() + step)];
  const span = { from: next, to: new Date(next.getTime() + step + QUARTER_HOUR_MS) };
  const listed = await listPricesInForce(context, response, getScope(response).orgId, span);
  for (const [index, price] of findInForce(listed, starts).entries()) {
    const start = starts[index];
    if (price === undefined || start === undefined || !countsAt(price, start)) continue;
    const came = formatInstant(clock, new Date(firstKnownMs(price)));
    const from = `${clock.formatTime(start)} on${isHeatPump ? ' at the earliest' : ''}`;
    return `Prices came in at ${came} (${clock.zone}): it follows them from ${from}.`;
  }
  const what = isHeatPump ? 'its next plan may begin' : 'the next one begins';
  return `None is known for ${clock.formatTime(next)} either, when ${what}.`;
}

const nextOfStep = (now: Date, step: number): Date => new Date((Math.floor(now.getTime() / step) + 1) * step);
