import type { PortalResponse } from './context.ts';

/** Waits for something that is of no use when the browser leaves: the signal is aborted then, and the reason is an error of status 400. */
export async function waitForBrowser<Result>(
  response: PortalResponse,
  wait: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const gone = new AbortController();
  const leave = (): void => gone.abort(createGone());
  response.once('close', leave);
  if (response.destroyed) leave();
  try {
    return await wait(gone.signal);
  } finally {
    response.off('close', leave);
  }
}

/** Throws the same error when the browser has left. */
export function checkBrowser(response: PortalResponse): void {
  if (response.destroyed) throw createGone();
}

const createGone = (): Error => Object.assign(new Error('The browser has left.'), { status: 400 });
