// The service as it is in a source tree, measured group by group in processes of that tree.
import { once } from 'node:events';
import { join } from 'node:path';
import type { ChildProcess } from 'node:child_process';
import type { Group, MeasureOptions } from './group.ts';
import { nextMessage, startProgram } from './processes.ts';
import type { Samples } from './row.ts';
import type { FromRunner, ToRunner } from './runner.ts';

/** The project's folder. */
export const ROOT = join(import.meta.dirname, '..');

/** A group that is ready to be measured. */
export interface OpenGroup {
  /** Rejects when the round fails. */
  round(): Promise<Samples>;
  /** Removes what the group has made. */
  close(): Promise<void>;
}

/** Prepares a group in a process of the tree. Rejects with what went wrong there. */
export async function openGroup(
  tree: string,
  { file, name }: Pick<Group, 'file' | 'name'>,
  options: MeasureOptions,
): Promise<OpenGroup> {
  const child = startProgram(join(tree, 'bench/runner.ts'));
  const close = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  };
  try {
    await ask(child, { kind: 'open', file, name, options });
  } catch (error) {
    await close();
    throw error;
  }
  return { round: () => ask(child, { kind: 'round' }), close };
}

async function ask(child: ChildProcess, question: ToRunner): Promise<Samples> {
  child.send(question);
  const answer = await nextMessage<FromRunner>(child);
  if (answer.kind === 'failed') throw new Error(answer.reason);
  return answer.samples;
}
