import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { hasFormTurn } from './form-turns.ts';
import { waitForBrowser } from './gone-browsers.ts';

/** What a page holds of its partner's until it is done: its turn, or a place aside. */
interface PagePlace {
  release: () => void;
  isAside: boolean;
}

const PLACES = new WeakMap<PortalResponse, PagePlace>();

/**
 * The page, made in a turn of the partner, or in that in which its form was read: each holds what it shows until it is sent, and one person
 * may ask for a hundred at once. What strangers see has none. A page whose browser has left by then is not made.
 */
export function inPageTurn(handle: PageHandler): PageHandler {
  return async (context, request, response) => {
    if (response.locals.session === undefined) return handle(context, request, response);
    const place = await acquirePlace(context, response);
    PLACES.set(response, place);
    try {
      // Pages whose sessions were looked up together and that wait for nothing would be made in one turn of the event loop.
      await giveWay(context, response);
      if (!response.destroyed) await handle(context, request, response);
    } finally {
      PLACES.delete(response);
      place.release();
    }
  };
}

/**
 * Leaves the turn to other pages of the partner before the page waits for heavy work, which takes a second, or several: where one of the
 * few places aside is free, the page has that from then on. It never needs the turn again, which might be refused.
 */
export function stepAside({ placesAside }: PortalContext, response: PortalResponse): void {
  const place = PLACES.get(response);
  if (place === undefined || place.isAside) return;
  const release = placesAside.tryAcquire(getSession(response).partnerId);
  if (release === undefined) return;
  place.release();
  place.release = release;
  place.isAside = true;
}

/** The turn; a page with a long form has that of heavy work, for which a page that has this one may wait: they would wait for each other. */
async function acquirePlace({ pageTurns }: PortalContext, response: PortalResponse): Promise<PagePlace> {
  if (hasFormTurn(response)) return { release: () => undefined, isAside: true };
  const { partnerId } = getSession(response);
  const release = await waitForBrowser(response, (signal) => pageTurns.acquire(partnerId, signal));
  return { release, isAside: false };
}

/** Lets others have their turn before a page computes on: what it does between two of these takes some milliseconds at most. */
export function giveWay(context: PortalContext, response: PortalResponse): Promise<void> {
  return context.yieldToEventLoop(0, getSession(response).partnerId);
}
