import type { ServerResponse } from 'node:http';

/** A response emits this when its answer is held back, with a function that has it sent at once. */
export const HELD_BACK = 'heldBack';
/** A response emits this when its answer is not held back any more. */
export const LET_GO = 'letGo';

/** Resolves when the time is over, the client has gone, or the answer is called for. */
export function holdBack(response: ServerResponse, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const letGo = (): void => {
      clearTimeout(timer);
      response.off('close', letGo);
      response.emit(LET_GO);
      resolve();
    };
    const timer = setTimeout(letGo, ms);
    response.once('close', letGo);
    response.emit(HELD_BACK, letGo);
  });
}
