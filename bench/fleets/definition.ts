// What the fleet rows share: the fleet that is asked for, and a stopwatch.
import { randomUUID } from 'node:crypto';
import { resolveDefinition } from '../../src/simulation/definition/resolve-definition.ts';
import type { ResolvedDefinition } from '../../src/simulation/definition/resolve-definition.ts';
import type { DensityRaster } from '../../src/simulation/definition/fleet-definition.ts';

const HOUSEHOLDS = 1_000;

/** A definition of a thousand households that no other one is like. */
export function resolve(density: DensityRaster | null = null): ResolvedDefinition {
  const resolution = resolveDefinition(
    { request_id: randomUUID(), count: HOUSEHOLDS, ev_ownership_fraction: 0.5, density },
    new Date(),
  );
  if (!resolution.ok) throw new Error(JSON.stringify(resolution.errors));
  return resolution;
}

/** How many milliseconds a piece of work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
