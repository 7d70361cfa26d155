import { setTimeout as sleep } from 'node:timers/promises';

/** A batch takes some ten milliseconds or twenty: who pauses behind each leaves a fifth of the time to others. */
const PAUSE_MS = 5;

/** Work in batches calls it behind each, so that others have the database and the event loop for a moment. */
export const pauseForOthers = (): Promise<unknown> => sleep(PAUSE_MS);
