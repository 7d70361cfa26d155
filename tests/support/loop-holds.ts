/**
 * The most processor time, in ms, that the event loop spent in one turn while the work ran. It does not grow when other
 * programs take the processor away.
 */
export async function measureLongestHold(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = process.threadCpuUsage();
  let isOver = false;
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  isOver = true;
  return longest;
}

const RUNS = 3;

/**
 * The same of work that can be repeated: the least of three runs. What the work holds it holds in each of them; what a
 * machine adds that is shared with others it does not.
 */
export async function measureRepeatedHold(work: () => Promise<unknown>): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < RUNS; run += 1) least = Math.min(least, await measureLongestHold(work));
  return least;
}
