import { Session } from 'node:inspector/promises';

/** How often each function of a file was called in this process while the work ran, by the coverage of the engine. */
export function countCalls(fileEnding: string, work: () => Promise<unknown>): Promise<Map<string, number>> {
  return countCallsOf((path) => path.endsWith(fileEnding), work);
}

/** How often the functions of all files of a folder were called together: what work takes in steps, not in time. */
export async function countAllCalls(folder: string, work: () => Promise<unknown>): Promise<number> {
  const counts = await countCallsOf((path) => path.includes(folder), work);
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

async function countCallsOf(
  isCounted: (path: string) => boolean,
  work: () => Promise<unknown>,
): Promise<Map<string, number>> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const counts = new Map<string, number>();
    for (const { url, functions } of result) {
      if (!isCounted(url.split('?')[0] ?? '')) continue;
      for (const { functionName, ranges } of functions) {
        counts.set(functionName, (counts.get(functionName) ?? 0) + (ranges[0]?.count ?? 0));
      }
    }
    await session.post('Profiler.stopPreciseCoverage');
    return counts;
  } finally {
    session.disconnect();
  }
}
