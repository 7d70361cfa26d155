import { performance } from 'node:perf_hooks';

/** When this is read twice, how long that was apart, and whether the event loop has turned meanwhile. */
export interface LoopClock {
  /** Milliseconds that never run backwards. */
  readonly monotonicMs: () => number;
  /** How often the event loop has turned; costs twice as much as the time. */
  readonly countTurns: () => number;
}

export const PROCESS_CLOCK: LoopClock = {
  monotonicMs: () => performance.now(),
  countTurns: () => performance.nodeTiming.uvMetricsInfo.loopCount,
};
