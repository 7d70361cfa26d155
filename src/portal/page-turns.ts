import { streamChanges } from './change-stream.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';

/**
 * The page, made in a turn of the partner: each holds what it shows until it is sent, and one person may ask for a hundred at once. What
 * strangers see has none, nor has the stream of a page that is open.
 */
export function inPageTurn(handle: PageHandler): PageHandler {
  return async (context, request, response) => {
    const partnerId = response.locals.session?.partnerId;
    if (partnerId === undefined || handle === streamChanges) {
      await handle(context, request, response);
      return;
    }
    await context.inPageTurn(partnerId, async () => {
      // Pages whose sessions were looked up together and that wait for nothing would be made in one turn of the event loop.
      await giveWay(context, response);
      await handle(context, request, response);
    });
  };
}

/** Lets others have their turn before a page computes on: what it does between two of these takes some milliseconds at most. */
export function giveWay(context: PortalContext, response: PortalResponse): Promise<void> {
  return context.yieldToEventLoop(0, getSession(response).partnerId);
}
