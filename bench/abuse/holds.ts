/**
 * Expressions for the inspector of a service. The longest hold of its event loop is measured in processor time of the thread,
 * so that it does not grow when other programs take the processor away: turns between two timers of 1 ms are one hold, since
 * it is then that other requests are looked for.
 */
export const WATCH_HOLDS = `globalThis.longestHoldUs = 0;
(() => {
  const usage = () => { const { user, system } = process.threadCpuUsage(); return user + system; };
  let before = usage();
  setInterval(() => {
    const now = usage();
    globalThis.longestHoldUs = Math.max(globalThis.longestHoldUs, now - before);
    before = now;
  }, 1).unref();
})()`;

/** Milliseconds of the longest hold since the last call. */
export const TAKE_LONGEST_HOLD =
  '(() => { const us = longestHoldUs; longestHoldUs = 0; return us / 1000; })()';
