// The process that measures one group: `runner.ts FILE NAME`. It says when it is ready, and answers each `round` with samples.
// Its parent's disconnect ends it.
import { join } from 'node:path';
import type { Group, MeasureOptions } from './group.ts';
import type { Samples } from './row.ts';

export type ToRunner =
  | { readonly kind: 'open'; readonly file: string; readonly name: string; readonly options: MeasureOptions }
  | { readonly kind: 'round' };

export type FromRunner =
  | { readonly kind: 'samples'; readonly samples: Samples }
  | { readonly kind: 'failed'; readonly reason: string };

let rounds: AsyncGenerator<Samples, never> | undefined;
let working: Promise<void> = Promise.resolve();

process.on('message', (message: ToRunner) => {
  working = answer(message).then((reply) => void process.send?.(reply));
});
// The parent ends first, and then this process removes what it has made.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
process.once('disconnect', () => void end());

async function answer(message: ToRunner): Promise<FromRunner> {
  try {
    if (message.kind === 'open') rounds = await open(message.file, message.name, message.options);
    const result = await rounds?.next();
    if (result === undefined) throw new Error('A round was asked for before its group.');
    return { kind: 'samples', samples: result.value };
  } catch (error) {
    return {
      kind: 'failed',
      reason: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
  }
}

async function open(
  file: string,
  name: string,
  options: MeasureOptions,
): Promise<AsyncGenerator<Samples, never>> {
  const module = (await import(join(import.meta.dirname, file))) as Readonly<Record<string, unknown>>;
  const groups = Object.values(module).filter(Array.isArray).flat() as readonly Group[];
  const group = groups.find((each) => each.name === name);
  if (group === undefined) throw new Error(`bench/${file} has no group ${name}.`);
  return group.measure(options);
}

async function end(): Promise<void> {
  await working.catch(() => undefined);
  await rounds?.return(undefined as never).catch((error: unknown) => console.error(error));
  process.exit();
}
