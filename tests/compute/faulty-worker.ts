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
    default:
      return { output: { hasParent: parentPort !== null } };
  }
}
