import { QUARTER_HOUR_MS } from '../domain/api/durations.ts';
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
    return price === undefined || start > now
      ? []
      : [{ start, value: firstKnownMs(price) > start.getTime() }];
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

/** When what runs by its own habits for want of a price begins to follow prices, as far as they are there; otherwise what is missing. */
export async function tellNextPrices(
  context: PortalContext,
  response: PortalResponse,
  clock: LocalClock,
): Promise<string> {
  const now = context.clock();
  const begun = Math.floor(now.getTime() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  const next = new Date(begun + QUARTER_HOUR_MS);
  const span = { from: next, to: new Date(next.getTime() + QUARTER_HOUR_MS) };
  const listed = await listPricesInForce(context, response, getScope(response).orgId, span);
  const [price] = findInForce(listed, [next]);
  if (price === undefined)
    return `None is known for the next one either, which begins at ${clock.formatTime(next)}.`;
  const came = formatInstant(clock, new Date(firstKnownMs(price)));
  return `Prices came in at ${came} (${clock.zone}): it follows them from ${clock.formatTime(next)} on.`;
}
