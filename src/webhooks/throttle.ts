/**
 * Makes of many calls few: the first goes through at once, the others together after `intervalMs`. For
 * wake-ups across processes, since a NOTIFY with every event halves the commits per second.
 */
export function throttle(
  run: () => Promise<void>,
  intervalMs: number,
  onError: (error: unknown) => void,
): () => void {
  let state: 'idle' | 'resting' | 'called' = 'idle';
  const go = (): void => {
    state = 'resting';
    run()
      .catch(onError)
      .finally(() => {
        setTimeout(() => {
          if (state === 'called') go();
          else state = 'idle';
        }, intervalMs).unref();
      });
  };
  return () => {
    if (state === 'idle') go();
    else state = 'called';
  };
}
