import { getHeapSpaceStatistics } from 'node:v8';
import { parentPort, resourceLimits } from 'node:worker_threads';

/** Stands in for the worker: does what the name of the task says, however wrong. */
export default function doWrong({ name }: { readonly name: string }): unknown {
  switch (name) {
    case 'loop':
      for (;;);
    case 'allocate':
      for (const kept: string[][] = []; ;) kept.push(Array.from({ length: 10_000 }, (_, at) => `text ${at}`));
    case 'exit':
      return process.exit(3);
    case 'throw':
      throw new RangeError('Out of range.');
    case 'limits':
      return { output: resourceLimits };
    case 'fill':
      return { output: new Uint8Array(200_000) };
    case 'makeYoung':
      return { output: { youngBytes: makeYoung() } };
    default:
      return { output: { hasParent: parentPort !== null } };
  }
}

/** How much memory V8 takes for young objects while many are in use together. */
function makeYoung(): number {
  const kept: object[] = [];
  for (let at = 0; at < 3_000_000; at += 1) kept[at % 300_000] = { at };
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}
