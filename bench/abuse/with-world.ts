import { Victim } from './measure.ts';
import { createWorld } from './world.ts';
import type { World } from './world.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Measures in a world of its own, which is removed whatever happens; undefined when a signal ended it before. */
export async function withWorld<Result>(
  { households, perSecond }: { readonly households: number; readonly perSecond: number },
  measure: (world: World, victim: Victim) => Promise<Result>,
): Promise<Result | undefined> {
  const world = await createWorld(households);
  const victim = new Victim(perSecond);
  const interrupted = new AbortController();
  // Without its victim the run under way fails, and everything is removed as after any other failure.
  const interrupt = (): void => {
    interrupted.abort();
    victim.stop();
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    return await measure(world, victim);
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    return undefined;
  } finally {
    victim.stop();
    await world.remove();
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}
