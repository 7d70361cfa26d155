import type { components } from '../../generated/openapi.ts';
import { DAY_MS, HOUR_MS, QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import { listDayAheadPrices } from '../operations/trading.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { toOperationContext } from './operations.ts';
import { giveWay } from './page-turns.ts';
import type { TimeSpan } from './time-spans.ts';

/** A price in force as the operation lists it. */
export type ListedPrice = components['schemas']['DayAheadPrice'];

/** The longest range that the operation lists at once. */
const LISTED_AT_ONCE_MS = 366 * DAY_MS;

/** Prices behind which others may have their turn: some milliseconds of the event loop. */
const READ_AT_ONCE = 200;

/** The prices of an organization that begin in a time, in order. */
export async function listPrices(
  context: PortalContext,
  response: PortalResponse,
  orgId: string,
  { from, to }: TimeSpan,
): Promise<readonly ListedPrice[]> {
  const operation = toOperationContext(context, response, 'listDayAheadPrices', orgId);
  const prices: ListedPrice[] = [];
  for (let start = from.getTime(); start < to.getTime(); start += LISTED_AT_ONCE_MS) {
    const end = Math.min(start + LISTED_AT_ONCE_MS, to.getTime());
    const { body } = await listDayAheadPrices(operation, {
      path: { org_id: orgId },
      query: { from_dt: new Date(start).toISOString(), to_dt: new Date(end).toISOString() },
      headers: {},
      body: undefined,
    });
    const { data } = body as { readonly data: readonly ListedPrice[] | AsyncIterable<ListedPrice> };
    for await (const price of data) {
      if (prices.length % READ_AT_ONCE === 0) await giveWay(context, response);
      prices.push(price);
    }
  }
  return prices;
}

/** The prices of an organization that are in force at some instant of a time; one that begins before it may be. */
export async function listPricesInForce(
  context: PortalContext,
  response: PortalResponse,
  orgId: string,
  { from, to }: TimeSpan,
): Promise<readonly ListedPrice[]> {
  const begun = { from: new Date(from.getTime() - HOUR_MS), to };
  return keepInForce(await listPrices(context, response, orgId, begun), { from, to });
}

/** Those of these prices that are in force at some instant of a time. */
export function keepInForce(prices: readonly ListedPrice[], { from, to }: TimeSpan): readonly ListedPrice[] {
  const [start, end] = [from.toISOString(), to.toISOString()];
  return prices.filter(({ valid_from: begins, valid_until: ends }) => begins < end && ends > start);
}

/** The price in force in each quarter hour that begins at one of these instants. */
export function findInForce(
  prices: readonly ListedPrice[],
  starts: readonly Date[],
): readonly (ListedPrice | undefined)[] {
  const byQuarter = new Map<number, ListedPrice>();
  for (const price of prices) {
    const end = Date.parse(price.valid_until);
    for (let at = Date.parse(price.valid_from); at < end; at += QUARTER_HOUR_MS) byQuarter.set(at, price);
  }
  return starts.map((start) => byQuarter.get(start.getTime()));
}
