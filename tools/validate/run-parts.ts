/** Measures parts of the validation side by side, one thread for each processor. */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { BY_DURATION } from './parts.ts';
import type { PartName } from './parts.ts';
import type { PartResult } from './part-worker.ts';

/** Rejects with the part's error when one fails; `onDone` hears of each part with the seconds that it took. */
export async function runParts(
  names: readonly PartName[],
  onDone: (name: PartName, seconds: number) => void,
): Promise<ReadonlyMap<PartName, PartResult>> {
  const waiting = BY_DURATION.filter((name) => names.includes(name));
  const results = new Map<PartName, PartResult>();
  const takeTurns = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const start = performance.now();
      results.set(name, await runPart(name));
      onDone(name, (performance.now() - start) / 1000);
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), names.length) }, takeTurns));
  return results;
}

async function runPart(name: PartName): Promise<PartResult> {
  const worker = new Worker(new URL('part-worker.ts', import.meta.url), { workerData: name });
  const [result] = (await once(worker, 'message')) as [PartResult];
  return result;
}
