import { move, transferableSymbol, valueSymbol } from 'piscina';
import { freeBytes } from '../contract/free-bytes.ts';
import { Problem } from '../domain/api/problem.ts';
import { listTransferable, listViews } from './bytes.ts';
import { runJob } from './jobs.ts';
import type { JobAnswer, JobTask } from './jobs.ts';

/**
 * What a thread does with each task: a Problem of the job is an answer, every other error is the thread's. The bytes that came with
 * the task are gone afterwards.
 */
export async function answerTask(task: JobTask): Promise<unknown> {
  try {
    return toMoved(await compute(task));
  } finally {
    for (const part of listViews(task.input)) if (part instanceof Uint8Array) freeBytes(part);
  }
}

async function compute(task: JobTask): Promise<JobAnswer> {
  try {
    return { output: await runJob(task) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, message, errors, areErrorsTruncated, headers } = error;
    return { problem: { code, detail: message, errors, areErrorsTruncated, headers } };
  }
}

/** The pool moves the memory that the answer names, instead of copying it. */
function toMoved(answer: JobAnswer): unknown {
  const transferable = 'output' in answer ? listTransferable(answer.output) : [];
  return move({
    get [transferableSymbol]() {
      return transferable;
    },
    get [valueSymbol]() {
      return answer;
    },
  });
}
