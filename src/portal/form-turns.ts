import type { Request } from 'express';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { waitForBrowser } from './gone-browsers.ts';

/** Forms up to this size are read at once; a longer one is work that the partner does once at a time. */
const BYTES_WITHOUT_TURN = 65_536;

/** The turn of a long form: from before it is read until its page is done. */
interface FormTurn {
  readonly release: () => void;
  /** Whether its page is at work, which goes on when the browser has left. */
  isAtWork: boolean;
  isOver: boolean;
}

const TURNS = new WeakMap<PortalResponse, FormTurn>();

/** Whether the request holds its partner's turn for heavy work, so that its operations take none. */
export function hasFormTurn(response: PortalResponse): boolean {
  return TURNS.has(response);
}

/**
 * Takes the partner's turn before a long form is read: many at once would fill the memory, and no other partner waits for them. A form
 * that does not arrive within the time of a request lets it go. Throws the problem overloaded (503) with `Retry-After`; then nothing
 * more is read of the connection.
 */
export async function takeFormTurn(
  { compute }: Pick<PortalContext, 'compute'>,
  request: Request,
  response: PortalResponse,
): Promise<void> {
  if (Number(request.get('content-length') ?? 0) <= BYTES_WITHOUT_TURN) return;
  const { partnerId } = getSession(response);
  try {
    const release = await waitForBrowser(response, (signal) => compute.acquireTurn(partnerId, signal));
    holdTurn(response, { release, isAtWork: false, isOver: false });
  } catch (error) {
    if (!response.headersSent) response.setHeader('Connection', 'close');
    throw error;
  }
}

/** Until the answer is over, or the page that has been begun by then. */
function holdTurn(response: PortalResponse, turn: FormTurn): void {
  TURNS.set(response, turn);
  response.once('close', () => {
    if (!turn.isAtWork) endTurn(turn);
  });
  if (response.destroyed) endTurn(turn);
}

/** The page, whose work holds the turn until it is done; it is not begun when that is over already. */
export function inFormTurn(handle: PageHandler): PageHandler {
  return async (context, request, response) => {
    const turn = TURNS.get(response);
    if (turn?.isOver === true) return;
    if (turn !== undefined) turn.isAtWork = true;
    try {
      await handle(context, request, response);
    } finally {
      if (turn !== undefined) endTurn(turn);
    }
  };
}

function endTurn(turn: FormTurn): void {
  if (turn.isOver) return;
  turn.isOver = true;
  turn.release();
}
