/** A NOTIFY with every event halves the commits per second; with one in 5 ms no loss was measured. */
const DEFAULT_INTERVAL_MS = 5;

/**
 * Makes few calls of many: the first goes through at once, all that follow within `intervalMs` are one call at its end.
 * For wake-ups across processes. What `run` rejects with goes to `onError`.
 */
export function throttle(
  run: () => Promise<void>,
  onError: (error: unknown) => void,
  intervalMs = DEFAULT_INTERVAL_MS,
): () => void {
  let state: 'idle' | 'waiting' | 'called' = 'idle';
  const callNow = (): void => {
    state = 'waiting';
    run()
      .catch(onError)
      .finally(() => {
        setTimeout(() => {
          if (state === 'called') callNow();
          else state = 'idle';
        }, intervalMs).unref();
      });
  };
  return () => {
    if (state === 'idle') callNow();
    else state = 'called';
  };
}
