import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { waitForBrowser } from './gone-browsers.ts';

/** The turn of a page that changes nothing: it is given back while the page waits for heavy work, whose turns its partner has too. */
interface PageTurn {
  release: () => void;
  /** Waits of the page that go on. */
  outside: number;
}

const TURNS = new WeakMap<PortalResponse, PageTurn>();

/**
 * The page, made in a turn of the partner: each holds what it shows until it is sent, and one person may ask for a hundred at once. What
 * strangers see has none. A page whose browser has left by then is not made.
 */
export function inPageTurn(handle: PageHandler): PageHandler {
  return async (context, request, response) => {
    if (response.locals.session === undefined) return handle(context, request, response);
    const release = await acquireTurn(context, response);
    const turn: PageTurn = { release, outside: 0 };
    // Nobody is told that a change was not made when it was.
    if (request.method !== 'POST') TURNS.set(response, turn);
    try {
      // Pages whose sessions were looked up together and that wait for nothing would be made in one turn of the event loop.
      await giveWay(context, response);
      if (!response.destroyed) await handle(context, request, response);
    } finally {
      TURNS.delete(response);
      turn.release();
    }
  };
}

/**
 * Waits for heavy work without the turn of the page, so that others of the partner are made meanwhile: it takes a second, or several.
 * Throws what the wait throws, and the problem overloaded (503) when the page gets no turn again.
 */
export async function outsidePageTurn<Result>(
  context: PortalContext,
  response: PortalResponse,
  wait: () => Promise<Result>,
): Promise<Result> {
  const turn = TURNS.get(response);
  if (turn === undefined) return wait();
  turn.release();
  turn.outside += 1;
  try {
    return await wait();
  } finally {
    turn.outside -= 1;
    if (turn.outside === 0) await takeAgain(turn, context, response);
  }
}

/** A page that has failed meanwhile is over, though something that it had begun goes on. */
async function takeAgain(turn: PageTurn, context: PortalContext, response: PortalResponse): Promise<void> {
  if (!TURNS.has(response)) return;
  const release = await acquireTurn(context, response);
  if (TURNS.has(response)) turn.release = release;
  else release();
}

function acquireTurn({ pageTurns }: PortalContext, response: PortalResponse): Promise<() => void> {
  const { partnerId } = getSession(response);
  return waitForBrowser(response, (signal) => pageTurns.acquire(partnerId, signal));
}

/** Lets others have their turn before a page computes on: what it does between two of these takes some milliseconds at most. */
export function giveWay(context: PortalContext, response: PortalResponse): Promise<void> {
  return context.yieldToEventLoop(0, getSession(response).partnerId);
}
