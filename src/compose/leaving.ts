import { setTimeout as pause } from 'node:timers/promises';
import type { HttpServer } from '../http/http-server.ts';

/** What a process does between the signal and its stop: it serves on, while proxies and clients learn to go elsewhere. */
export interface Leaving {
  readonly isLeaving: () => boolean;
  /** Resolves after the delay. */
  leave(): Promise<void>;
}

/** From `leave` on each answer of the server ends its connection. */
export function createLeaving(server: HttpServer, delayMs: number): Leaving {
  let isLeaving = false;
  return {
    isLeaving: () => isLeaving,
    leave: async () => {
      isLeaving = true;
      server.announceEnd();
      await pause(delayMs);
    },
  };
}
