import type { Response } from 'express';

const GIVEN_UP = new WeakSet<Response>();

/**
 * Ends the handling of a request that has its answer already, or nobody left who could get one: nothing more is said or
 * logged of it.
 */
export class AlreadyAnsweredError extends Error {
  constructor() {
    super('The request was answered already.');
  }
}

/** From now on the handler's own answer is not wanted: another one is sent, or the connection ends. */
export function giveUp(response: Response): void {
  GIVEN_UP.add(response);
}

export function isGivenUp(response: Response): boolean {
  return GIVEN_UP.has(response);
}

/**
 * Whether the handler's own answer has no use any more: another one is sent, or nobody is there who could get it. It may come true while
 * something is waited for, also when a part is written already; what is written then stands in the other answer.
 */
export function isUnwanted(response: Response): boolean {
  return isGivenUp(response) || response.destroyed;
}

/** @throws AlreadyAnsweredError when the request was given up or its connection has gone. */
export function checkNotGivenUp(response: Response): void {
  if (isUnwanted(response)) throw new AlreadyAnsweredError();
}

/**
 * Waits for something that is of no use once nobody can be answered any more: the signal is aborted then.
 * @throws AlreadyAnsweredError in that case; what the wait throws.
 */
export async function waitWhileWanted<Result>(
  response: Response,
  wait: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  checkNotGivenUp(response);
  const gone = new AbortController();
  const abort = (): void => gone.abort(new AlreadyAnsweredError());
  response.once('close', abort);
  try {
    return await wait(gone.signal);
  } finally {
    response.off('close', abort);
  }
}

/** Whether an error says no more than that the handler came too late with its answer, or that its reader has left. */
export function isTooLate(error: unknown, response: Response): boolean {
  if (error instanceof AlreadyAnsweredError) return true;
  if (!(error instanceof Error && 'code' in error)) return false;
  if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return response.destroyed;
  return isGivenUp(response) && error.code === 'ERR_HTTP_HEADERS_SENT';
}
